#include "tree/deviation.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <variant>

namespace wald {
namespace {

// The weighted absolute deviation of a growing set of ranks from its median.
class RunningMedian {
 public:
  explicit RunningMedian(const RankedRows& node)
      : node_(node), weight_(node.value.size() + 1), sum_(node.value.size() + 1) {}

  void add(std::uint32_t rank) {
    const std::int64_t w = node_.weight[rank];
    const __int128 value = static_cast<__int128>(w) * node_.value[rank];
    all_ += w, total_ += value;
    for (std::size_t i = rank + std::size_t{1}; i < weight_.size(); i += i & -i) weight_[i] += w, sum_[i] += value;
  }
  std::int64_t weight() const { return all_; }

  // The median is the first rank at which half the weight is reached.
  double deviation() const {
    std::size_t at = 0;
    std::int64_t below = 0;
    __int128 sum = 0;
    for (std::size_t step = std::bit_floor(weight_.size() - 1); step > 0; step /= 2)
      if (at + step < weight_.size() && 2 * (below + weight_[at + step]) < all_)
        at += step, below += weight_[at], sum += sum_[at];
    const __int128 median = node_.value[at];
    return static_cast<double>(median * below - sum + (total_ - sum) - median * (all_ - below));
  }

 private:
  const RankedRows& node_;
  std::vector<std::int64_t> weight_;
  std::vector<__int128> sum_;
  std::int64_t all_ = 0;
  __int128 total_ = 0;
};

// The node's rows by code: group g has the ranks first[g] .. first[g + 1] - 1 and the code code[g].
struct Groups {
  std::vector<std::uint32_t> rank;
  std::vector<std::uint32_t> first;
  std::vector<std::uint16_t> code;
  std::span<const std::uint32_t> of(std::size_t g) const {
    return std::span(rank).subspan(first[g], first[g + 1] - first[g]);
  }
};
Groups grouped(const RankedRows& node, const BinnedColumn& x) {
  std::vector<std::uint64_t> keys(node.rows.size());  // code, then rank
  std::visit(
      [&](const auto& code) {
        for (std::size_t i = 0; i < keys.size(); ++i)
          keys[i] = static_cast<std::uint64_t>(code[node.rows[i]]) << 32 | node.rank[i];
      },
      x.code);
  std::ranges::sort(keys);
  Groups out;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i] >> 32 != keys[i - 1] >> 32)
      out.first.push_back(static_cast<std::uint32_t>(i)), out.code.push_back(static_cast<std::uint16_t>(keys[i] >> 32));
    out.rank.push_back(static_cast<std::uint32_t>(keys[i]));
  }
  out.first.push_back(static_cast<std::uint32_t>(keys.size()));
  return out;
}

std::int64_t median_of(const RankedRows& node, std::span<const std::uint32_t> ranks) {  // ascending
  std::int64_t all = 0, below = 0;
  for (const std::uint32_t r : ranks) all += node.weight[r];
  for (const std::uint32_t r : ranks)
    if (below += node.weight[r]; 2 * below >= all) return node.value[r];
  return 0;
}

// What lies on one side after each group, in the order given.
struct Side {
  std::vector<double> deviation;
  std::vector<std::int64_t> weight;
};
Side run(const RankedRows& node, const Groups& groups, std::span<const std::size_t> order, bool with_missing) {
  RunningMedian median(node);
  if (with_missing)
    for (const std::uint32_t r : groups.of(0)) median.add(r);
  Side out;
  for (const std::size_t g : order) {
    for (const std::uint32_t r : groups.of(g)) median.add(r);
    out.deviation.push_back(median.deviation());
    out.weight.push_back(median.weight());
  }
  return out;
}

double missing_deviation(const RankedRows& node, const Groups& groups) {
  RunningMedian median(node);
  for (const std::uint32_t r : groups.of(0)) median.add(r);
  return median.deviation();
}

}  // namespace

