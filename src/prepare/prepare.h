// Fitting a preparation to the training rows: what the options ask for, as steps.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "prepare/steps.h"
#include "wald/task.h"

namespace wald {

enum class Impute { None, Mean, Median, Mode, Draw, DropRows, DropColumns };
enum class Coding { Native, OneHot, Ordinal, ByTarget, Drop };
enum class Scaling { None, Standard, MinMax };
enum class Balance { None, Weights, Over, Under };

struct Prepare {
  Impute impute = Impute::None;
  bool indicator = false;
  double rare = 0;  // levels of fewer rows become one
  Coding categories = Coding::Native;
  int one_hot_levels = 16;  // columns of more are coded by the target
  double level_rows = 10;   // a level's mean is taken together with so many rows of the mean of all
  int powers = 1;
  bool products = false;
  int regions = 0;  // leaves of the tree that finds them
  Scaling scale = Scaling::None;
  Balance balance = Balance::None;
  bool operator==(const Prepare&) const = default;
};

struct Prepared {
  Task task;
  Preparation how;
  std::vector<Row> rows;  // of the task given, those that are left; empty = all
};

// A column for each region of the task's numbers, by whoever can grow a tree.
using FindRegions = std::function<Result<std::vector<PreparationStep>>(const Task&, int leaves)>;

Result<Prepared> fit_preparation(const Task&, const Prepare&, std::uint64_t seed, const FindRegions&);

// --- its parts ------------------------------------------------------------------------------------------------------

// The training rows while steps are fitted to them, one after another.
class Fitting {
 public:
  Fitting(const Task& task, std::uint64_t seed);

  const Task& task() const { return task_; }  // its columns are those before the first step
  std::vector<std::string> names(ColumnType) const;
  const Column& column(const std::string& name) { return *columns_.find(name); }
  double weight(Row row) const;
  bool is_flag(const std::string& name) const;  // made by a step to be 0 or 1
  // Levels of one column: never 1 in the same row.
  bool exclude(const std::string& a, const std::string& b) const;
  std::string unused(std::string name);  // with something added where it is taken
  void add(PreparationStep);
  void set(const std::string& name, std::vector<double> cells);  // instead of what the step made
  Task now();                                                    // the task with the columns made so far
  Prepared finish() &&;

 private:
  Task task_;
  Preparation how_;
  Named<Column> columns_;
  PrepareRows about_;
};

void impute(Fitting&, const Prepare&);
void group_rare(Fitting&, double rows);
void code_categories(Fitting&, const Prepare&, std::uint64_t seed);
Status expand_numbers(Fitting&, const Prepare&, const FindRegions&);
void scale_numbers(Fitting&, Scaling);
// Returns the rows that are left; none = all.
std::vector<Row> balance_classes(Task&, Balance, std::uint64_t seed);
// The rows that miss nothing.
std::vector<Row> whole_rows(const Table&);

}  // namespace wald
