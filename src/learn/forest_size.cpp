#include "learn/forest_size.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/fixed.h"
#include "core/random.h"
#include "learn/forest_leaves.h"

namespace wald {
namespace {

constexpr auto& kSizes = SplitSizes::kSizes;
constexpr std::uint32_t kNone = 0xFFFF'FFFF;

// One row of each of `count` equal parts, drawn.
std::vector<std::uint32_t> drawn_evenly(std::size_t count, std::size_t from, std::uint64_t seed) {
  const Random random(seed, Purpose::SplitSize);
  std::vector<std::uint32_t> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * from / count, end = (i + 1) * from / count;
    out[i] = static_cast<std::uint32_t>(begin + random.below(end - begin, i));
  }
  return out;
}

// For each node and size, the node that is a leaf in its place.
std::vector<std::uint32_t> cut_short(const Sapling& tree, std::span<const double> weight) {
  std::vector<std::uint32_t> out(tree.nodes.size() * kSizes.size());
  for (std::uint32_t n = 0; n < tree.nodes.size(); ++n)  // children come after their parent
    for (std::uint32_t way = 0; way < tree.nodes[n].ways(); ++way)
      for (std::size_t s = 0; s < kSizes.size(); ++s) {
        const std::uint32_t child = tree.nodes[n].child + way;
        out[child * kSizes.size() + s] = weight[n] < kSizes[s] ? out[n * kSizes.size() + s] : child;
      }
  return out;
}

// How much each node weighs, by the weights of its leaves.
std::vector<double> weights_of(const Sapling& tree) {
  std::vector<double> out(tree.nodes.size());
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    const Node& node = tree.nodes[n];
    if (node.is_leaf()) out[n] = static_cast<double>(node.cover());
    for (std::uint32_t way = 0; way < node.ways(); ++way) out[n] += out[node.child + way];
  }
  return out;
}

}  // namespace

SplitSizes::SplitSizes(const Task& task, const ForestRows& rows, std::span<const std::int64_t> weight,
                       const ForestOptions& how, std::uint64_t seed)
    : task_(task), rows_(rows), how_(how), weight_(weight) {
  outputs_ = task.classifies() ? task.classes().name.size() : 1;
  // Enough that a few trees tell the sizes apart, few enough that it costs little beside growing them.
  constexpr std::size_t kRows = 1u << 13, kNumbers = 1u << 16, kLeastRows = 512, kLeastTrees = 8, kTold = 1u << 15;
  const std::size_t all = rows.rows().size(), few = std::clamp(kNumbers / outputs_, kLeastRows, kRows);
  asked_ = drawn_evenly(std::min(all, few), all, seed);
  const auto grown = static_cast<std::size_t>(how.trees);
  trees_ =
      std::min(std::clamp(kTold / asked_.size(), kLeastTrees, std::clamp(grown / 4, kLeastTrees, kMostTrees)), grown);
  if (!task.classifies()) {
    const auto of = [&](Row r) { return task.numbers()[r] / 2; };  // twice as far apart they may be out of all numbers
    const auto [least, most] = std::ranges::minmax(rows.rows(), {}, of);
    if (of(most) > of(least)) scale_ = std::ilogb(of(most) - of(least)) + 2;
    least_ = times_power(task.numbers()[least], -scale_);
  }
  spoke_.resize(asked_.size());
  sum_.resize(asked_.size() * kSizes.size() * outputs_), squares_.resize(asked_.size() * kSizes.size());
}

// What the nodes that stand for these leaves say, as leaves of their own.
struct SplitSizes::Says {
  std::vector<std::uint32_t> cut;     // node x size: the node that stands for it
  std::vector<std::uint32_t> place;   // of a node's vector; kNone: nobody asks
  std::vector<std::int32_t> value;    // place x output
  std::vector<std::int64_t> squares;  // of a place's values, their sum

  std::span<const std::uint32_t> instead_of(std::uint32_t leaf) const {
    return std::span(cut).subspan(leaf * kSizes.size(), kSizes.size());
  }
};

