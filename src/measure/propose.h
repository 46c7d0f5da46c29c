// Which options to try next. A point has a number from 0 to 1 for each option searched.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "wald/learn.h"

namespace wald {

using Point = std::vector<double>;

Settings settings_at(std::span<const SearchRange>, const Point&);
// Where these settings lie; what is no number of the range is at its middle.
Point point_of(std::span<const SearchRange>, const Settings&);

// The n-th of those drawn at random.
Point drawn_point(std::size_t dimensions, std::uint64_t seed, std::uint64_t n);
// The n-th combination of `values` values an option, in an order drawn; empty = there are no more.
Point grid_point(std::size_t dimensions, int values, std::uint64_t seed, std::uint64_t n);
// Where the good of the trials so far lie closer together than the others, by tree-structured Parzen estimators: for
// each option the density of the best quarter, divided by that of the rest. loss: of each point, less is better.
Point likely_point(std::span<const Point>, std::span<const double> loss, std::uint64_t seed, std::uint64_t n);

}  // namespace wald
