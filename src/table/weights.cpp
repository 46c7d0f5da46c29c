#include "table/weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/fixed.h"
#include "core/text.h"
#include "table/notes.h"

namespace wald {
namespace {

Status check(const Table& table, const Column& column, std::span<const Row> rows) {
  const std::string where = printable(table.source, 300);
  if (column.type() != ColumnType::Number)
    return bad_data(fmt::format("{}: weight {} holds words ({}), not numbers", where, quoted_name(column.name),
                                first_word(table, column, rows)),
                    "correct it, or name a column of numbers");
  for (const Row row : rows) {
    const double w = column.numbers()[row];
    if (w >= 0 && std::isfinite(w)) continue;
    const std::string what = std::isnan(w) ? "is missing" : "is " + exact_text(w);
    return bad_data(fmt::format("{}: weight {} {} in {}", where, quoted_name(column.name), what, row_text(table, row)),
                    "weights are finite numbers, 0 or more");
  }
  return Done{};
}

}  // namespace

// The sum is of integers, so that it does not depend on the order of the rows.
std::vector<std::int64_t> scaled_weights(std::span<const double> weight) {
  const double largest = *std::ranges::max_element(weight);
  const int bits = grid_bits(1, weight.size());
  std::int64_t sum = 0;
  for (const double w : weight) sum += to_fixed(w / largest, bits);
  const auto counting = weight.size() - static_cast<std::size_t>(std::ranges::count(weight, 0.0));
  const double scale = static_cast<double>(counting) / from_fixed(sum, bits);
  std::vector<std::int64_t> out;
  for (const double w : weight) out.push_back(to_fixed(w / largest * scale, kWeightBits));
  return out;
}

Result<std::vector<std::int64_t>> make_weights(const Table& table, const std::string& name, std::span<const Row> rows) {
  std::vector<std::int64_t> out;
  if (name.empty()) return out;
  const Column& column = *table.find(name);
  if (Status ok = check(table, column, rows); !ok) return ok.error();
  const Numbers& numbers = column.numbers();
  double largest = 0, smallest = numbers[rows[0]];
  for (const Row row : rows) {
    largest = std::max(largest, numbers[row]);
    smallest = std::min(smallest, numbers[row]);
  }
  if (largest == 0)
    return bad_data(fmt::format("{}: weight {} is 0 in every row", printable(table.source, 300), quoted_name(name)),
                    "give some row a weight");
  if (largest == smallest) return out;
  std::vector<double> weight;
  for (const Row row : rows) weight.push_back(numbers[row]);
  return scaled_weights(weight);
}

}  // namespace wald
