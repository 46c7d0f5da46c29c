// Which rows a round of boosting looks at.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "learn/boost.h"

namespace wald {

// Each row is drawn by itself, from (seed, round, row). Uniform: all with the same chance. Gradient: with a chance in
// proportion to the size of its derivatives, at most 1, and weighted by its inverse, which makes every sum over the
// rows right on average with the least variance (Ibragimov and Gusev 2019, "Minimal variance sampling").
struct RowSample {
  std::span<const Row> rows;     // those to look at: all that were given, or ...
  std::vector<Row> drawn, rest;  // ... those drawn of them
  std::vector<double> weight;    // per row drawn; empty = 1
};
RowSample draw_rows(std::span<const Row> rows, std::span<const double> g, std::span<const double> h,
                    std::size_t outputs, const Boost&, std::uint64_t seed, int round);

}  // namespace wald
