// What the options make of a table before a learner sees it: how it is read, and what its columns are for.
#include <fmt/format.h>

#include <algorithm>

#include "cli/fit.h"
#include "cli/reading.h"
#include "core/shell.h"
#include "core/text.h"
#include "learn/boost_loss.h"

namespace wald::cli {

Result<ReadOptions> fit_read_options(const Arguments& given) {
  Result<ReadOptions> out = read_options(given);
  if (!out || !given.has("schema")) return out;
  Result<Declarations> declared = read_declarations(given.text("schema"));
  if (!declared) return declared.error();
  out->declared = std::move(*declared);
  for (Declared& column : out->declared.columns)  // never learned from, but rows of a party may be kept together
    if (column.contributor && column.name == given.text("group"))
      column = {.name = column.name, .type = ColumnType::Category};
  return out;
}

Error no_target(std::string_view verb, const Arguments& given) {
  return usage(
      fmt::format("{} needs a target: the column to learn", verb),
      fmt::format("name it with --target COLUMN; wald profile {} lists the columns", shell_word(given.operands[0])));
}

namespace {

TaskKind kind_of(const Arguments& given, const std::string& target, const Table& table) {
  const std::string task = given.text("task");
  if (!task.empty()) return task == "classes" ? TaskKind::Classes : TaskKind::Numbers;
  return kind_said_by(given.text("loss"), table.find(target));
}

}  // namespace

Roles roles_of(const Arguments& given, const Table& table, const Declarations& declared) {
  const std::vector<std::string> targets = column_list(given, "target", table);
  std::vector<std::string> ignore = column_list(given, "ignore", table);
  std::erase_if(ignore, [&](const std::string& name) {  // by the schema already
    return std::ranges::any_of(declared.columns, [&](const Declared& d) { return d.left_out() && d.name == name; });
  });
  const std::string target = targets.empty() ? "" : targets[0];
  return {.target = target,
          .weight = given.text("weight"),
          .query = given.text("query"),
          .ignore = std::move(ignore),
          .keep = column_list(given, "keep", table),
          .kind = kind_of(given, target, table),
          .more_targets = {targets.begin() + (targets.empty() ? 0 : 1), targets.end()},
          .drop_missing_target = given.has("drop-missing-target")};
}

Status check_roles(const Task& task) {
  if (task.query.empty() || !task.classifies()) return Done{};
  return usage("--query is for ranking by numbers; the target holds classes",
               "leave it away, or name a target of numbers, without --task classes");
}

}  // namespace wald::cli
