// A node while it may still be split, and what a criterion can be asked beyond its concept.
#pragma once
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
#include "tree/partition.h"
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
  Placed placed;   // once it is divided by surrogates
  CodesSeen seen;  // of the column of its split, once divided by a set that missing values are in
  std::size_t rows() const { return last - first; }
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
