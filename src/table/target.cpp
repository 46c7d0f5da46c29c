#include "table/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "table/notes.h"

namespace wald {
namespace {

constexpr std::size_t kMostClasses = 1000;

Error too_many_classes(const Table& table, const std::string& name, std::size_t count) {
  return bad_data(fmt::format("{}: target {} has {}; the limit is {}", printable(table.source, 300), quoted_name(name),
                              plural(count, "different value") + " to tell apart", with_commas(kMostClasses)),
                  "for numbers use --task numbers; else group rare classes, or name another target");
}

Result<Target> classes_of_words(const Table& table, const Column& column, std::span<const Row> rows) {
  const Categories& words = column.categories();
  std::vector<std::int32_t> number(words.level.size(), -1);
  for (const Row row : rows) number[words.code[row]] = 0;
  Classes out;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (number[i] < 0) continue;  // a level that no row has
    number[i] = static_cast<std::int32_t>(out.name.size());
    out.name.push_back(words.level[i]);
  }
  if (out.name.size() > kMostClasses) return too_many_classes(table, column.name, out.name.size());
  for (const Row row : rows) out.code.push_back(number[words.code[row]]);
  return Target(std::move(out));
}

std::vector<double> sorted_distinct(std::vector<double> values) {
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return values;
}

Classes classes_of_numbers(const std::vector<double>& values, const std::vector<double>& distinct) {
  Classes out;
  for (const double value : distinct) out.name.push_back(exact_text(value));
  for (const double value : values)
    out.code.push_back(static_cast<std::int32_t>(std::ranges::lower_bound(distinct, value) - distinct.begin()));
  return out;
}

// Labels 0 .. K - 1 or 1 .. K, give or take a class that no row has.
bool like_labels(const std::vector<double>& distinct) {
  if (distinct.size() > 20 || (distinct.front() != 0 && distinct.front() != 1)) return false;
  const auto whole = [](double v) { return v == std::floor(v); };
  return std::ranges::all_of(distinct, whole) && distinct.back() <= static_cast<double>(distinct.size()) + 1;
}

bool infer_classes(const std::vector<double>& distinct, const std::string& name, std::vector<std::string>& notes) {
  if (distinct.size() == 2) return true;
  if (distinct.size() < 3 || !like_labels(distinct)) return false;
  notes.push_back(
      fmt::format("target {} holds whole numbers from {} to {} and is taken as {} classes; --task numbers "
                  "takes it as numbers",
                  quoted_name(name), exact_text(distinct.front()), exact_text(distinct.back()), distinct.size()));
  return true;
}

Result<Target> target_of_numbers(const Table& table, const Column& column, TaskKind kind, std::span<const Row> rows,
                                 std::vector<std::string>& notes) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const Row row : rows) {
    values.push_back(column.numbers()[row]);
    if (std::isinf(values.back()))
      return bad_data(fmt::format("{}: target {} is infinite in {}", printable(table.source, 300),
                                  quoted_name(column.name), row_text(table, row)),
                      "correct it, or leave the row out");
  }
  if (kind == TaskKind::Numbers) return Target(std::move(values));
  const std::vector<double> distinct = sorted_distinct(values);
  if (kind == TaskKind::Infer && !infer_classes(distinct, column.name, notes)) return Target(std::move(values));
  if (distinct.size() > kMostClasses) return too_many_classes(table, column.name, distinct.size());
  return Target(classes_of_numbers(values, distinct));
}

Error words_not_numbers(const Table& table, const Column& column, std::span<const Row> rows, bool several) {
  return bad_data(fmt::format("{}: target {} holds words ({}), not numbers", printable(table.source, 300),
                              quoted_name(column.name), first_word(table, column, rows)),
                  several ? "several targets must all be numbers: name only such, and train one more model for this one"
                          : "leave out --task numbers, or correct the column");
}

// Sums keep about 49 binary digits of a target: of numbers that differ in the last of them, little is left to learn.
void warn_if_far(const std::vector<double>& numbers, const std::string& name, std::vector<std::string>& notes) {
  constexpr double kLeastSpread = 0x1p-37;  // beside the numbers' own size
  const auto [least, most] = std::ranges::minmax(numbers);
  const double size = std::fmax(std::fabs(least), std::fabs(most));
  if (least < most && most - least < size * kLeastSpread)
    notes.push_back(
        fmt::format("target {} lies between {} and {}: of such small differences beside its size not all can "
                    "be learned; subtract a constant from it",
                    quoted_name(name), exact_text(least), exact_text(most)));
}

void warn_if_constant(const Target& target, const std::string& name, std::vector<std::string>& notes) {
  if (const auto* classes = std::get_if<Classes>(&target); classes != nullptr && classes->name.size() == 1)
    notes.push_back(fmt::format("target {} has only one class, '{}': a model of it can only repeat that",
                                quoted_name(name), printable(classes->name[0])));
  const auto* numbers = std::get_if<std::vector<double>>(&target);
  if (numbers != nullptr && std::ranges::all_of(*numbers, [&](double v) { return v == numbers->front(); }))
    notes.push_back(fmt::format("target {} is {} in every row: a model of it can only repeat that", quoted_name(name),
                                exact_text(numbers->front())));
  else if (numbers != nullptr && !numbers->empty()) warn_if_far(*numbers, name, notes);
}

std::string class_shares(const Classes& classes) {
  constexpr std::size_t shown = 6;
  std::vector<std::size_t> count(classes.name.size());
  for (const std::int32_t code : classes.code) ++count[code];
  std::string out;
  for (std::size_t k = 0; k < std::min(shown, count.size()); ++k)
    out += fmt::format("{}{} {:.1f} %", k == 0 ? "" : ", ", printable(classes.name[k]),
                       100.0 * static_cast<double>(count[k]) / static_cast<double>(classes.code.size()));
  return count.size() > shown ? fmt::format("{} and {} more", out, count.size() - shown) : out;
}

}  // namespace

Result<Target> make_target(const Table& table, const Roles& roles, std::span<const Row> rows,
                           std::vector<std::string>& notes) {
  const Column& column = *table.find(roles.target);
  const bool words = column.type() == ColumnType::Category;
  if (words && roles.kind == TaskKind::Numbers)
    return words_not_numbers(table, column, rows, !roles.more_targets.empty());
  const bool ranks = roles.kind == TaskKind::Infer && !roles.query.empty();  // by numbers, whatever they look like
  const TaskKind kind = ranks ? TaskKind::Numbers : roles.kind;
  auto target = words ? classes_of_words(table, column, rows) : target_of_numbers(table, column, kind, rows, notes);
  if (target) warn_if_constant(*target, column.name, notes);
  return target;
}

std::string target_summary(const Task& task) {
  if (task.classifies())
    return fmt::format(
        "target {} has {}: {}", quoted_name(task.target),
        task.classes().name.size() == 1 ? "1 class" : fmt::format("{} classes", task.classes().name.size()),
        class_shares(task.classes()));
  if (!task.more_targets.empty()) {
    std::string names = quoted_name(task.target);
    for (const std::string& name : task.more_targets) names += ", " + quoted_name(name);
    return fmt::format("{} targets, all numbers: {}", 1 + task.more_targets.size(), names);
  }
  const auto [low, high] = std::ranges::minmax(task.numbers());
  return fmt::format("target {} is a number from {} to {}", quoted_name(task.target), short_text(low),
                     short_text(high));
}

}  // namespace wald
