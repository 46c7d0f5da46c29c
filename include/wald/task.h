// A task: what to learn from what. Valid by construction: make_task refuses what no learner could use.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "wald/result.h"
#include "wald/table.h"

namespace wald {

struct Classes {
  std::vector<std::int32_t> code;  // one per row, never missing
  std::vector<std::string> name;   // numbers in order of value, words in order of bytes
  bool operator==(const Classes&) const = default;
};
using Target = std::variant<std::vector<double>, Classes>;  // finite numbers, or classes

// Weights above 0 average 1 and are whole multiples of 2^-30.
inline constexpr int kWeightBits = 30;

struct Task {
  Table x;                                  // the columns to learn from
  std::string target;                       // the target column's name
  Target y;                                 // without a target: one class for all rows
  std::vector<std::string> more_targets;    // of a task of several targets, all numbers: those after the first ...
  std::vector<std::vector<double>> more_y;  // ... and their values
  std::vector<std::int64_t> weight;         // in units of 2^-30; empty = every row weighs 1
  std::vector<std::uint32_t> query;         // for ranking: rows of one number are ranked among each other; empty = none
  std::vector<Column> beside;               // columns asked for that are not to be learned from
  std::vector<std::string> left_out;        // columns of the file that are not in x
  std::vector<std::string> notes;           // what was inferred, for people

  bool classifies() const { return y.index() == 1; }
  const std::vector<double>& numbers() const { return std::get<0>(y); }
  const Classes& classes() const { return std::get<1>(y); }
};

enum class TaskKind { Infer, Classes, Numbers };

struct Roles {
  std::string target;
  std::string weight;               // empty = none
  std::string query;                // empty = none; rows are ranked by numbers, which Infer then takes the target for
  std::vector<std::string> ignore;  // columns to leave out
  std::vector<std::string> keep;    // columns to use though they look like identifiers
  std::vector<std::string> beside;  // columns to keep beside what is learned from (groups of rows, their order)
  TaskKind kind = TaskKind::Infer;
  std::vector<std::string> more_targets;  // further ones: then all must be numbers
  bool no_target = false;                 // there is none: find groups of rows
  bool drop_missing_target = false;       // leave out rows without a target instead of refusing them
  std::vector<std::string> known;         // columns to use whatever they hold: a model to go on from asks about them
};

Result<Task> make_task(Table, const Roles&);

// The rows of a task, in the order given; without what is beside.
Task take_rows(const Task&, std::span<const Row> rows);
Table take_rows(const Table&, std::span<const Row> rows);

}  // namespace wald
