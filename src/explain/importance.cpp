#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/elementary.h"
#include "core/random.h"
#include "model/inputs.h"
#include "tree/figures.h"
#include "wald/explain.h"

namespace wald {
namespace {

// The 97.5 % point of Student's distribution with 1, 2, ... degrees of freedom; Cornish and Fisher's expansion beyond.
double student(int degrees) {
  constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  if (degrees <= 10) return kTable[degrees - 1];
  return 1.96 + 2.3723 / degrees + 2.8225 / (static_cast<double>(degrees) * degrees);
}

// Relative to the largest error, so that squares of very large or small ones stay within what a double can hold.
double rmse(const Predictions& p, const std::vector<double>& truth) {
  double most = 0, sum = 0;
  for (std::size_t row = 0; row < truth.size(); ++row) most = std::max(most, std::abs(p.value[row] - truth[row]));
  if (most == 0 || !std::isfinite(most)) return most;
  for (std::size_t row = 0; row < truth.size(); ++row) {
    const double share = (p.value[row] - truth[row]) / most;
    sum += share * share;
  }
  return most * std::sqrt(sum / static_cast<double>(truth.size()));
}

// Probabilities below 10^-15 count as that much, so that one sure mistake does not make the mean infinite.
double log_loss(const Predictions& p, const Classes& truth) {
  const std::size_t classes = p.value.size() / truth.code.size();
  double sum = 0;
  for (std::size_t row = 0; row < truth.code.size(); ++row)
    sum -= log_exact(std::clamp(p.value[row * classes + truth.code[row]], 1e-15, 1.0));
  return sum / static_cast<double>(truth.code.size());
}

Judge error_of(const Target& truth) {
  if (truth.index() == 0) return {"rmse", [&](const Predictions& p) { return rmse(p, std::get<0>(truth)); }};
  return {"log_loss", [&](const Predictions& p) { return log_loss(p, std::get<1>(truth)); }};
}

Column shuffled(const Column& column, std::uint64_t seed, std::uint32_t stream) {
  const Random random(seed, Purpose::Shuffle, stream);
  std::vector<std::size_t> from(column.size());
  std::iota(from.begin(), from.end(), std::size_t{0});
  for (std::size_t i = from.size(); i > 1; --i) std::swap(from[i - 1], from[random.below(i, i)]);
  if (column.type() == ColumnType::Number) {
    std::vector<double> cells(from.size());
    for (std::size_t row = 0; row < from.size(); ++row) cells[row] = column.numbers()[from[row]];
    return {column.name, Numbers(std::move(cells))};
  }
  Categories cells{std::vector<std::int32_t>(from.size()), column.categories().level};
  for (std::size_t row = 0; row < from.size(); ++row) cells.code[row] = column.categories().code[from[row]];
  return {column.name, std::move(cells)};
}

void put_interval(const std::vector<double>& increase, std::size_t column, PermutationImportance& out) {
  const auto n = static_cast<double>(increase.size());
  const double mean = std::accumulate(increase.begin(), increase.end(), 0.0) / n;
  double most = 0, squares = 0;
  for (const double x : increase) most = std::max(most, std::abs(x - mean));
  for (const double x : increase)
    if (most > 0) squares += (x - mean) / most * ((x - mean) / most);
  const double half = student(static_cast<int>(increase.size()) - 1) * most * std::sqrt(squares / (n - 1) / n);
  out.mean[column] = mean, out.low[column] = mean - half, out.high[column] = mean + half;
}

// Of each input, whether the model looks at it: in a split or in a linear leaf.
std::vector<bool> looked_at(const Model& model) {
  std::vector<double> made(model.schema.columns.size());
  for (const Node& node : model.forest().nodes)
    if (!node.is_leaf()) made[node.column()] = 1;
  for (const Term& term : model.forest().terms) made[term.column] = 1;
  std::vector<bool> out;
  for (const double part : Inputs(model).sums(made)) out.push_back(part > 0);
  return out;
}

}  // namespace

Importance importance(const Model& model) {
  const Forest& forest = model.forest();
  const std::size_t columns = model.schema.columns.size();
  Importance out{.count = std::vector<double>(columns)};
  if (!forest.gain.empty()) out.gain.resize(columns);
  if (forest.covered) out.cover.resize(columns);
  auto gain = forest.gain.begin();
  for (std::size_t t = 0; t < forest.trees(); ++t) {
    const TreeView tree = forest.tree(t);
    const std::vector<double> cover = forest.covered ? covers(tree) : std::vector<double>{};
    for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
      const Node& node = tree.nodes[k];
      if (node.is_leaf()) continue;
      out.count[node.column()] += 1;
      if (forest.covered) out.cover[node.column()] += cover[k];
      if (!out.gain.empty()) out.gain[node.column()] += *gain++;
    }
  }
  const Inputs inputs(model);
  for (std::vector<double>* each : {&out.gain, &out.cover, &out.count})
    if (!each->empty()) *each = inputs.sums(*each);
  return out;
}

Result<PermutationImportance> permutation_importance(const Model& model, const Table& table, const Target& truth,
                                                     int repeats, const Run& run) {
  return permutation_importance(model, table, error_of(truth), repeats, run);
}

Result<PermutationImportance> permutation_importance(const Model& model, const Table& table, const Judge& judge,
                                                     int repeats, const Run& run) {
  if (repeats < 2 || repeats > 1000)
    return usage(fmt::format("{} repeats were asked for", repeats), "an interval needs 2 to 1000 of them");
  if (model.schema.several())
    return usage("the model predicts several numbers a row, and shuffling measures one", "leave the table away");
  if (table.rows == 0) return bad_data("the table has no rows", "give rows to shuffle");
  const Predictor predictor(model);
  const auto before = predictor.predict(table, run);
  if (!before) return before.error();
  const std::size_t columns = input_columns(model).size();
  PermutationImportance out{judge.measure, judge.more_is_better, judge.value(*before)};
  out.mean.resize(columns), out.low.resize(columns), out.high.resize(columns);
  const std::vector<bool> looked = looked_at(model);
  const Run quiet{.seed = run.seed, .threads = run.threads, .stop = run.stop};
  Table work = table;
  for (std::size_t c = 0; c < columns; ++c) {
    if (run.progress) run.progress({"shuffling", c, columns});
    if (!looked[c]) continue;
    Column& place = *std::ranges::find(work.columns, input_columns(model)[c].name, &Column::name);
    const Column whole = place;
    std::vector<double> worse;
    for (int r = 0; r < repeats; ++r) {
      place = shuffled(whole, run.seed, static_cast<std::uint32_t>(c * static_cast<std::size_t>(repeats)) + r);
      const auto after = predictor.predict(work, quiet);
      if (!after) return after.error();
      const double now = judge.value(*after);
      worse.push_back(judge.more_is_better ? out.before - now : now - out.before);
    }
    place = whole;
    put_interval(worse, c, out);
  }
  return out;
}

Result<std::vector<double>> mean_absolute_shapley(const Model& model, const Table& table, const ExplainOptions& options,
                                                  const Run& run) {
  ExplainOptions plain = options;
  plain.interactions = false;
  std::vector<double> sum(input_columns(model).size());
  const Status done = explain_each(model, table, plain, run, [&](const Explained& block) -> Status {
    for (std::size_t i = 0; i < block.value.size(); ++i) sum[i % block.columns] += std::abs(block.value[i]);
    return Done{};
  });
  if (!done) return done.error();
  for (double& s : sum) s /= static_cast<double>(std::max<Row>(table.rows, 1));
  return sum;
}

}  // namespace wald
