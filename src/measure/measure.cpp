#include "wald/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/check.h"
#include "core/text.h"
#include "learn/assemble.h"
#include "measure/measures.h"
#include "table/notes.h"
#include "table/query.h"
#include "table/weights.h"
#include "wald/learn.h"

namespace wald {
namespace {

constexpr std::size_t kShown = 5;  // names an error lists

Error no_target(const Table& table, const std::string& target, const std::vector<Row>& rows) {
  return bad_data(fmt::format("{}: target '{}' is missing in {}", printable(table.source, 300), printable(target),
                              row_list(table, rows)),
                  "fill in the true values, or leave those rows out");
}

std::optional<double> as_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

// The class a cell names: by its bytes, or, where both are numbers, by value ("1.0" is "1").
std::int32_t class_of(const std::string& text, const std::vector<std::string>& classes) {
  for (std::size_t k = 0; k < classes.size(); ++k)
    if (classes[k] == text) return static_cast<std::int32_t>(k);
  if (const auto number = as_number(text))
    for (std::size_t k = 0; k < classes.size(); ++k)
      if (as_number(classes[k]) == number) return static_cast<std::int32_t>(k);
  return -1;
}

Error unknown_class(const Table& table, const Field& target, Row row, const std::string& text) {
  return bad_data(
      fmt::format("{}: {}: '{}' is not a class of the model's target '{}' (it knows {})", printable(table.source, 300),
                  row_text(table, row), printable(text), printable(target.name),
                  [&] {
                    std::string names;
                    for (std::size_t k = 0; k < target.level.size() && k < kShown; ++k)
                      names += fmt::format("{}{}", k ? ", " : "", printable(target.level[k]));
                    return target.level.size() > kShown ? names + ", ..." : names;
                  }()),
      "leave such rows out, or train on a table that has that class");
}

Result<Target> classes_of(const Column& column, const Table& table, const Field& target) {
  Classes classes{.code = std::vector<std::int32_t>(table.rows), .name = target.level};
  std::vector<Row> missing;
  const auto put = [&](Row row, std::int32_t code) { classes.code[row] = code; };
  if (column.type() == ColumnType::Number) {
    for (Row row = 0; row < table.rows; ++row) {
      const double value = column.numbers()[row];
      if (std::isnan(value)) missing.push_back(row);
      else if (const auto code = class_of(exact_text(value), target.level); code >= 0) put(row, code);
      else return unknown_class(table, target, row, exact_text(value));
    }
  } else {
    const Categories& cells = column.categories();
    std::vector<std::int32_t> code(cells.level.size());
    for (std::size_t k = 0; k < code.size(); ++k) code[k] = class_of(cells.level[k], target.level);
    for (Row row = 0; row < table.rows; ++row) {
      const std::int32_t cell = cells.code[row];
      if (cell < 0) missing.push_back(row);
      else if (code[cell] >= 0) put(row, code[cell]);
      else return unknown_class(table, target, row, cells.level[cell]);
    }
  }
  if (!missing.empty()) return no_target(table, target.name, missing);
  return Target(std::move(classes));
}

Result<Target> numbers_of(const Column& column, const Table& table) {
  if (column.type() != ColumnType::Number)
    return bad_data(fmt::format("{}: the target '{}' holds words, but the model predicts numbers",
                                printable(table.source, 300), printable(column.name)),
                    "give a table whose target column holds numbers");
  std::vector<double> values = column.numbers().to_doubles();
  std::vector<Row> missing;
  for (Row row = 0; row < table.rows; ++row) {
    if (std::isnan(values[row])) missing.push_back(row);
    else if (std::isinf(values[row]))
      return bad_data(fmt::format("{}: {}: the target '{}' is infinite", printable(table.source, 300),
                                  row_text(table, row), printable(column.name)),
                      "errors from infinity have no size; leave the row out");
  }
  if (!missing.empty()) return no_target(table, column.name, missing);
  return Target(std::move(values));
}

std::vector<std::vector<double>> confusion_of(const Classes& y, const Predictions& p, std::span<const double> weight) {
  const std::size_t classes = y.name.size();
  std::vector<std::vector<double>> counts(classes, std::vector<double>(classes));
  for (std::size_t row = 0; row < y.code.size(); ++row)
    counts[y.code[row]][p.label[row]] += weight.empty() ? 1.0 : weight[row];
  return counts;
}

// The mean over the targets, then each target's own.
std::vector<Measure> measures_of_several(const Schema& schema, const Predictions& p, const std::vector<double>& first,
                                         std::span<const std::vector<double>> more, std::span<const double> weight) {
  const std::vector<std::string> names = schema.target_names();
  WALD_CHECK(names.size() == 1 + more.size() && p.value.size() == p.rows * names.size());
  std::vector<Measure> mean, each;
  for (std::size_t t = 0; t < names.size(); ++t) {
    const auto own = measures_of_numbers(column_of(p.value, names.size(), t), t == 0 ? first : more[t - 1], weight);
    if (t == 0) mean = own;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (t > 0) mean[i].value += own[i].value;
      each.push_back({fmt::format("{}({})", own[i].name, names[t]), own[i].value});
    }
  }
  for (Measure& m : mean) m.value /= static_cast<double>(names.size());
  mean.insert(mean.end(), each.begin(), each.end());
  return mean;
}

}  // namespace

