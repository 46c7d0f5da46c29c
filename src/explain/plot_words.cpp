#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text.h"
#include "explain/plot.h"
#include "explain/words.h"
#include "model/cells.h"

namespace wald {

std::string cell_words(const Model& model, const Table& table, std::size_t column, Row row) {
  const Column* found = table.find(model.schema.columns[column].name);
  if (found == nullptr) return "missing";
  if (found->type() == ColumnType::Number) {
    const double x = found->numbers()[row];
    return std::isnan(x) ? "missing" : value_text(x);
  }
  const std::int32_t code = found->categories().code[row];
  return code < 0 ? "missing" : printable(found->categories().level[code], 24);
}

std::vector<double> column_cells(const Model& model, const Table& table, std::size_t column) {
  std::vector<double> out(table.rows, kMissing);
  const auto matched = match(model.schema, table);
  if (!matched) return out;
  const double* cell = cells_of(matched->columns[column], 0, table.rows, out.data());
  if (cell != out.data()) std::copy(cell, cell + table.rows, out.data());
  return out;
}

std::vector<std::size_t> largest(std::span<const double> sizes, std::size_t most) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return std::abs(sizes[a]) > std::abs(sizes[b]); });
  order.resize(std::min(order.size(), most));
  return order;
}

}  // namespace wald
