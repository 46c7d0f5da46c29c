#include "learn/forest_leaves.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "model/link.h"
#include "tree/pool.h"

namespace wald {
namespace {

template <class C>
void refill_by(Sapling& tree, const RowCodes& x, std::span<const Drawn> rows, const C& criterion) {
  const auto width = static_cast<std::size_t>(criterion.width()), nodes = tree.nodes.size();
  std::vector<Row> row(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) row[i] = rows[i].row;
  std::vector<std::uint32_t> leaf(rows.size());
  leaves_of(tree, x, row, leaf);
  std::vector<std::int64_t> sums(nodes * width);
  const auto of = [&](std::size_t n) { return Sums(sums).subspan(n * width, width); };
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::uint32_t k = 0; k < rows[i].count; ++k)
      criterion.add(criterion.part(row[i]), sums.data() + leaf[i] * width);
  for (std::size_t n = nodes; n-- > 0;)  // children come after their parent
    for (std::uint32_t way = 0; way < tree.nodes[n].ways(); ++way)
      for (std::size_t k = 0; k < width; ++k) sums[n * width + k] += sums[(tree.nodes[n].child + way) * width + k];
  std::vector<std::uint32_t> from(nodes);  // the node whose rows speak for this one
  Pool pool(static_cast<std::size_t>(criterion.outputs()));
  std::vector<double> says(static_cast<std::size_t>(criterion.outputs()));
  for (std::uint32_t n = 0; n < nodes; ++n) {
    Node& node = tree.nodes[n];
    for (std::uint32_t way = 0; way < node.ways(); ++way) {
      const std::uint32_t child = node.child + way;
      from[child] = criterion.weight(of(child)) > 0 ? child : from[n];
    }
    if (!node.is_leaf()) continue;
    criterion.leaf(of(from[n]), says);
    node = Node::leaf(pool.put(says), static_cast<float>(criterion.weight(of(n))));
  }
  tree.values = pool.take();
}

}  // namespace

void refill(Sapling& tree, const RowCodes& x, std::span<const Drawn> rows, const Gini& gini) {
  refill_by(tree, x, rows, gini);
}
void refill(Sapling& tree, const RowCodes& x, std::span<const Drawn> rows, const Variance& variance) {
  refill_by(tree, x, rows, variance);
}

void keep_greatest(std::span<double> values, std::size_t width) {
  for (std::size_t at = 0; at < values.size(); at += width) {
    const auto vector = values.subspan(at, width);
    const auto greatest = std::ranges::max_element(vector) - vector.begin();
    std::ranges::fill(vector, 0.0);
    vector[static_cast<std::size_t>(greatest)] = 1;
  }
}

double share_unit(int trees) { return std::floor(0x1p53 / trees) * 0x1p-53; }

void share_out(std::span<double> values, std::size_t width, int trees) {
  const double unit = share_unit(trees);
  for (std::size_t at = 0; at < values.size(); at += width) {
    const auto vector = values.subspan(at, width);
    double rest = unit;
    for (double& v : vector) rest -= v = std::floor(v * unit * 0x1p53) * 0x1p-53;
    *std::ranges::max_element(vector) += rest;
  }
}

VoteUnits VoteUnits::of(const Task& task, int trees) {
  // Coarser than what rounding the shares has cost, so that equal votes stay equal.
  if (task.classifies()) return {.part = share_unit(trees)};
  VoteUnits out{.part = 1.0 / trees};
  out.bits = 61 - static_cast<int>(std::bit_width(static_cast<unsigned>(trees)));  // of sums below 2^62
  double largest = 0;
  for (const double y : task.numbers()) largest = std::max(largest, std::fabs(y));
  std::frexp(largest, &out.shift);
  return out;
}

std::size_t Votes::whole_vote(std::span<const std::int64_t> says) const {
  const auto found = static_cast<std::size_t>(std::ranges::find(says, std::int64_t{1} << units_.bits) - says.begin());
  const bool others = std::ranges::count(says, 0) + 1 < static_cast<std::ptrdiff_t>(says.size());
  return whole_.empty() || others ? outputs_ : found;
}

