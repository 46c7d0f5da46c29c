// Pictures of explanations, each a whole SVG file.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "explain/words.h"
#include "wald/explain.h"

namespace wald {

// "change of the probability of yes", "change of mpg".
std::string change_words(const Model&, std::size_t output);
// In this file columns are those of the table, input_columns.
// "52", "north", "missing".
std::string cell_words(const Model&, const Table&, std::size_t column, Row, std::size_t limit = 24);
// A row's cells as numbers; a category's are codes; NaN = missing.
std::vector<double> column_cells(const Model&, const Table&, std::size_t column);
// The column of that name, or an error that says which it may have been.
Result<std::size_t> column_named(const Model&, std::string_view name);
// Of the codes among the cells the most frequent, at most `most`; rising.
inline constexpr std::size_t kMostLevels = 40;
std::vector<std::size_t> frequent_levels(std::span<const double> cells, std::size_t levels, std::size_t most);
// The columns by falling size of the given numbers, at most `most`.
std::vector<std::size_t> largest(std::span<const double> sizes, std::size_t most);

// Explained must hold all rows of the table; `output` counts its outputs.
std::string beeswarm_svg(const Model&, const Table&, const Explained&, std::size_t output);
std::string waterfall_svg(const Model&, const Table&, const Explained&, Row, std::size_t output);
// A dot a row: the column's cell against its value.
std::string scatter_svg(const Model&, const Table&, const Explained&, std::size_t column, std::size_t output);
// The mean as a thick line, single rows as thin ones.
std::string dependence_svg(const Model&, const Dependence&);

struct Bar {
  std::string name;
  double value = 0, low = 0, high = 0;  // low = high: no interval
};
// left_out: how many further bars there would be.
std::string bar_svg(const std::string& title, const std::string& unit, std::span<const Bar>, std::size_t left_out = 0);

}  // namespace wald
