#include "table/features.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "table/notes.h"

namespace wald {
namespace {

using Names = std::vector<std::string>;

constexpr Row kFewRows = 10;    // below this many, unlike values are no sign of an identifier
constexpr Row kSequence = 100;  // from this many on, 0, 1, 2 ... is a row number whatever it is called

bool contains(const Names& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

enum class Use { Feature, Empty, Constant, Identifier };

struct Spread {
  std::uint64_t missing = 0;
  bool any = false, varies = false;
};

template <class T, class Missing>
void spread(std::span<const T> cells, Missing missing, Spread& out, T& first) {
  for (const T cell : cells) {
    const bool gone = missing(cell);
    out.missing += gone;
    if (!gone && !out.any) out.any = true, first = cell;
    out.varies |= !gone && cell != first;
  }
}

Spread spread(const Column& column) {
  Spread out;
  std::int32_t first = 0;
  if (column.type() == ColumnType::Category) {
    spread<std::int32_t>(column.categories().code, [](std::int32_t code) { return code < 0; }, out, first);
    return out;
  }
  const Numbers& numbers = column.numbers();
  if (numbers.is_decimal()) {
    spread(numbers.digits(), [](std::int32_t d) { return d == Numbers::kNone; }, out, first);
    return out;
  }
  double first_number = 0;
  std::array<double, 1024> room;
  for (std::size_t begin = 0; begin < numbers.size(); begin += room.size()) {
    const std::size_t end = std::min(numbers.size(), begin + room.size());
    numbers.copy(begin, end, room.data());
    spread<double>({room.data(), end - begin}, [](double v) { return std::isnan(v); }, out, first_number);
  }
  return out;
}

bool all_different(const Categories& words) {
  std::vector<bool> seen(words.level.size());
  for (const std::int32_t code : words.code) {
    if (seen[code]) return false;
    seen[code] = true;
  }
  return true;
}

// 0, 1, 2 ... or 1, 2, 3 ... in the order of the rows.
bool counts_rows(const Numbers& numbers) {
  const double first = numbers[0];
  if (first != 0 && first != 1) return false;
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i] != first + static_cast<double>(i)) return false;
  return true;
}

bool all_different_whole(const Numbers& numbers) {
  std::vector<double> values = numbers.to_doubles();
  if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v) && v == std::floor(v); })) return false;
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}

bool identifies(const Column& column, Row rows) {
  if (rows < kFewRows) return false;
  if (column.type() == ColumnType::Category)
    return column.categories().level.size() >= rows && all_different(column.categories());
  const Numbers& numbers = column.numbers();
  if (rows >= kSequence && counts_rows(numbers)) return true;
  return named_like_identifier(column.name) && all_different_whole(numbers);
}

Use use_of(const Column& column, Row rows, const Roles& roles) {
  const Spread s = spread(column);
  if (contains(roles.known, column.name)) return Use::Feature;
  if (!s.any) return Use::Empty;
  if (!s.varies && s.missing == 0) return Use::Constant;  // where a value is missing may itself tell something
  if (contains(roles.keep, column.name) || s.missing > 0) return Use::Feature;
  return identifies(column, rows) ? Use::Identifier : Use::Feature;
}

void note_left_out(Names& notes, const Names& names, std::string_view why, std::string_view cure) {
  if (names.empty()) return;
  notes.push_back(fmt::format("column{} {} {} left out: {}{}", names.size() == 1 ? "" : "s", listed(names),
                              names.size() == 1 ? "was" : "were", why, cure));
}

}  // namespace

std::uint64_t missing_cells(const Table& table) {
  std::uint64_t out = 0;
  for (const Column& column : table.columns) out += spread(column).missing;
  return out;
}

bool named_like_identifier(std::string_view name) {
  static constexpr std::array<std::string_view, 12> words{"id",  "uuid",  "guid",   "key",        "index",      "idx",
                                                          "row", "rowid", "rownum", "row_number", "row number", "nr"};
  static constexpr std::array<std::string_view, 6> endings{"_id", "-id", " id", ".id", "_key", "_uuid"};
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (std::ranges::find(words, lower) != words.end() || lower.starts_with("id_")) return true;
  if (std::ranges::any_of(endings, [&](std::string_view e) { return lower.ends_with(e); })) return true;
  // PassengerId, customerID
  return (name.ends_with("Id") || name.ends_with("ID")) && name.size() > 2 && name[name.size() - 3] >= 'a' &&
         name[name.size() - 3] <= 'z';
}

Status choose_features(Table table, const Roles& roles, Task& task) {
  std::vector<Column> candidates;
  for (Column& column : table.columns) {
    if (!roles.no_target && (column.name == roles.target || contains(roles.more_targets, column.name))) continue;
    if (column.name == roles.weight || column.name == roles.query || contains(roles.ignore, column.name) ||
        contains(roles.beside, column.name))
      task.left_out.push_back(column.name);
    else candidates.push_back(std::move(column));
  }
  if (candidates.empty())
    return bad_data(
        fmt::format("{} has no columns to learn {} from", printable(table.source, 300), quoted_name(roles.target)),
        "give at least one column besides the target");
  std::vector<Use> use;
  for (const Column& column : candidates) use.push_back(use_of(column, table.rows, roles));
  // Something must stay: identifiers rather than nothing, useless columns rather than none at all.
  const auto none = [&](Use u) { return std::ranges::find(use, u) == use.end(); };
  if (none(Use::Feature)) std::ranges::replace(use, Use::Identifier, Use::Feature);
  if (none(Use::Feature)) {
    std::ranges::fill(use, Use::Feature);
    task.notes.push_back("no column varies, so the model can only say the same of every row");
  }
  Names empty, constant, identifier;
  std::vector<Column> features;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (use[i] == Use::Feature) {
      features.push_back(std::move(candidates[i]));
      continue;
    }
    task.left_out.push_back(candidates[i].name);
    (use[i] == Use::Empty ? empty : use[i] == Use::Constant ? constant : identifier).push_back(candidates[i].name);
  }
  note_left_out(task.notes, identifier, "a different value on every row",
                identifier.empty() ? "" : fmt::format(" (--keep {} to use it)", printable(identifier[0])));
  note_left_out(task.notes, empty, "no value in any row", "");
  note_left_out(task.notes, constant, "one value in every row", "");
  table.columns = std::move(features);
  task.x = std::move(table);
  return Done{};
}

}  // namespace wald
