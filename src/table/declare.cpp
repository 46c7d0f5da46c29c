#include "table/declare.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "table/notes.h"

namespace wald {
namespace {

Error outside(const Table& table, const Column& column, std::size_t row, std::string_view why, std::string cure) {
  return bad_data(
      fmt::format("{}: {}: column {}: {} {}", printable(table.source, 300), row_text(table, static_cast<Row>(row)),
                  quoted_name(column.name), exact_text(column.numbers()[row]), why),
      std::move(cure));
}

Categories as_categories(const Numbers& numbers) {
  Categories out;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isnan(numbers[i])) out.level.push_back(exact_text(numbers[i]));
  std::ranges::sort(out.level);
  out.level.erase(std::ranges::unique(out.level).begin(), out.level.end());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto at = std::ranges::lower_bound(out.level, exact_text(numbers[i]));
    out.code.push_back(std::isnan(numbers[i]) ? -1 : static_cast<std::int32_t>(at - out.level.begin()));
  }
  return out;
}

Status apply(const Table& table, Column& column, const Declared& declared) {
  const Numbers& numbers = column.numbers();
  if (!declared.observed)
    for (std::size_t row = 0; row < numbers.size(); ++row)
      if ((declared.lowest && numbers[row] < *declared.lowest) ||
          (declared.highest && numbers[row] > *declared.highest))
        return outside(table, column, row, "is outside the declared bounds", "correct it, or the schema");
  if (declared.type != ColumnType::Category) return Done{};
  Categories categories = as_categories(numbers);
  if (!declared.observed && !declared.level.empty()) {
    std::vector<std::string> levels = declared.level;
    std::ranges::sort(levels);
    std::vector<std::int32_t> number;
    for (const std::string& level : categories.level) {
      const auto at = std::ranges::lower_bound(levels, level);
      number.push_back(at == levels.end() || *at != level ? -1 : static_cast<std::int32_t>(at - levels.begin()));
    }
    for (std::size_t row = 0; row < categories.code.size(); ++row) {
      std::int32_t& code = categories.code[row];
      if (code >= 0 && number[code] < 0)
        return outside(table, column, row, "is not a declared level", "correct it, or the schema");
      if (code >= 0) code = number[code];
    }
    categories.level = std::move(levels);
  }
  column.data = std::move(categories);
  return Done{};
}

}  // namespace

Result<Table> with_declarations(Table table, const ReadOptions& options) {
  std::erase_if(table.columns, [&](const Column& column) {
    const Declared* declared = options.declared.find(column.name);
    return declared != nullptr && declared->left_out();
  });
  for (Column& column : table.columns)
    if (const Declared* declared = options.declared.find(column.name); declared != nullptr)
      if (Status ok = apply(table, column, *declared); !ok) return ok.error();
  return table;
}

}  // namespace wald
