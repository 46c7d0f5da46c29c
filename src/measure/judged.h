// Rows whose truth is known, and what a model says of them: as the verb evaluate and the packages measure it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wald/measure.h"

namespace wald {

struct Judged {
  Predictions said;
  Target truth;
  std::vector<std::vector<double>> more;  // further targets
  std::vector<double> weight;             // empty = every row weighs 1
  Measuring how;
  std::vector<std::string> warnings;
};
// Columns of the table; query: the model's own unless another is named, empty = none named.
struct JudgedBy {
  std::string query, weight;
};
Result<Judged> judged(const Predictor&, const Table&, const JudgedBy&, const Run& = {});

// The query of each row, of a column that the table must have; none where none is named. what: names it so.
Result<std::vector<std::uint32_t>> queries_of(const Table&, const std::string& column, std::string_view what);
// As the model was trained, with the queries of the table's rows.
Result<Measuring> measuring_of(const Model&, const Table&, const std::string& query = "");

// Of models that say nothing but an order, what it is judged by: the concordance of risks, the NDCG of rankings.
// Refused where the table lacks the query; nothing for other models.
Result<std::optional<Judge>> judge_of_order(const Model&, const Table&, const Target&);

}  // namespace wald
