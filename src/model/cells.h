// A table seen through a model's schema: columns matched by name, categories in the model's codes.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wald/array.h"
#include "wald/model.h"
#include "wald/predict.h"
#include "wald/result.h"
#include "wald/table.h"

namespace wald {

// A cell is a double: a number, or a level's code in the model; NaN is missing or unseen in training.
struct Coded {
  std::span<const std::int32_t> code;  // of the table
  std::vector<double> cell;            // of code k at k + 1, of missing at 0
};
using Cells = std::variant<Array<double>, const Numbers*, Coded>;

// The cells of rows begin .. end - 1: where they are if they are doubles already, else put into `room`.
const double* cells_of(const Cells&, std::size_t begin, std::size_t end, double* room);

struct Matched {
  std::vector<Cells> columns;  // one a column of the schema; they look into the table
  std::vector<Unseen> unseen;
  std::shared_ptr<const Table> made;  // by the model's preparation: then they look into this
};
Result<Matched> match(const Schema&, const Table&);
// What a preparation makes of levels of a column that training did not know; empty where it leaves them as they are, to
// be missing; nothing where it leaves the column out.
std::optional<std::string_view> fate_of_unseen(const Preparation&, const std::string& column);
// Through the model's preparation; `unseen` counts the columns of input_schema.
Result<Matched> match(const Model&, const Table&);

}  // namespace wald
