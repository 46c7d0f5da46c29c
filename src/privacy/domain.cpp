#include "privacy/domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "core/text.h"

namespace wald {
namespace {

std::string quoted(const std::string& name) { return fmt::format("'{}'", printable(name)); }

Error undeclared(const std::string& name, std::string_view what) {
  return privacy_refusal(
      fmt::format("what column {} may hold is {}, and looking would tell something of its rows", quoted(name), what),
      fmt::format("add to the schema, from what you know beside the data, {{\"name\": \"{0}\", \"min\": LOW, \"max\": "
                  "HIGH}} or {{\"name\": \"{0}\", \"levels\": [\"...\"]}} or {{\"name\": \"{0}\", \"ignore\": true}}, "
                  "or, if it says whose a row is, {{\"name\": \"{0}\", \"contributor\": true, \"max_rows\": K}}; "
                  "or declare its \"type\" and buy the rest: --buy bounds=0.05",
                  printable(name)));
}

Error no_such(const Table& table, const std::string& name, const Declarations& declared = {}) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  for (const Declared& column : declared.columns)  // those to be ignored are not read
    if (column.ignore) names.push_back(column.name);
  const std::string meant = did_you_mean(name, names);
  return usage(fmt::format("{} has no column {}", printable(table.source, 300), quoted(name)),
               meant.empty()
                   ? fmt::format("its columns are {}", printable(fmt::format("{}", fmt::join(names, ", ")), 300))
                   : meant);
}

double clamped(double value, const PublicColumn& known) { return std::clamp(value, known.low, known.high); }

// Codes in terms of the public levels; a word that is not among them is missing.
Categories public_levels(const Categories& words, const PublicColumn& known) {
  Categories out{.level = known.level};
  std::vector<std::int32_t> place;
  for (const std::string& level : words.level) {
    const auto at = std::ranges::lower_bound(known.level, level);
    place.push_back(at == known.level.end() || *at != level ? -1 : static_cast<std::int32_t>(at - known.level.begin()));
  }
  for (const std::int32_t code : words.code) out.code.push_back(code < 0 ? -1 : place[code]);
  return out;
}

std::vector<std::uint32_t> contributors(const Column& column) {
  std::vector<std::uint32_t> out(column.size());
  std::unordered_map<std::uint64_t, std::uint32_t> seen;
  for (std::size_t row = 0; row < column.size(); ++row) {
    // Rows of no name are taken as one party's: a name left out must not be a way round the bound.
    std::uint64_t key = ~std::uint64_t{0};
    if (column.type() == ColumnType::Category) key = static_cast<std::uint64_t>(column.categories().code[row]);
    else if (const double name = column.numbers()[row]; !std::isnan(name))
      key = std::bit_cast<std::uint64_t>(name + 0.0);
    out[row] = seen.emplace(key, static_cast<std::uint32_t>(seen.size())).first->second;
  }
  return out;
}

bool has_target(const Column& target, Row row) {
  return target.type() == ColumnType::Category ? target.categories().code[row] >= 0
                                               : !std::isnan(target.numbers()[row]);
}

Target target_values(const Column& column, std::span<const Row> rows) {
  if (column.type() == ColumnType::Category) {
    Classes out{.name = column.categories().level};
    for (const Row row : rows) out.code.push_back(column.categories().code[row]);
    return out;
  }
  std::vector<double> out;
  for (const Row row : rows) out.push_back(column.numbers()[row]);
  return out;
}

Result<const Column*> typed(const Table& table, const std::string& name, const PublicColumn& known) {
  const Column* column = table.find(name);
  if (column == nullptr) return no_such(table, name);
  if (column->type() != known.type)
    return bad_data(fmt::format("{}: column {} holds {}, not what the schema says", printable(table.source, 300),
                                quoted(name), known.type == ColumnType::Number ? "words" : "numbers"),
                    "correct the file or the schema");
  return column;
}

}  // namespace

