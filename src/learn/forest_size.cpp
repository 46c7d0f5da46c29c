#include "learn/forest_size.h"

#include <algorithm>
#include <cmath>

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

// For each node and size, the node that speaks for it where nodes that grew from fewer rows are leaves: one that none
// of the rows reach that fill it leaves the word to the nearest above.
std::vector<std::uint32_t> cut_short(const Sapling& tree, std::span<const double> grew, std::span<const double> fills) {
  std::vector<std::uint32_t> out(tree.nodes.size() * kSizes.size());
  for (std::uint32_t n = 0; n < tree.nodes.size(); ++n)  // children come after their parent
    for (std::uint32_t way = 0; way < tree.nodes[n].ways(); ++way)
      for (std::size_t s = 0; s < kSizes.size(); ++s) {
        const std::uint32_t child = tree.nodes[n].child + way;
        const bool speaks = grew[n] >= kSizes[s] && fills[child] > 0;
        out[child * kSizes.size() + s] = speaks ? child : out[n * kSizes.size() + s];
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

// What the nodes that speak for these leaves say, as leaves of their own.
struct SplitSizes::Says {
  std::vector<std::uint32_t> cut;     // node x size: the node that speaks for it
  std::vector<std::uint32_t> place;   // of a node's vector; kNone: nobody asks
  std::vector<std::int32_t> value;    // place x output
  std::vector<std::int64_t> squares;  // of a place's values, their sum

  std::span<const std::uint32_t> instead_of(std::uint32_t leaf) const {
    return std::span(cut).subspan(leaf * kSizes.size(), kSizes.size());
  }
};

// What all leaves below each node have, before they were smoothed: node x output.
std::vector<double> SplitSizes::sums_of(const Sapling& tree, std::span<const double> weight) const {
  const double smoothing = task_.classifies() ? how_.smoothing : 0, added = smoothing * static_cast<double>(outputs_);
  std::vector<double> values(tree.values.size()), out(tree.nodes.size() * outputs_);
  std::ranges::transform(tree.values, values.begin(), [&](double v) { return scaled(v); });
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    const Node& node = tree.nodes[n];
    double* to = out.data() + n * outputs_;
    for (std::uint32_t way = 0; way < node.ways(); ++way)
      for (std::size_t o = 0; o < outputs_; ++o) to[o] += out[(node.child + way) * outputs_ + o];
    if (!node.is_leaf() || weight[n] == 0) continue;
    const double* value = values.data() + std::size_t{node.ref} * outputs_;
    for (std::size_t o = 0; o < outputs_; ++o) to[o] = value[o] * (weight[n] + added) - smoothing;
  }
  return out;
}

SplitSizes::Says SplitSizes::says_of(const Sapling& grown, const Sapling& filled,
                                     std::span<const std::uint32_t> leaves) const {
  const std::vector<double> weight = weights_of(filled), sums = sums_of(filled, weight);
  Says out{cut_short(grown, weights_of(grown), weight), std::vector<std::uint32_t>(grown.nodes.size(), kNone), {}, {}};
  const double smoothing = task_.classifies() ? how_.smoothing : 0, added = smoothing * static_cast<double>(outputs_);
  std::vector<double> says;
  for (const std::uint32_t leaf : leaves)
    for (const std::uint32_t node : out.instead_of(leaf)) {
      if (out.place[node] != kNone) continue;
      out.place[node] = static_cast<std::uint32_t>(says.size() / outputs_);
      for (std::size_t o = 0; o < outputs_; ++o)
        says.push_back((sums[node * outputs_ + o] + smoothing) / (weight[node] + added));
    }
  if (how_.vote == Vote::Majority) keep_greatest(says, outputs_);

  out.value.resize(says.size()), out.squares.resize(says.size() / outputs_);
  for (std::size_t i = 0; i < says.size(); ++i) {
    const std::int64_t value = to_fixed(says[i], kBits);
    out.value[i] = static_cast<std::int32_t>(value), out.squares[i / outputs_] += value * value;
  }
  return out;
}

double SplitSizes::scaled(double value) const { return times_power(value, -scale_) - least_; }

void SplitSizes::add(const Sapling& grown, const Sapling& filled, const RowCodes& x, const ForestRows::Bag& bag) {
  std::vector<std::uint32_t> out;  // those asked that are out of the bag
  std::vector<Row> row;
  for (std::uint32_t i = 0; i < asked_.size(); ++i)
    if (bag.count[asked_[i]] == 0) out.push_back(i), row.push_back(rows_.rows()[asked_[i]]);
  std::vector<std::uint32_t> leaf(row.size());
  leaves_of(grown, x, row, leaf);
  const Says says = says_of(grown, filled, leaf);
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
