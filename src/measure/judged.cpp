#include "measure/judged.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "core/text.h"
#include "measure/measures.h"
#include "table/notes.h"
#include "table/query.h"

namespace wald {
namespace {

std::string query_of(const Model& model) {
  const auto found = model.made.options.find("query");
  return found == model.made.options.end() ? "" : found->second;
}

// The column as it is: measures are ratios, so its scale cancels.
Result<std::vector<double>> weights_of(const Table& table, const std::string& name) {
  if (name.empty()) return std::vector<double>{};
  const Column* column = table.find(name);
  if (column == nullptr) {
    std::vector<std::string> names;
    for (const Column& c : table.columns) names.push_back(c.name);
    const std::string guess = did_you_mean(name, names);
    return usage(fmt::format("{} has no column '{}'", printable(table.source, 300), printable(name)),
                 guess.empty() ? "wald profile lists the columns of a table" : guess);
  }
  if (column->type() != ColumnType::Number)
    return bad_data(fmt::format("{}: the weight '{}' holds words", printable(table.source, 300), printable(name)),
                    "name a column of numbers");
  std::vector<double> weights = column->numbers().to_doubles();
  double sum = 0;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (!(weights[row] >= 0) || !std::isfinite(weights[row]))
      return bad_data(fmt::format("{}: {}: the weight '{}' is {}", printable(table.source, 300),
                                  row_text(table, static_cast<Row>(row)), printable(name),
                                  std::isnan(weights[row]) ? "missing" : exact_text(weights[row])),
                      "weights are finite numbers, 0 or more");
    sum += weights[row];
  }
  if (!(sum > 0) || !std::isfinite(sum))
    return bad_data(
        fmt::format("{}: the weights '{}' sum to {}", printable(table.source, 300), printable(name), exact_text(sum)),
        "some row must count, and all together be finite");
  return weights;
}

}  // namespace

Result<std::vector<std::uint32_t>> queries_of(const Table& table, const std::string& column, std::string_view what) {
  if (!column.empty() && table.find(column) == nullptr)
    return bad_data(fmt::format("{} has no column '{}', the {}: without it nothing can be measured of the ranking",
                                printable(table.source, 300), printable(column), what),
                    "give a table that has it; wald profile lists the columns of a table");
  std::vector<Row> rows(table.rows);
  std::iota(rows.begin(), rows.end(), Row{0});
  return make_queries(table, column, rows);
}

Result<Measuring> measuring_of(const Model& model, const Table& table, const std::string& query) {
  Measuring out = measuring_for(model);
  const std::string name = query.empty() ? query_of(model) : query;
  // Of a model that also says how large the numbers are, something can be measured without.
  if (!out.ranks && query.empty() && table.find(name) == nullptr) return out;
  auto queries = queries_of(table, name, query.empty() ? "query of the training" : "--query");
  if (!queries) return queries.error();
  out.query = std::move(*queries);
  return out;
}

Result<Judged> judged(const Predictor& predictor, const Table& table, const JudgedBy& by, const Run& run) {
  const Model& model = predictor.model();
  if (!by.query.empty() && model.schema.classifies())
    return usage("--query is for ranking by numbers; this model predicts classes", "leave it away");
  if (!by.query.empty() && measuring_for(model).survival)
    return usage("--query is for ranking; this model predicts risks, ordered over all rows", "leave it away");
  Result<Target> target = target_of(model, table);
  if (!target) return target.error();
  auto more = more_targets_of(model, table);
  if (!more) return more.error();
  auto weights = weights_of(table, by.weight);
  if (!weights) return weights.error();
  Result<Predictions> p = predictor.predict(table, run);
  if (!p) return p.error();
  Result<Measuring> how = measuring_of(model, table, by.query);
  if (!how) return how.error();
  std::vector<std::string> warnings = p->warnings;
  if (const std::string query = query_of(model); !query.empty() && how->query.empty())
    warnings.push_back(
        fmt::format("{} has no column '{}', the query of the training: nothing is measured of the ranking",
                    printable(table.source, 300), printable(query)));
  return Judged{std::move(*p),       std::move(*target), std::move(*more),
                std::move(*weights), std::move(*how),    std::move(warnings)};
}

Result<std::optional<Judge>> judge_of_order(const Model& model, const Table& table, const Target& truth) {
  const Measuring plain = measuring_for(model);
  if (!plain.survival && !plain.ranks) return std::optional<Judge>{};
  Result<Measuring> how = measuring_of(model, table);
  if (!how) return how.error();
  const std::string name = plain.survival ? "concordance" : "ndcg";
  return std::optional(Judge{.measure = name,
                             .value =
                                 [&model, &truth, name, how = std::move(*how)](const Predictions& p) {
                                   return measure_weighted(model.schema, p, truth, {}, {}, {}, how).find(name)->value;
                                 },
                             .more_is_better = true});
}

}  // namespace wald