RankedRows Deviation::ranked(std::span<const Row> rows) const {
  RankedRows out{.rows = rows,
                 .rank = std::vector<std::uint32_t>(rows.size()),
                 .value = std::vector<std::int64_t>(rows.size()),
                 .weight = std::vector<std::int64_t>(rows.size())};
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(fixed->value[rows[i]], rows[i]); });
  RunningMedian median(out);
  for (std::uint32_t r = 0; r < order.size(); ++r) {
    out.rank[order[r]] = r;
    out.value[r] = fixed->value[rows[order[r]]];
    out.weight[r] = part(rows[order[r]]);
    median.add(r);
  }
  out.deviation = median.deviation();
  return out;
}

void Deviation::scan(const RankedRows& node, const BinnedColumn& x, std::uint32_t column, MissingRule rule,
                     Greedy& choose) const {
  const Groups groups = grouped(node, x);
  const bool ignored = groups.code[0] == 0 && rule == MissingRule::Surrogates;  // the missing values
  const bool gaps = groups.code[0] == 0 && !ignored;
  std::vector<std::size_t> order;
  for (std::size_t g = gaps || ignored ? 1 : 0; g < groups.code.size(); ++g) order.push_back(g);
  if (order.empty() || order.size() + (gaps ? 1 : 0) < 2) return;
  const bool levels = x.type == ColumnType::Category;
  if (levels) std::ranges::sort(order, {}, [&](std::size_t g) { return std::pair(median_of(node, groups.of(g)), g); });
  const std::vector<std::size_t> backwards(order.rbegin(), order.rend());
  std::int64_t all = std::accumulate(node.weight.begin(), node.weight.end(), std::int64_t{0});
  for (const std::uint32_t r : ignored ? groups.of(0) : std::span<const std::uint32_t>{}) all -= node.weight[r];
  std::int64_t missing = 0;
  for (const std::uint32_t r : gaps ? groups.of(0) : std::span<const std::uint32_t>{}) missing += node.weight[r];
  std::size_t taken = 0;
  for (const bool missing_left : {true, false}) {
    if (!missing_left && !gaps) break;
    const Side left = run(node, groups, order, gaps && missing_left);
    const Side right = run(node, groups, backwards, gaps && !missing_left);
    const std::size_t cuts = order.size() - (missing_left || rule == MissingRule::Majority ? 1 : 0);
    for (std::size_t i = 0; i < cuts; ++i) {
      const double wl = static_cast<double>(left.weight[i]) * unit(),
                   wr = static_cast<double>(all - left.weight[i]) * unit(),
                   gone = static_cast<double>(missing) * unit();
      if (!choose.admits(wl, wr)) continue;
      const bool left_is_heavier = missing_left ? wl - gone >= wr : wl >= wr - gone;  // counting values only
      if (rule == MissingRule::Majority && gaps && missing_left != left_is_heavier) continue;
      // The last cut leaves only the missing rows on the right.
      const double rest =
          i + 1 < order.size() ? right.deviation[order.size() - 2 - i] : missing_deviation(node, groups);
      const double whole = ignored ? -left.deviation.back() * grid() : score(node);
      Split* split = choose.offer({-left.deviation[i] * grid(), -rest * grid(), whole, wl, wr});
      if (split == nullptr) continue;
      split->column = column;
      split->left_sums.assign(1, left.weight[i]);
      split->missing_left = gaps ? missing_left : left_is_heavier;
      split->bin = groups.code[order[i]];
      split->next = i + 1 < order.size() ? groups.code[order[i + 1]] : 0;
      taken = i + 1;
    }
  }
  if (!levels || taken == 0) return;
  choose.chosen.set = true;
  choose.chosen.left.clear();
  for (std::size_t i = 0; i < taken; ++i)
    choose.chosen.left.push_back(static_cast<std::uint16_t>(groups.code[order[i]] - 1));
  std::ranges::sort(choose.chosen.left);
}

}  // namespace wald