Result<std::vector<std::vector<double>>> more_targets_of(const Model& model, const Table& table) {
  std::vector<std::vector<double>> out;
  for (const std::string& name : model.schema.more_targets) {
    const Column* column = table.find(name);
    if (column == nullptr)
      return bad_data(
          fmt::format("{} has no column '{}', a target of the model", printable(table.source, 300), printable(name)),
          "measuring needs the true values; give a table that has them");
    auto y = numbers_of(*column, table);
    if (!y) return y.error();
    out.push_back(std::move(std::get<0>(*y)));
  }
  return out;
}

Measuring measuring_for(const Model& model, std::vector<std::uint32_t> query) {
  const auto option = [&](const char* name) {
    const auto found = model.made.options.find(name);
    return found == model.made.options.end() ? std::string() : found->second;
  };
  Measuring out{.query = std::move(query),
                .ranks = model.curve.measure == "ndcg" || model.curve.measure == "map",
                .survival = option("loss") == "cox"};
  if (option("loss") == "quantile" || option("leaf") == "quantile")
    out.quantile = as_number(option("quantile")).value_or(0.5);
  out.rank_at = static_cast<std::size_t>(as_number(option("rank-at")).value_or(10));
  return out;
}

const Measure* Measures::find(std::string_view name) const {
  for (const Measure& m : list)
    if (m.name == name) return &m;
  return nullptr;
}

namespace {

bool learns_target(const std::string& learner) {
  return std::ranges::none_of(learners(), [&](const LearnerInfo& l) { return l.name == learner && !l.needs_target; });
}

}  // namespace

Result<Target> target_of(const Model& model, const Table& table) {
  const Field& target = model.schema.target;
  const Column* column = table.find(target.name);
  if (column == nullptr) {
    std::vector<std::string> names;
    for (const Column& c : table.columns) names.push_back(c.name);
    const std::string guess = did_you_mean(target.name, names);
    if (!learns_target(model.made.learner))
      return usage(
          fmt::format("learner {} knows no target, so there is nothing to measure", printable(model.made.learner)),
          fmt::format("see what it says with wald predict, or give a table with the truth in a column '{}'",
                      printable(target.name)));
    return bad_data(
        fmt::format("{} has no column '{}', the model's target", printable(table.source, 300), printable(target.name)),
        guess.empty() ? "measuring needs the true values; give a table that has them" : guess);
  }
  return target.type == ColumnType::Category ? classes_of(*column, table, target) : numbers_of(*column, table);
}

