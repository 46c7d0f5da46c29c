#include "model/walk.h"

#include "model/asked.h"

namespace wald {

Walker::Walker(const Forest& forest) : Walker(forest, Asked(forest)) {}
Walker::Walker(const Forest& forest, const Asked& asked) : forest_(forest), spread_(forest.trees()) {
  for (const auto& cuts : forest.cuts) cuts_.push_back(cuts.data());
  if (!asked.any(Asked::kSpreads)) return;
  const auto spreads = [](const Node& node) { return !node.is_leaf() && node.missing() == kMissingEverywhere; };
  for (std::size_t t = 0; t < forest.trees(); ++t)
    if (std::ranges::any_of(forest.tree(t).nodes, spreads)) spread_[t] = covers(forest.tree(t));
}

// The first child comes from the stack first.
void Walker::push_children(std::span<const double> cover, const Node& node, double share, std::vector<Reached>& open) {
  double total = 0;
  for (std::uint32_t w = 0; w < node.ways(); ++w) total += cover[node.child + w];
  for (std::uint32_t w = node.ways(); w-- > 0;) {
    const double part = total > 0 ? cover[node.child + w] / total : 1.0 / node.ways();
    if (part > 0) open.push_back({node.child + w, share * part});
  }
}

}  // namespace wald
