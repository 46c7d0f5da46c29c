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

constexpr std::uint32_t kSpreadsEach = kMissingEverywhere << 16;

}  // namespace

// Sixteen kinds of node there may be by the four highest bits of `what`: those of a column are noted as bits, so that
// no branch depends on the node, and neighbours in places of their own, so that none waits for the other. A child a
// level has no way of missing values there, but a `ref` that begins with it.
Asked::Asked(const Forest& forest) : of(forest.cuts.size()) {
  constexpr std::size_t kNodesAtOnce = std::size_t{1} << 15, kApart = 4;
  parallel_for(forest.nodes.size(), kNodesAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint16_t> met(of.size() * kApart);
    for (std::size_t i = begin; i < end; ++i) {
      const Node& node = forest.nodes[i];
      const bool spreads = node.test() == Test::EachLevel && node.ref >= kSpreadsEach;
      std::uint16_t& kinds = met[node.column() * kApart + i % kApart];
      kinds = static_cast<std::uint16_t>(kinds | 1u << (node.what >> 28 | (spreads ? 8u : 0u)));
    }
    for (std::size_t c = 0; c < of.size(); ++c) {
      std::uint32_t kinds = 0;
      std::uint8_t asked = 0;
      for (std::size_t k = 0; k < kApart; ++k) kinds |= met[c * kApart + k];
      for (std::uint32_t kind = 0; kind < 16; ++kind)
        if (const Node node{kind << 28, 0, kind >= 8 ? kSpreadsEach : 0}; (kinds >> kind & 1) != 0 && !node.is_leaf())
          asked |= asked_by(node);
      std::atomic_ref(of[c]).fetch_or(asked, std::memory_order_relaxed);
    }
  });
}

bool Asked::any(What what) const {
  return std::ranges::any_of(of, [what](std::uint8_t asked) { return (asked & what) != 0; });
}

}  // namespace wald
