#include "table/query.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "table/notes.h"

namespace wald {

Result<std::vector<std::uint32_t>> make_queries(const Table& table, const std::string& name,
                                                std::span<const Row> rows) {
  std::vector<std::uint32_t> out;
  if (name.empty()) return out;
  const Column& column = *table.find(name);
  const bool words = column.type() == ColumnType::Category;
  const auto at = [&](Row r) { return words ? column.categories().code[r] : column.numbers()[r]; };
  std::vector<double> values;
  for (const Row r : rows) {
    values.push_back(at(r));
    if (std::isnan(values.back()) || (words && values.back() < 0))
      return bad_data(
          fmt::format("{}: query {} is missing in row {}", printable(table.source, 300), quoted_name(name), r + 1ull),
          "fill it in, or leave such rows out");
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (const Row r : rows)
    out.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(values, at(r)) - values.begin()));
  return out;
}

}  // namespace wald
