#include "model/asked.h"

#include <algorithm>
#include <atomic>
#include <bit>
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

constexpr std::uint32_t kSpreadsEach = kMissingEverywhere << 16;

}  // namespace

// Sixteen kinds of node there may be by the four highest bits of `what`: that one of them asks for a column is noted in
// a byte of its own, so that no branch depends on the node and no node waits for another. A child a level has no way of
// missing values there, but a `ref` that begins with it.
Asked::Asked(const Forest& forest) : of(forest.cuts.size()) {
  constexpr std::size_t kNodesAtOnce = std::size_t{1} << 15, kKinds = 16;
  parallel_for(forest.nodes.size(), kNodesAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint8_t> met(std::max<std::size_t>(of.size(), 1) * kKinds);  // leaves ask for the first
    std::uint8_t* const kinds = met.data();
    for (const Node& node : std::span<const Node>(forest.nodes).subspan(begin, end - begin)) {
      const std::uint32_t each = static_cast<std::uint32_t>(Test::EachLevel) << 28;
      const bool spreads = node.what >= each && node.what < each + kMostColumns && node.ref >= kSpreadsEach;
      kinds[std::rotl(node.what, 4) | static_cast<std::uint32_t>(spreads) << 3] = 1;
    }
    for (std::size_t c = 0; c < of.size(); ++c) {
      std::uint8_t asked = 0;
      for (std::uint32_t kind = 0; kind < kKinds; ++kind)
        if (const Node node{kind << 28, 0, kind >= 8 ? kSpreadsEach : 0};
            met[c * kKinds + kind] != 0 && !node.is_leaf())
          asked |= asked_by(node);
      std::atomic_ref(of[c]).fetch_or(asked, std::memory_order_relaxed);
    }
  });
}

bool Asked::any(What what) const {
  return std::ranges::any_of(of, [what](std::uint8_t asked) { return (asked & what) != 0; });
}

}  // namespace wald
