#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text.h"
#include "explain/plot.h"
#include "explain/words.h"
#include "model/cells.h"
#include "model/inputs.h"

namespace wald {

std::string change_words(const Model& model, std::size_t output) {
  const bool plain = !model.schema.classifies() && model.link != Link::Exponential;
  return (plain ? "change of " : "change of the ") + output_words(model, output);
}

std::string cell_words(const Model& model, const Table& table, std::size_t column, Row row, std::size_t limit) {
  const Column* found = table.find(input_columns(model)[column].name);
  if (found == nullptr) return "missing";
  if (found->type() == ColumnType::Number) {
    const double x = found->numbers()[row];
    return std::isnan(x) ? "missing" : value_text(x);
  }
  const std::int32_t code = found->categories().code[row];
  return code < 0 ? "missing" : printable(found->categories().level[code], limit);
}

std::vector<double> column_cells(const Model& model, const Table& table, std::size_t column) {
  std::vector<double> out(table.rows, kMissing);
  const auto matched = match(input_schema(model), table);
  if (!matched) return out;
  const double* cell = cells_of(matched->columns[column], 0, table.rows, out.data());
  if (cell != out.data()) std::copy(cell, cell + table.rows, out.data());
  return out;
}

Result<std::size_t> column_named(const Model& model, std::string_view name) {
  std::vector<std::string> names;
  for (const Field& field : input_columns(model)) names.push_back(field.name);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::vector<Field>& made = model.schema.columns;
  if (const auto at = std::ranges::find(made, name, &Field::name); at != made.end()) {
    std::vector<std::string> from;
    const Inputs inputs(model);
    for (const std::size_t i : inputs.of(static_cast<std::size_t>(at - made.begin())))
      from.push_back(fmt::format("'{}'", printable(names[i])));
    return usage(fmt::format("the model makes '{}' itself, of {}", printable(name), fmt::join(from, " and ")),
                 "name a column of the table");
  }
  if (name == model.schema.target.name)
    return usage(fmt::format("'{}' is what the model predicts", printable(name)), "name a column it predicts from");
  std::string cure = did_you_mean(name, names);
  return usage(fmt::format("the model has no column '{}'", printable(name)),
               cure.empty() ? "wald show MODEL lists its columns" : cure);
}

std::vector<std::size_t> frequent_levels(std::span<const double> cells, std::size_t levels, std::size_t most) {
  std::vector<double> count(levels);
  for (const double cell : cells)
    if (!std::isnan(cell)) count[static_cast<std::size_t>(cell)] += 1;
  std::vector<std::size_t> out = largest(count, most);
  std::ranges::sort(out);
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
