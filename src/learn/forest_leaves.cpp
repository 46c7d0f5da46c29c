#include "learn/forest_leaves.h"

#include <algorithm>
#include <cmath>

#include "core/fixed.h"
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

std::size_t Votes::whole_vote(std::span<const std::int64_t> says) const {
  constexpr std::int64_t kWhole = std::int64_t{1} << kBits;
  const auto found = static_cast<std::size_t>(std::ranges::find(says, kWhole) - says.begin());
  const bool others = std::ranges::count(says, 0) + 1 < static_cast<std::ptrdiff_t>(says.size());
  return whole_.empty() || others ? outputs_ : found;
}

void Votes::add(const Sapling& tree, const RowCodes& x, std::span<const Row> rows) {
  std::vector<std::uint32_t> leaf(rows.size());
  leaves_of(tree, x, rows, leaf);
  std::vector<std::int64_t> fixed(tree.values.size());
  for (std::size_t i = 0; i < fixed.size(); ++i) fixed[i] = to_fixed(times_power(tree.values[i], -shift_), kBits);
  std::vector<std::size_t> whole(fixed.size() / outputs_);
  for (std::size_t v = 0; v < whole.size(); ++v)
    whole[v] = whole_vote(std::span(fixed).subspan(v * outputs_, outputs_));
  if (std::ranges::find(whole, outputs_) != whole.end())
    std::call_once(summing_, [this] { sum_.resize(trees_.size() * outputs_); });
  for (std::uint32_t& at : leaf) at = tree.nodes[at].ref;
  // Which of a row's numbers is next nobody foresees, so it is asked for ahead of its turn.
  constexpr std::size_t kAhead = 64;
  const auto fetch = [&](std::size_t i) { __builtin_prefetch(whole_.data() + rows[i] * outputs_ + whole[leaf[i]], 1); };
  for (std::size_t i = 0; i < rows.size();) {
    const std::size_t together = rows[i] / kTogether;
    const std::lock_guard lock(adding_[together]);
    for (; i < rows.size() && rows[i] / kTogether == together; ++i) {
      if (!whole_.empty()) fetch(std::min(i + kAhead, rows.size() - 1));
      const std::size_t at = rows[i] * outputs_, vector = leaf[i];
      ++trees_[rows[i]];
      if (whole[vector] < outputs_) ++whole_[at + whole[vector]];
      else
        for (std::size_t o = 0; o < outputs_; ++o) sum_[at + o] += fixed[vector * outputs_ + o];
    }
  }
}

OutOfBag Votes::predictions(const Model& model) const {
  OutOfBag out{.predictions = {.rows = trees_.size(), .outputs = static_cast<int>(outputs_)}, .trees = trees_};
  out.predictions.score.resize(trees_.size() * outputs_);
  parallel_for(trees_.size(), kTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      for (std::size_t i = row * outputs_; i < (row + 1) * outputs_; ++i) {
        std::int64_t sum = sum_.empty() ? 0 : sum_[i];
        if (!whole_.empty()) sum += std::int64_t{whole_[i]} << kBits;
        if (sum == 0) continue;  // of many classes most have no vote
        out.predictions.score[i] = times_power(from_fixed(sum, kBits) / static_cast<double>(trees_[row]), shift_);
      }
  });
  apply_link(model, out.predictions);
  return out;
}

}  // namespace wald
