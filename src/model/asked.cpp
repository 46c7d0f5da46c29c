#include "model/asked.h"

#include <algorithm>
#include <atomic>
#include <span>

#include "core/parallel.h"

namespace wald {
namespace {

Asked::What asked_by(const Node& node) {
  if (node.missing() == kMissingEverywhere) return Asked::kSpreads;
  if (node.missing() == kMissingAsks) return Asked::kAsks;
  if (node.test() == Test::EachLevel) return Asked::kEachLevel;
  if (node.test() == Test::Set) return Asked::kSet;
  return node.missing() == 0 ? Asked::kLeft : Asked::kRight;
}

}  // namespace

Asked::Asked(const Forest& forest) : of(forest.cuts.size()) {
  constexpr std::size_t kNodesAtOnce = std::size_t{1} << 15;
  parallel_for(forest.nodes.size(), kNodesAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint8_t> some(of.size());
    for (const Node& node : std::span<const Node>(forest.nodes).subspan(begin, end - begin))
      if (!node.is_leaf()) some[node.column()] |= asked_by(node);
    for (std::size_t c = 0; c < of.size(); ++c) std::atomic_ref(of[c]).fetch_or(some[c], std::memory_order_relaxed);
  });
}

bool Asked::any(What what) const {
  return std::ranges::any_of(of, [what](std::uint8_t asked) { return (asked & what) != 0; });
}

}  // namespace wald
