#include "wald/table.h"

#include <algorithm>

#include "core/check.h"
#include "table/number.h"

namespace wald {

Numbers::Numbers(std::vector<std::int32_t> digits, int decimals)
    : data_(std::move(digits)), decimals_(decimals), power_(power_of_ten(decimals)) {
  WALD_CHECK(decimals >= 0 && decimals <= kMaxDecimals);
}

std::size_t Numbers::size() const { return is_decimal() ? digits().size() : doubles().size(); }

double Numbers::operator[](std::size_t row) const {
  if (!is_decimal()) return doubles()[row];
  const std::int32_t d = digits()[row];
  return d == kNone ? kMissing : d / power_;
}

std::vector<double> Numbers::to_doubles() const {
  if (!is_decimal()) return std::get<0>(data_);
  std::vector<double> out(size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = (*this)[i];
  return out;
}

bool Numbers::operator==(const Numbers& other) const {
  if (size() != other.size()) return false;
  for (std::size_t i = 0; i < size(); ++i) {
    const double a = (*this)[i], b = other[i];
    if (a != b && !(std::isnan(a) && std::isnan(b))) return false;
  }
  return true;
}

const Column* Table::find(std::string_view name) const {
  const auto at = std::ranges::find(columns, name, &Column::name);
  return at == columns.end() ? nullptr : &*at;
}

const Declared* Declarations::find(std::string_view name) const {
  const auto at = std::ranges::find(columns, name, &Declared::name);
  return at == columns.end() ? nullptr : &*at;
}

namespace {

template <class T>
std::vector<T> taken(std::span<const T> from, std::span<const Row> rows) {
  std::vector<T> out;
  out.reserve(rows.size());
  for (const Row row : rows) out.push_back(from[row]);
  return out;
}

Numbers taken(const Numbers& from, std::span<const Row> rows) {
  if (from.is_decimal()) return {taken(from.digits(), rows), from.decimals()};
  return taken(from.doubles(), rows);
}

// The levels stay, also those that no taken row has: codes keep their meaning.
Categories taken(const Categories& from, std::span<const Row> rows) {
  return {taken(std::span(from.code), rows), from.level};
}

}  // namespace

Table take_rows(const Table& table, std::span<const Row> rows) {
  Table out{.rows = static_cast<Row>(rows.size()), .source = table.source, .notes = table.notes};
  for (const Column& column : table.columns)
    std::visit([&](const auto& data) { out.columns.push_back({column.name, taken(data, rows)}); }, column.data);
  return out;
}

}  // namespace wald
