// What is done to the columns of a table before a model looks at them: a list of steps, fitted once on the training
// rows, kept in the model, done again to whatever is to be predicted.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "wald/table.h"

namespace wald {

struct Field {
  std::string name;
  ColumnType type = ColumnType::Number;
  std::vector<std::string> level;  // of categories, in the order of their codes
  bool operator==(const Field&) const = default;
};

enum class StepKind : std::uint8_t {
  Drop,     // leaves the column out
  Mark,     // adds a column that is 1 where this one is missing, else 0
  Fill,     // puts the number or the level where it is missing
  Draw,     // puts one of the numbers or levels there, drawn by the row's own cells: equal rows get equal cells
  Rare,     // makes one level, the last listed, of all that are not listed before it
  OneHot,   // a column a level in the place of the column: 1 where it has that level, else 0; of a missing cell missing
  Ordinal,  // the place of the level in the list, counted from 0, as a number
  Encode,   // a number a level, learned from the target: a column a class of more than two, else one
  Scale,    // (x - number[0]) / number[1]
  Product,  // adds the product of the columns, of which one may stand more than once
  Region,   // adds a column that is 1 where each column is above its number[2i] and at most its number[2i + 1], else 0
};

struct PreparationStep {
  StepKind kind = StepKind::Drop;
  std::vector<std::string> from;  // columns it looks at
  std::vector<std::string> to;    // columns it makes; empty where it changes its column in place
  std::vector<double> number;
  std::vector<std::string> level;
  bool operator==(const PreparationStep&) const = default;
};

struct Preparation {
  std::vector<Field> columns;  // as the table has them, before the first step
  std::vector<PreparationStep> steps;
  std::uint64_t seed = 0;  // of what is drawn
  bool empty() const { return steps.empty(); }
  bool operator==(const Preparation&) const = default;
};

}  // namespace wald
