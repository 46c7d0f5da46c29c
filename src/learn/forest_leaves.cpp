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

namespace {

// The one number of a vector that is not 0, as a pure leaf says; past the end: there are several.
struct Single {
  std::size_t output = 0;
  std::int64_t value = 0;
};
Single single(std::span<const std::int64_t> says) {
  Single out;
  std::size_t others = 0;
  for (std::size_t o = 0; o < says.size(); ++o)
    if (says[o] != 0 && others++ == 0) out = {o, says[o]};
  return others > 1 ? Single{says.size(), 0} : out;
}

}  // namespace

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

std::int64_t Votes::fixed(double value) const { return to_fixed(times_power(value, -shift_), kBits); }

void Votes::add(const Sapling& tree, const RowCodes& x, std::span<const Row> rows) {
  std::vector<std::uint32_t> leaf(rows.size());
  leaves_of(tree, x, rows, leaf);
  std::vector<std::int64_t> says(tree.values.size());
  for (std::size_t i = 0; i < says.size(); ++i) says[i] = fixed(tree.values[i]);
  std::vector<Single> singles(says.size() / outputs_);
  for (std::size_t v = 0; v < singles.size(); ++v) singles[v] = single(std::span(says).subspan(v * outputs_, outputs_));
  const std::int64_t whole = fixed(1);
  for (std::uint32_t& at : leaf) at = tree.nodes[at].ref;
  // Which of a row's numbers is next nobody foresees, so it is asked for ahead of its turn.
  constexpr std::size_t kAhead = 64;
  const auto fetch = [&](std::size_t i) {
    const Single& says_one = singles[leaf[i]];
    const std::size_t at = std::min(rows[i] * outputs_ + says_one.output, sum_.size() - 1);
    __builtin_prefetch(says_one.value == whole ? static_cast<void*>(&whole_[at]) : static_cast<void*>(&sum_[at]), 1);
  };
  for (std::size_t i = 0; i < rows.size();) {
    const std::size_t together = rows[i] / kTogether;
    const std::lock_guard lock(adding_[together]);
    for (; i < rows.size() && rows[i] / kTogether == together; ++i) {
      fetch(std::min(i + kAhead, rows.size() - 1));
      const std::uint32_t vector = leaf[i];
      const std::size_t first = rows[i] * outputs_, one = first + singles[vector].output;
      ++trees_[rows[i]];
      if (singles[vector].value == whole && whole_[one] < kMostWhole) ++whole_[one];
      else if (singles[vector].output < outputs_) sum_[one] += singles[vector].value;
      else
        for (std::size_t o = 0; o < outputs_; ++o) sum_[first + o] += says[vector * outputs_ + o];
    }
  }
}

OutOfBag Votes::predictions(const Model& model) const {
  OutOfBag out{.predictions = {.rows = trees_.size(), .outputs = static_cast<int>(outputs_)}, .trees = trees_};
  out.predictions.score.resize(sum_.size());
  const std::int64_t whole = fixed(1);
  parallel_for(trees_.size(), kTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      for (std::size_t i = row * outputs_; i < (row + 1) * outputs_; ++i)
        if (const std::int64_t sum = sum_[i] + whole_[i] * whole; sum != 0) {  // of many classes most have no vote
          const auto trees = static_cast<double>(trees_[row]);
          out.predictions.score[i] = times_power(from_fixed(sum, kBits) / trees, shift_);
        }
  });
  apply_link(model, out.predictions);
  return out;
}

}  // namespace wald
