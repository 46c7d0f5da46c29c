#include "wald/table.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"
#include "table/number.h"

namespace wald {

Numbers::Numbers(std::vector<std::int32_t> digits, int decimals)
    : data_(std::move(digits)), decimals_(decimals), power_(power_of_ten(decimals)) {
  WALD_CHECK(decimals >= 0 && decimals <= kMaxDecimals);
}

namespace {

// A matrix may begin anywhere in memory.
template <class T>
double number_at(const Lent& lent, std::size_t row) {
  T out;
  std::memcpy(&out, lent.first + static_cast<std::ptrdiff_t>(row) * lent.step, sizeof out);
  return out;
}

template <class T>
void copy_lent(const Lent& lent, std::size_t begin, std::size_t end, double* into) {
  if (lent.rows == nullptr)
    for (std::size_t i = begin; i < end; ++i) *into++ = number_at<T>(lent, i);
  else
    for (std::size_t i = begin; i < end; ++i) *into++ = number_at<T>(lent, (*lent.rows)[i]);
}

// Two loops without a choice are vectors, one with it is not.
void copy_whole(std::span<const std::int32_t> given, double* into) {
  std::int32_t none = 0;
  for (std::size_t i = 0; i < given.size(); ++i) into[i] = given[i], none |= given[i] == Numbers::kNone;
  for (std::size_t i = 0; none != 0 && i < given.size(); ++i)
    if (given[i] == Numbers::kNone) into[i] = kMissing;
}

}  // namespace

double Lent::operator[](std::size_t row) const {
  if (rows != nullptr) row = (*rows)[row];
  return single ? number_at<float>(*this, row) : number_at<double>(*this, row);
}

std::size_t Numbers::size() const { return lent() ? lent()->size : is_plain() ? doubles().size() : digits().size(); }

double Numbers::operator[](std::size_t row) const {
  if (is_plain()) return doubles()[row];
  if (lent()) return (*lent())[row];
  const std::int32_t d = digits()[row];
  return d == kNone ? kMissing : d / power_;
}

void Numbers::copy(std::size_t begin, std::size_t end, double* into) const {
  if (is_plain()) {
    std::ranges::copy(doubles().subspan(begin, end - begin), into);
  } else if (lent()) {
    lent()->single ? copy_lent<float>(*lent(), begin, end, into) : copy_lent<double>(*lent(), begin, end, into);
  } else {
    const auto given = digits().subspan(begin, end - begin);
    // Whole numbers are what they are: a division costs more than all else here.
    if (decimals_ == 0) copy_whole(given, into);
    else
      for (const std::int32_t d : given) *into++ = d == kNone ? kMissing : d / power_;
  }
}

std::vector<double> Numbers::to_doubles() const {
  std::vector<double> out(size());
  copy(0, out.size(), out.data());
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

const Declared* Declarations::contributor() const {
  const auto at = std::ranges::find(columns, true, &Declared::contributor);
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
  if (from.is_plain()) return taken(from.doubles(), rows);
  std::vector<double> out(rows.size());
  std::ranges::transform(rows, out.begin(), [&](Row row) { return from[row]; });
  return out;
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