SplitSizes::Says SplitSizes::says_of(const Sapling& tree, std::span<const std::uint32_t> leaves) const {
  const std::vector<double> weight = weights_of(tree);
  Says out{cut_short(tree, weight), std::vector<std::uint32_t>(tree.nodes.size(), kNone), {}, {}};
  std::vector<std::uint32_t> asked;
  for (const std::uint32_t leaf : leaves)
    for (const std::uint32_t node : out.instead_of(leaf))
      if (out.place[node] == kNone) out.place[node] = static_cast<std::uint32_t>(asked.size()), asked.push_back(node);

  // The leaves below, each with what it had before it was smoothed.
  const double smoothing = task_.classifies() ? how_.smoothing : 0, added = smoothing * static_cast<double>(outputs_);
  std::vector<double> values(tree.values.size()), sums(asked.size() * outputs_);
  std::ranges::transform(tree.values, values.begin(), [&](double v) { return scaled(v); });
  for (std::uint32_t n = 0; n < tree.nodes.size(); ++n) {
    if (!tree.nodes[n].is_leaf()) continue;
    const double* value = values.data() + std::size_t{tree.nodes[n].ref} * outputs_;
    std::uint32_t before = kNone;
    for (const std::uint32_t node : out.instead_of(n)) {
      if (node == std::exchange(before, node) || out.place[node] == kNone) continue;
      double* to = sums.data() + std::size_t{out.place[node]} * outputs_;
      for (std::size_t o = 0; o < outputs_; ++o) to[o] += value[o] * (weight[n] + added) - smoothing;
    }
  }
  for (std::size_t k = 0; k < asked.size(); ++k)
    for (std::size_t o = 0; o < outputs_; ++o)
      sums[k * outputs_ + o] = (sums[k * outputs_ + o] + smoothing) / (weight[asked[k]] + added);
  if (how_.vote == Vote::Majority) keep_greatest(sums, outputs_);

  out.value.resize(sums.size()), out.squares.resize(asked.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::int64_t value = to_fixed(sums[i], kBits);
    out.value[i] = static_cast<std::int32_t>(value), out.squares[i / outputs_] += value * value;
  }
  return out;
}

double SplitSizes::scaled(double value) const { return times_power(value, -scale_) - least_; }

void SplitSizes::add(const Sapling& tree, const RowCodes& x, const ForestRows::Bag& bag) {
  std::vector<std::uint32_t> out;  // those asked that are out of the bag
  std::vector<Row> row;
  for (std::uint32_t i = 0; i < asked_.size(); ++i)
    if (bag.count[asked_[i]] == 0) out.push_back(i), row.push_back(rows_.rows()[asked_[i]]);
  std::vector<std::uint32_t> leaf(row.size());
  leaves_of(tree, x, row, leaf);
  const Says says = says_of(tree, leaf);
  const std::lock_guard lock(adding_);
  for (std::size_t i = 0; i < out.size(); ++i) {
    ++spoke_[out[i]];
    // Of the true values one is not 0.
    const bool classifies = task_.classifies();
    const auto one = classifies ? static_cast<std::size_t>(task_.classes().code[row[i]]) : 0;
    const std::int64_t truth = to_fixed(classifies ? 1.0 : scaled(task_.numbers()[row[i]]), kBits);
    for (std::size_t s = 0; s < kSizes.size(); ++s) {
      const std::size_t at = out[i] * kSizes.size() + s, place = says.place[says.instead_of(leaf[i])[s]];
      const std::int32_t* said = says.value.data() + place * outputs_;
      std::int32_t* sum = sum_.data() + at * outputs_;
      for (std::size_t o = 0; o < outputs_; ++o) sum[o] -= said[o];
      sum[one] += static_cast<std::int32_t>(truth);
      squares_[at] += says.squares[place] + truth * (truth - 2 * said[one]);
    }
  }
}

std::optional<std::array<double, kSizes.size()>> SplitSizes::errors() const {
  std::array<double, kSizes.size()> out{};
  double all = 0;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (spoke_[i] < 2) continue;
    const Row row = rows_.rows()[asked_[i]];
    const double weight = weight_.empty() ? 1 : static_cast<double>(weight_[row]) * 0x1p-30, n = spoke_[i];
    all += weight;
    for (std::size_t s = 0; s < kSizes.size(); ++s) {
      const std::size_t at = i * kSizes.size() + s;
      double square = 0;
      for (std::size_t o = 0; o < outputs_; ++o)
        square += static_cast<double>(sum_[at * outputs_ + o]) * static_cast<double>(sum_[at * outputs_ + o]);
      const auto squares = static_cast<double>(squares_[at]);
      const double one = squares / n, two = (square - squares) / (n * (n - 1));
      out[s] += weight * (two + (one - two) / how_.trees);
    }
  }
  if (!(all > 0)) return std::nullopt;
  for (double& error : out) error = times_power(error / all, -2 * kBits);
  return out;
}

std::optional<double> SplitSizes::best() const {
  const auto error = errors();
  if (!error) return std::nullopt;
  return kSizes[static_cast<std::size_t>(std::ranges::min_element(*error) - error->begin())];
}

}  // namespace wald