// other: as read, with columns that are not learned from.
bool same_rows(const Task& task, const Task& other) {
  if (task.x.rows != other.x.rows) return false;
  Task learned{.x = {.rows = other.x.rows}, .target = other.target, .y = other.y};
  for (const Column& column : task.x.columns) {
    const Column* found = other.x.find(column.name);
    if (found == nullptr) return false;
    learned.x.columns.push_back(*found);
  }
  return fingerprint(learned) == fingerprint(Task{.x = task.x, .target = task.target, .y = task.y});
}

Result<Task> task_like(const Task& task, Table other, const std::string& query, const std::string& weight) {
  const Model like{.schema = schema_of(task)};
  Result<Target> y = target_of(like, other);
  if (!y) return y.error();
  auto more = more_targets_of(like, other);
  if (!more) return more.error();
  if (!query.empty() && other.find(query) == nullptr)
    return bad_data(fmt::format("{} has no column '{}', which says what is ranked together",
                                printable(other.source, 300), printable(query)),
                    "give a table that has it");
  std::vector<Row> rows(other.rows);
  std::iota(rows.begin(), rows.end(), Row{0});
  auto queries = make_queries(other, query, rows);
  if (!queries) return queries.error();
  auto weights = make_weights(other, other.find(weight) == nullptr ? "" : weight, rows);
  if (!weights) return weights.error();
  Task out{.x = std::move(other),
           .target = task.target,
           .y = std::move(*y),
           .more_targets = task.more_targets,
           .more_y = std::move(*more),
           .weight = std::move(*weights),
           .query = std::move(*queries)};
  if (same_rows(task, out))
    return usage(fmt::format("--stop-on: {} has just the rows that are learned from, on which more rounds always look "
                             "better",
                             printable(out.x.source, 300)),
                 "give rows that are not in DATA, or leave it away: part of the rows is then held out by itself");
  return out;
}

Measures measure_weighted(const Schema& schema, const Predictions& p, const Target& y, std::span<const double> weight,
                          std::optional<std::int32_t> positive, std::span<const std::vector<double>> more,
                          const Measuring& how) {
  Measures out{.rows = p.rows};
  if (const auto* classes = std::get_if<Classes>(&y)) {
    WALD_CHECK(classes->code.size() == p.rows && p.label.size() == p.rows);
    out.classes = schema.target.level;
    out.confusion = confusion_of(*classes, p, weight);
    out.list = measures_of_classes(p, *classes, weight, positive.value_or(1), out.confusion);
  } else if (!more.empty()) {
    out.list = measures_of_several(schema, p, std::get<0>(y), more, weight);
  } else if (!schema.quantiles.empty()) {
    WALD_CHECK(std::get<0>(y).size() == p.rows && p.value.size() == p.rows * schema.quantiles.size());
    out.list = measures_of_quantiles(schema, p.value, std::get<0>(y), weight);
  } else if (how.survival) {
    WALD_CHECK(std::get<0>(y).size() == p.rows && p.value.size() == p.rows);
    out.list = measures_of_survival(p.value, std::get<0>(y), weight);
  } else {
    WALD_CHECK(std::get<0>(y).size() == p.rows && p.value.size() == p.rows);
    if (!how.ranks || how.query.empty()) out.list = measures_of_numbers(p.value, std::get<0>(y), weight, how.quantile);
    if (!how.query.empty()) {
      const std::vector<Measure> ranks = measures_of_ranks(p.value, std::get<0>(y), weight, how.query, how.rank_at);
      out.list.insert(out.list.end(), ranks.begin(), ranks.end());
    }
  }
  return out;
}

Measures measure(const Schema& schema, const Predictions& p, const Target& y, std::span<const std::int64_t> weight,
                 std::span<const std::vector<double>> more, const Measuring& how) {
  std::vector<double> real(weight.size());
  for (std::size_t i = 0; i < real.size(); ++i) real[i] = std::ldexp(static_cast<double>(weight[i]), -kWeightBits);
  return measure_weighted(schema, p, y, real, {}, more, how);
}

}  // namespace wald