void Votes::add(const Sapling& tree, const RowCodes& x, std::span<const Row> rows, std::uint32_t t) {
  if (rows.empty()) return;
  std::vector<std::uint32_t> leaf(rows.size());
  leaves_of(tree, x, rows, leaf);
  std::vector<std::int64_t> fixed(tree.values.size());
  for (std::size_t i = 0; i < fixed.size(); ++i) fixed[i] = units_.whole(tree.values[i]);
  std::vector<std::size_t> whole(fixed.size() / outputs_);
  for (std::size_t v = 0; v < whole.size(); ++v)
    whole[v] = whole_vote(std::span(fixed).subspan(v * outputs_, outputs_));
  if (std::ranges::find(whole, outputs_) != whole.end())
    std::call_once(summing_, [this] { sum_.resize(trees_.size() * outputs_); });
  const auto place = [half = t % 2](Row row) { return 2 * std::size_t{row} + half; };
  for (std::uint32_t& at : leaf) at = tree.nodes[at].ref;
  // Which of a row's numbers is next nobody foresees, so it is asked for ahead of its turn.
  constexpr std::size_t kAhead = 64;
  const auto fetch = [&](std::size_t i) {
    __builtin_prefetch(whole_.data() + place(rows[i]) * outputs_ + whole[leaf[i]], 1);
  };
  for (std::size_t i = 0; i < rows.size();) {
    const std::size_t together = rows[i] / kTogether;
    const std::lock_guard lock(adding_[together]);
    for (; i < rows.size() && rows[i] / kTogether == together; ++i) {
      if (!whole_.empty()) fetch(std::min(i + kAhead, rows.size() - 1));
      const std::size_t at = place(rows[i]) * outputs_, vector = leaf[i];
      ++trees_[place(rows[i])];
      if (whole[vector] < outputs_) ++whole_[at + whole[vector]];
      else
        for (std::size_t o = 0; o < outputs_; ++o) sum_[at + o] += fixed[vector * outputs_ + o];
    }
  }
}

OutOfBag Votes::predictions(const Model& model) const {
  OutOfBag out{.predictions = {.rows = rows_, .outputs = static_cast<int>(outputs_)},
               .trees = std::vector<std::uint32_t>(rows_)};
  out.predictions.score.resize(rows_ * outputs_);
  parallel_for(rows_, kTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      out.trees[row] = trees_[2 * row] + trees_[2 * row + 1];
      for (std::size_t o = 0; o < outputs_; ++o) {
        const std::size_t at = 2 * row * outputs_ + o;
        const std::int64_t sum = sum_of(at) + sum_of(at + outputs_);
        if (sum == 0) continue;  // of many classes most have no vote
        out.predictions.score[row * outputs_ + o] = units_.mean(sum, out.trees[row]);
      }
    }
  });
  apply_link(model, out.predictions);
  return out;
}

// Of so many trees that say these sums of a row: 1 for a wrong class, of a number the square.
double Votes::error(const Task& task, std::size_t row, std::span<const std::int64_t> sums, std::uint32_t trees) const {
  if (task.classifies()) return std::ranges::max_element(sums) - sums.begin() == task.classes().code[row] ? 0 : 1;
  const double off = units_.mean(sums[0], trees) - task.numbers()[row];
  return off * off;
}

std::optional<double> Votes::expected_error(const Task& task, int trees) const {
  constexpr double kLeastTrees = 5;  // that speak of a row: of fewer, half tell nothing
  constexpr std::size_t kLeastRows = 50;
  double all = 0, of_half = 0, spoke = 0, weights = 0, every = 0;
  std::size_t used = 0;
  std::vector<std::int64_t> sums(3 * outputs_);  // of one half, of the other, of both
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::uint32_t first = trees_[2 * row], second = trees_[2 * row + 1];
    const double weight = task.weight.empty() ? 1 : from_fixed(task.weight[row], kWeightBits);
    every += weight, spoke += weight * (first + second);
    if (first == 0 || second == 0 || weight == 0) continue;
    for (std::size_t o = 0; o < outputs_; ++o) {
      sums[o] = sum_of(2 * row * outputs_ + o), sums[outputs_ + o] = sum_of((2 * row + 1) * outputs_ + o);
      sums[2 * outputs_ + o] = sums[o] + sums[outputs_ + o];
    }
    const auto of = [&](std::size_t k) { return std::span(sums).subspan(k * outputs_, outputs_); };
    all += weight * error(task, row, of(2), first + second);
    of_half += weight * (error(task, row, of(0), first) + error(task, row, of(1), second)) / 2;
    weights += weight, ++used;
  }
  if (used < kLeastRows || !(spoke >= kLeastTrees * every)) return std::nullopt;
  const double share = spoke / every / trees;                            // of the trees that speak of a row
  const double error = (all - (of_half - all) * (1 - share)) / weights;  // by chance beyond what there is
  if (!std::isfinite(error)) return std::nullopt;  // of numbers whose squares are beyond every double
  return std::clamp(error, 0.0, task.classifies() ? 1.0 : std::numeric_limits<double>::infinity());
}

}  // namespace wald
