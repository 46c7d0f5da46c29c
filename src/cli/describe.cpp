#include "cli/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/arguments.h"
#include "core/text.h"
#include "explain/words.h"
#include "table/features.h"

namespace wald::cli {
namespace {

constexpr std::size_t kLevelsWidth = 40, kManyLevels = 50, kFewValues = 8;
constexpr double kNearlyAll = 0.9;

void describe_numbers(const Numbers& numbers, ColumnProfile& out) {
  std::vector<double> values = numbers.to_doubles();
  const auto gone = std::remove_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  out.missing = static_cast<std::uint64_t>(values.end() - gone);
  values.erase(gone, values.end());
  std::ranges::sort(values);
  if (!values.empty()) out.low = values.front(), out.high = values.back();
  const bool whole = std::ranges::all_of(values, [](double v) { return v == std::floor(v); });
  const std::size_t rows = values.size();
  values.erase(std::unique(values.begin(), values.end()), values.end());
  out.distinct = values.size();
  if (whole && out.distinct > 2 && out.distinct <= kFewValues && rows >= 10 * kFewValues)
    out.suggestions.push_back(fmt::format(
        "only {} different whole numbers: if they are codes, declare a category in a schema", out.distinct));
}

void describe_levels(const Categories& categories, ColumnProfile& out) {
  out.missing = static_cast<std::uint64_t>(std::ranges::count(categories.code, -1));
  std::vector<bool> used(categories.level.size());
  for (std::int32_t code : categories.code)
    if (code >= 0) used[code] = true;
  for (std::size_t k = 0; k < used.size(); ++k)
    if (used[k]) out.levels.push_back(categories.level[k]);
  out.distinct = out.levels.size();
}

// A column of words in which nearly all are numbers: the few others are typing errors, or mean missing.
void suggest_number(const ColumnProfile& c, std::vector<std::string>& suggestions) {
  std::vector<std::string> words;
  for (const std::string& level : c.levels)
    if (!read_number(level)) words.push_back(level);
  const std::size_t numbers = c.levels.size() - words.size();
  if (words.empty() || numbers < 3 || static_cast<double>(numbers) < kNearlyAll * static_cast<double>(c.levels.size()))
    return;
  const std::size_t shown = std::min<std::size_t>(3, words.size());
  std::string list;
  for (std::size_t i = 0; i < shown; ++i) list += fmt::format("{}'{}'", i ? ", " : "", printable(words[i], 20));
  if (shown < words.size()) list += fmt::format(" and {} more", words.size() - shown);
  suggestions.push_back(fmt::format("nearly a number, but for {}: correct them, or --na if they mean missing", list));
}

void suggest(Row rows, ColumnProfile& c) {
  if (c.distinct == 0) {
    c.suggestions.push_back("no values: it will be left out");
    return;
  }
  if (c.distinct == 1 && c.missing == 0) c.suggestions.push_back("one value only: it will be left out");
  if (2 * c.missing > rows)
    c.suggestions.push_back(fmt::format("{:.0f} % missing", 100.0 * static_cast<double>(c.missing) / rows));
  if (c.type != ColumnType::Category) return;
  suggest_number(c, c.suggestions);
  if (c.distinct > kManyLevels && c.distinct < rows)
    c.suggestions.push_back(
        fmt::format("{} levels: rare ones tell little; group them, or --ignore the column", with_commas(c.distinct)));
}

// What train would leave out, by train's own judgement.
std::vector<std::string> left_out(const Table& table) {
  Task task;
  const Status chosen = choose_features(table, {}, task);
  if (!chosen) return {};
  return task.left_out;
}

}  // namespace

std::vector<ColumnProfile> describe_columns(const Table& table) {
  std::vector<ColumnProfile> out;
  for (const Column& column : table.columns) {
    ColumnProfile c{.name = column.name, .type = column.type()};
    if (column.type() == ColumnType::Number) describe_numbers(column.numbers(), c);
    else describe_levels(column.categories(), c);
    suggest(table.rows, c);
    out.push_back(std::move(c));
  }
  for (const std::string& name : left_out(table)) {
    ColumnProfile& c = *std::ranges::find(out, name, &ColumnProfile::name);
    c.identifier = c.distinct > 1;
    if (c.identifier) c.suggestions = {"looks like an identifier: it will be left out (--keep uses it)"};
  }
  return out;
}

std::string values_text(const ColumnProfile& c) {
  if (c.distinct == 0) return "";
  if (c.type == ColumnType::Number)
    return c.low == c.high ? value_text(c.low) : fmt::format("{} to {}", value_text(c.low), value_text(c.high));
  std::string out;
  std::size_t shown = 0;
  for (; shown < c.levels.size() && out.size() < kLevelsWidth; ++shown)
    out += fmt::format("{}{}", shown ? ", " : "", printable(c.levels[shown], 20));
  return shown < c.levels.size() ? out + ", ..." : out;
}

namespace {

// value to a whole multiple of 10^floor(log10(range)). Dividing by a power of ten that is a whole number rounds once,
// so that 0.3 is 0.3 and not three times a tenth.
double rounded(double value, double range, double (*round)(double)) {
  if (!std::isfinite(value) || !(range > 0) || !std::isfinite(range)) return value;
  const double power = std::floor(std::log10(range)), unit = std::pow(10.0, std::fabs(power));
  const double result = power < 0 ? round(value * unit) / unit : round(value / unit) * unit;
  return std::isfinite(result) ? result : value;
}

}  // namespace

double rounded_down(double value, double range) {
  return std::min(value, rounded(value, range, [](double v) { return std::floor(v); }));
}
double rounded_up(double value, double range) {
  return std::max(value, rounded(value, range, [](double v) { return std::ceil(v); }));
}

Declarations observed_schema(const std::vector<ColumnProfile>& columns) {
  Declarations out;
  for (const ColumnProfile& c : columns) {
    Declared declared{.name = c.name, .type = c.type, .ignore = c.identifier};
    if (!c.identifier) declared.level = c.levels;  // a list of persons, say, is nothing to pass on
    if (c.type == ColumnType::Number && c.low <= c.high && !c.identifier) {
      const double range = c.high > c.low ? c.high - c.low : std::fabs(c.low);
      declared.lowest = rounded_down(c.low, range);
      declared.highest = rounded_up(c.high, range);
    }
    declared.observed = declared.lowest || !declared.level.empty();
    out.columns.push_back(std::move(declared));
  }
  return out;
}

}  // namespace wald::cli
