#include "model/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/text.h"

namespace wald {
namespace {

constexpr std::size_t kNamesShown = 8;  // of the columns that are missing

template <class... F>
struct Cases : F... {
  using F::operator()...;
};

using Codes = std::unordered_map<std::string_view, std::int32_t>;

Codes codes_of(const std::vector<std::string>& levels) {
  Codes codes(levels.size());
  for (const std::string& level : levels) codes.emplace(level, static_cast<std::int32_t>(codes.size()));
  return codes;
}

// --- columns that are not there -------------------------------------------------------------------------------------

Error lacks(const std::vector<std::string_view>& wanted, const Table& table) {
  std::vector<std::string> present;
  for (const Column& column : table.columns) present.push_back(column.name);
  std::string list;
  for (std::size_t i = 0; i < std::min(wanted.size(), kNamesShown); ++i) {
    const std::string near = nearest(wanted[i], present);
    list += fmt::format("{}'{}'", i == 0 ? "" : ", ", printable(wanted[i]));
    if (!near.empty()) list += fmt::format(" (it has '{}')", printable(near));
  }
  if (wanted.size() > kNamesShown) list += fmt::format(" and {} more", wanted.size() - kNamesShown);
  return bad_data(fmt::format("{} lacks {} that the model needs: {}", printable(table.source, 300),
                              wanted.size() == 1 ? "a column" : plural(wanted.size(), "column"), list),
                  "name the columns as in training; their order is free");
}

// --- words where the model wants numbers ----------------------------------------------------------------------------

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

Result<Cells> numbers_from(const Field& field, const Categories& words, const Table& table) {
  Coded out{words.code, {kMissing}};
  std::vector<bool> is_number{true};
  for (const std::string& level : words.level) {
    const auto value = number_in(level);
    is_number.push_back(value.has_value());
    out.cell.push_back(value.value_or(kMissing));
  }
  const auto word = std::ranges::find_if(words.code, [&](std::int32_t code) { return !is_number[code + 1]; });
  if (word == words.code.end()) return Cells(std::move(out));
  return bad_data(fmt::format("{}, row {}: column '{}' must hold numbers, as in training, but has '{}'",
                              printable(table.source, 300), word - words.code.begin() + 1, printable(field.name),
                              printable(words.level[*word])),
                  "correct the value, leave it empty if it is unknown, or train the model again with this data");
}

// --- levels ---------------------------------------------------------------------------------------------------------

// fate: what becomes of them; empty = the trees take them for missing.
std::string warning(const Field& field, const Unseen& unseen, std::uint64_t rows, std::string_view fate) {
  const std::string which = unseen.level.size() == 1
                                ? fmt::format("level '{}', unseen in training", printable(unseen.level[0]))
                                : fmt::format("{} unseen in training, the first '{}'",
                                              plural(unseen.level.size(), "level"), printable(unseen.level[0]));
  const std::string share = short_text(100.0 * static_cast<double>(unseen.rows) / static_cast<double>(rows));
  return fmt::format("column '{}': {} ({} %) {} {}; {}", printable(field.name), plural(unseen.rows, "row"), share,
                     unseen.rows == 1 ? "has" : "have", which,
                     !fate.empty()      ? fate
                     : unseen.rows == 1 ? "it follows the missing branch"
                                        : "they follow the missing branch");
}

Cells levels_from(const Field& field, const Categories& words, Unseen& unseen) {
  const Codes codes = codes_of(field.level);
  Coded out{words.code, {kMissing}};
  std::vector<bool> met(words.level.size());
  bool all_known = true;
  for (const std::string& level : words.level) {
    const auto found = codes.find(level);
    all_known = all_known && found != codes.end();
    out.cell.push_back(found == codes.end() ? kMissing : found->second);
  }
  if (all_known) return out;
  for (const std::int32_t code : words.code) {
    if (code < 0 || !std::isnan(out.cell[code + 1])) continue;
    ++unseen.rows;
    if (!met[code]) unseen.level.push_back(words.level[code]);
    met[code] = true;
  }
  return out;
}

// Numbers where the model wants categories: a number stands for its shortest text.
Cells levels_from(const Field& field, const Numbers& numbers, Unseen& unseen) {
  const Codes codes = codes_of(field.level);
  std::unordered_set<std::string> strange;
  std::vector<double> cells(numbers.size());
  numbers.copy(0, cells.size(), cells.data());
  for (double& cell : cells) {
    if (std::isnan(cell)) continue;
    const std::string text = exact_text(cell == 0 ? 0.0 : cell);
    const auto found = codes.find(text);
    cell = found == codes.end() ? kMissing : found->second;
    if (found != codes.end()) continue;
    ++unseen.rows;
    if (strange.insert(text).second) unseen.level.push_back(text);
  }
  return Array<double>(std::move(cells));
}

Result<Cells> cells_from(const Field& field, const Column& column, const Table& table, Unseen& unseen) {
  if (field.type == ColumnType::Category)
    return std::visit([&](const auto& data) { return levels_from(field, data, unseen); }, column.data);
  if (column.type() == ColumnType::Category) return numbers_from(field, column.categories(), table);
  const Numbers& numbers = column.numbers();
  if (!numbers.is_plain()) return Cells(&numbers);
  return Cells(Array<double>(numbers.doubles(), nullptr));
}

}  // namespace

const double* cells_of(const Cells& cells, std::size_t begin, std::size_t end, double* room) {
  return std::visit(Cases{[&](const Array<double>& doubles) { return doubles.data() + begin; },
                          [&](const Numbers* numbers) -> const double* {
                            numbers->copy(begin, end, room);
                            return room;
                          },
                          [&](const Coded& coded) -> const double* {
                            const double* cell = coded.cell.data() + 1;
                            for (std::size_t row = begin; row < end; ++row) room[row - begin] = cell[coded.code[row]];
                            return room;
                          }},
                    cells);
}

Result<Matched> match(const Schema& schema, const Table& table) {
  std::unordered_map<std::string_view, const Column*> by_name(table.columns.size());
  for (const Column& column : table.columns) by_name.emplace(column.name, &column);
  std::vector<std::string_view> absent;
  for (const Field& field : schema.columns)
    if (!by_name.contains(field.name)) absent.push_back(field.name);
  if (!absent.empty()) return lacks(absent, table);
  Matched out;
  out.columns.reserve(schema.columns.size());
  for (const Field& field : schema.columns) {
    Unseen unseen{.column = out.columns.size()};
    auto cells = cells_from(field, *by_name.at(field.name), table, unseen);
    if (!cells) return cells.error();
    out.columns.push_back(*std::move(cells));
    if (unseen.rows > 0) out.unseen.push_back(std::move(unseen));
  }
  return out;
}

void add(std::vector<Unseen>& all, const std::vector<Unseen>& more) {
  for (const Unseen& unseen : more) {
    const auto at = std::ranges::lower_bound(all, unseen.column, {}, &Unseen::column);
    if (at == all.end() || at->column != unseen.column) {
      all.insert(at, unseen);
      continue;
    }
    at->rows += unseen.rows;
    std::unordered_set<std::string_view> met(at->level.begin(), at->level.end());
    std::vector<std::string> fresh;
    for (const std::string& level : unseen.level)
      if (!met.contains(level)) fresh.push_back(level);
    at->level.insert(at->level.end(), fresh.begin(), fresh.end());
  }
}

std::vector<std::string> warnings_of(const Model& model, const std::vector<Unseen>& all, std::uint64_t rows) {
  std::vector<std::string> out;
  for (const Unseen& unseen : all) {
    const Field& field = input_columns(model)[unseen.column];
    const std::optional<std::string_view> fate = fate_of_unseen(model.preparation, field.name);
    if (fate) out.push_back(warning(field, unseen, rows, *fate));
  }
  return out;
}

}  // namespace wald
