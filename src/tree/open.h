// A node while it may still be split, and what a criterion can be asked beyond its concept.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tree/choose.h"
#include "tree/columns.h"
#include "tree/criterion.h"
#include "tree/grow.h"
#include "tree/histogram.h"
#include "tree/surrogate.h"

namespace wald::growing {

struct Open {  // a node that may still be split
  std::uint32_t node = 0;
  int depth = 0;
  std::uint64_t path = 1;           // names the node by the way to it, whoever grows it
  std::size_t first = 0, last = 0;  // its rows
  std::vector<std::int64_t> total;
  Histogram histogram;  // empty = count when needed
  double low = -std::numeric_limits<double>::infinity(),
         high = std::numeric_limits<double>::infinity();  // of its value
  Meeting::Groups groups;                                 // that hold all columns above
  std::uint32_t above = 0;                                // the column its parent was split by
  bool pure = false;                                      // its rows' targets are all alike
  std::optional<Split> split;
  Placed placed;  // once it is divided by surrogates
  std::size_t rows() const { return last - first; }
};

// A tree on the way. What is known of a node lies together, and children side by side: it is written once and read
// once, out of order, when the nodes are numbered.
struct Grown {
  struct Node {
    TreeNode node;
    double threshold = 0, gain = 0, cover = 0;
    Range range = {};  // of its rows
  };
  int outputs = 1;
  std::vector<Node> nodes;
  std::vector<double> values;  // `outputs` a node
  std::vector<std::uint64_t> sets;
  std::vector<std::vector<StandIn>> surrogates;  // a node's; empty: no node has any

  std::span<double> values_of(std::size_t node) {
    return std::span(values).subspan(node * static_cast<std::size_t>(outputs), static_cast<std::size_t>(outputs));
  }
  std::uint32_t add(std::size_t count) {  // leaves; gives the first
    const std::size_t first = nodes.size();
    nodes.resize(first + count), values.resize(values.size() + count * static_cast<std::size_t>(outputs));
    return static_cast<std::uint32_t>(first);
  }
  // Room for the tree that so many rows can make, unless that is much: growing means copying to fresh memory.
  void reserve(std::size_t rows) {
    const std::size_t most = std::min<std::size_t>(2 * rows, 1u << 14);
    nodes.reserve(most), values.reserve(most * static_cast<std::size_t>(outputs));
  }
};

inline std::uint64_t child_path(std::uint64_t path, bool right) {
  return (path * 2 + right) * 0x9E3779B97F4A7C15u ^ path >> 29;
}

// A criterion whose node values can be held within bounds (monotone splits).
template <class C>
concept HasBounds = requires { typename C::Bounded; };
// A criterion that judges splits by the rows themselves, not by sums of them (medians).
template <class C>
concept JudgesRows = requires(const C& c, std::span<const Row> rows) { c.ranked(rows); };
// What such a one keeps of a node.
template <class C>
struct RankedOf {
  struct type {};
};
template <JudgesRows C>
struct RankedOf<C> {
  using type = decltype(std::declval<const C&>().ranked({}));
};
// A criterion that judges a split against the whole node it divides, and may refuse it (chi-square).
template <class C>
concept JudgesWithin = requires(const C& c, Sums node) {
  c.within(node);
  { c.refuses(node, 1.0) } -> std::same_as<bool>;
};

}  // namespace wald::growing