Column in_domain(const Column& column, const PublicColumn& known) {
  if (known.open) return column;
  if (known.type == ColumnType::Category) return {column.name, public_levels(column.categories(), known)};
  std::vector<double> values = column.numbers().to_doubles();
  for (double& value : values)
    if (!std::isnan(value)) value = clamped(value, known);
  return {column.name, Numbers(std::move(values))};
}

Error privacy_refusal(std::string message, std::string cure) {
  return {ErrorKind::PrivacyRefusal, std::move(message), std::move(cure)};
}

Result<PublicColumn> public_column(const std::string& name, const Declared* declared, bool buys) {
  if (declared == nullptr) return undeclared(name, "not declared");
  PublicColumn out{.name = name, .level = declared->level};
  const bool bounds = declared->lowest && declared->highest;
  if (out.level.empty() && !bounds && buys && declared->type) {
    out.type = *declared->type, out.open = true;
    return out;
  }
  if (out.level.empty() && !bounds)
    return undeclared(name, declared->lowest || declared->highest ? "declared on one side only" : "not declared");
  if (declared->observed)
    return privacy_refusal(
        fmt::format(
            "the schema says that bounds or levels of column {} were observed, so they tell something of its rows",
            quoted(name)),
        "put public ones in their place and remove \"observed\"; or, if what they tell is of no concern, "
        "--accept-observed-bounds");
  std::ranges::sort(out.level);
  if (!out.level.empty()) out.type = ColumnType::Category;
  if (bounds) out.low = *declared->lowest, out.high = *declared->highest;
  if (bounds && !(out.low < out.high && std::isfinite(out.high - out.low)))
    return usage(fmt::format("the schema's bounds of column {} leave {}: {} to {}", quoted(name),
                             out.low < out.high ? "more room than a number can say" : "no room", exact_text(out.low),
                             exact_text(out.high)),
                 "declare min below max, not further apart than 1e308, or \"ignore\": true");
  return out;
}

namespace {

// Bounds of numbers may be bought. Classes may not: a list of them that noise made would be another task.
Result<PublicColumn> public_target(const std::string& name, const Declarations& all, bool buys) {
  const Declared* declared = all.find(name);
  if (declared == nullptr) {  // perhaps misspelt
    std::vector<std::string> names;
    for (const Declared& column : all.columns) names.push_back(column.name);
    if (const std::string guess = did_you_mean(name, names); !guess.empty())
      return privacy_refusal(fmt::format("the schema has no column {}, the target", quoted(name)), guess);
  }
  auto out = public_column(name, declared, buys && declared != nullptr && declared->type == ColumnType::Number);
  const bool open = declared == nullptr || (declared->level.empty() && !(declared->lowest && declared->highest));
  if (out || !open) return out;
  const bool classes = declared != nullptr && declared->type == ColumnType::Category;
  return privacy_refusal(
      out.error().message,
      fmt::format("it is the target: add to the schema, from what you know beside the data, {{\"name\": \"{0}\", "
                  "\"levels\": [\"...\"]}} for classes{1}",
                  printable(name),
                  classes ? ", which cannot be bought"
                          : fmt::format(" or {{\"name\": \"{0}\", \"min\": LOW, \"max\": HIGH}} for numbers; or "
                                        "{{\"name\": \"{0}\", \"type\": \"number\"}} and buy its bounds: --buy "
                                        "bounds=0.05",
                                        printable(name))));
}

// Squares of it are computed with, and what is paid for must not be lost to an overflow.
Status check_range(const PublicColumn& target) {
  constexpr double kWidest = 1e100;
  const double range = target.high - target.low;
  if (target.open || target.type != ColumnType::Number || (range <= kWidest && range >= 1 / kWidest)) return Done{};
  return usage(fmt::format("the bounds of the target {}, {} to {}, are {}", quoted(target.name), target.low,
                           target.high, range > 1 ? "further apart than 1e100" : "nearer together than 1e-100"),
               "declare bounds as near as is publicly known, or change the unit of the target");
}

}  // namespace

