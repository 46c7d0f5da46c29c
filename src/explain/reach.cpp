#include "explain/reach.h"

#include <algorithm>
#include <numeric>

namespace wald {

Reach::Reach(const Model& model, const TreeView& tree)
    : model_(model), tree_(tree), order_(model.schema.columns.size()), range_(model.schema.columns.size()) {}

void Reach::enter(const NodePlace& place) {
  while (!before_.empty() && before_.size() >= place.depth) {
    range_[before_.back().column] = before_.back().range;
    before_.pop_back();
  }
  if (place.depth > 0) {
    const Node& parent = tree_.nodes[place.parent];
    before_.push_back({parent.column(), range_[parent.column()]});
    const Range range = range_[parent.column()] = part(parent, middle_[place.depth - 1], place.branch);
    const std::int32_t* const order = order_[parent.column()].data();
    came_.assign(order + range.begin, order + range.end);
  }
  middle_.resize(place.depth);
  middle_.push_back(divide(tree_.nodes[place.node]));
  place_ = place;
}

std::size_t Reach::divide(const Node& node) {
  if (node.is_leaf() || node.test() == Test::Threshold) return 0;
  std::vector<std::int32_t>& order = order_[node.column()];
  Range& range = range_[node.column()];
  if (order.empty()) {
    order.resize(model_.schema.columns[node.column()].level.size());
    std::iota(order.begin(), order.end(), 0);
    range = {0, order.size()};
  }
  const auto levels = std::span(order).subspan(range.begin, range.end - range.begin);
  if (!std::ranges::is_sorted(levels)) std::ranges::sort(levels);
  if (node.test() == Test::EachLevel) return 0;
  const auto rest = std::ranges::stable_partition(
      levels, [&](std::int32_t level) { return model_.forest().set_has(node.ref, level); });
  return range.end - rest.size();
}

Reach::Range Reach::part(const Node& node, std::size_t middle, std::uint32_t branch) const {
  const Range all = range_[node.column()];
  if (node.test() == Test::Threshold) return all;
  if (node.test() == Test::Set) return branch == 0 ? Range{all.begin, middle} : Range{middle, all.end};
  const std::int32_t* const order = order_[node.column()].data();
  const auto found = std::lower_bound(order + all.begin, order + all.end, static_cast<std::int32_t>(branch));
  const auto at = static_cast<std::size_t>(found - order);
  return {at, at < all.end && *found == static_cast<std::int32_t>(branch) ? at + 1 : at};
}

std::span<const std::int32_t> Reach::levels(std::uint32_t branch) const {
  const Node& node = tree_.nodes[place_.node];
  const Range range = part(node, middle_.back(), branch);
  return std::span(order_[node.column()]).subspan(range.begin, range.end - range.begin);
}

}  // namespace wald