Result<Domain> domain_of(const PrivateTask& given, bool buys) {
  const Task& task = given.rows;
  Domain out;
  auto target = public_target(task.target, given.declared, buys);
  if (!target) return target.error();
  out.target = std::move(*target);
  if (Status sound = check_range(out.target); !sound) return sound.error();
  if (task.classifies() != (out.target.type == ColumnType::Category))
    return usage(fmt::format("the schema and the task disagree on the target {}", quoted(task.target)), "correct one");
  for (const Column& column : task.x.columns) {
    auto known = public_column(column.name, given.declared.find(column.name), buys);
    if (!known) return known.error();
    if (known->type != column.type())
      return usage(fmt::format("the schema and the task disagree on column {}", quoted(column.name)), "correct one");
    out.columns.push_back(std::move(*known));
  }
  return out;
}

namespace {

// A name that is misspelt would leave in what somebody wanted out.
Status check_ignored(const Table& table, const Declarations& declared, const PrivateRoles& roles) {
  for (const std::string& name : roles.ignore) {
    if (name == roles.target)
      return usage(fmt::format("column {} is ignored but also the target", quoted(name)), "do one of the two");
    const Declared* about = declared.find(name);
    if (table.find(name) == nullptr && (about == nullptr || !about->ignore)) return no_such(table, name, declared);
  }
  return Done{};
}

}  // namespace

Result<std::string> contributor_column(const Declarations& declared, const PrivateRoles& roles) {
  const Declared* about = declared.contributor();
  std::string out = roles.contributor.empty() && about != nullptr ? about->name : roles.contributor;
  if (about != nullptr && out != about->name)
    return usage(fmt::format("--contributor says that column {} tells whose a row is, the schema that {} does",
                             quoted(out), quoted(about->name)),
                 "leave --contributor away, or correct one of the two");
  if (!out.empty() && out == roles.target)
    return usage(fmt::format("column {} is the target and cannot say whose a row is as well", quoted(out)),
                 "name another");
  return out;
}

Result<PrivateTask> make_private_task(Table table, const Declarations& declared, const PrivateRoles& roles) {
  const Result<std::string> whose = contributor_column(declared, roles);
  if (!whose) return whose.error();
  if (Status sound = check_ignored(table, declared, roles); !sound) return sound.error();
  const auto known = public_target(roles.target, declared, roles.buys);
  if (!known) return known.error();
  const auto target = typed(table, roles.target, *known);
  if (!target) return target.error();
  if (known->type == ColumnType::Category && known->level.size() < 2)
    return usage(fmt::format("target {} has one class", quoted(roles.target)), "declare two or more levels");
  const Column y = in_domain(**target, *known);
  std::vector<Row> rows;
  for (Row row = 0; row < table.rows; ++row)
    if (has_target(y, row)) rows.push_back(row);
  PrivateTask task{.rows = {.target = roles.target, .y = target_values(y, rows)}, .declared = declared};
  Table x{.source = table.source};
  x.rows = table.rows;
  for (const Column& column : table.columns) {
    const Declared* about = declared.find(column.name);
    if (column.name == roles.target || column.name == *whose || (about != nullptr && about->ignore) ||
        std::ranges::find(roles.ignore, column.name) != roles.ignore.end())
      continue;
    const auto one = public_column(column.name, about, roles.buys);
    if (!one) return one.error();
    const auto found = typed(table, column.name, *one);
    if (!found) return found.error();
    x.columns.push_back(in_domain(**found, *one));
  }
  if (x.columns.empty()) return usage("no column is left to learn from", "ignore fewer");
  if (!whose->empty()) {
    const Column* column = table.find(*whose);
    if (column == nullptr) return no_such(table, *whose, declared);
    const std::vector<std::uint32_t> parties = contributors(*column);
    for (const Row row : rows) task.contributor.push_back(parties[row]);
  }
  task.rows.x = take_rows(x, rows);
  return task;
}

}  // namespace wald
