#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/statistics.h"
#include "measure/measures.h"
#include "wald/validate.h"

namespace wald {
namespace {

Schema schema_of(const Task& task, const std::vector<double>& quantiles) {
  Schema out{.more_targets = task.more_targets, .quantiles = quantiles};
  out.target.name = task.target;
  if (task.classifies()) out.target.type = ColumnType::Category, out.target.level = task.classes().name;
  return out;
}

Measures measure_of(const Task& held, const Predictions& predictions, const std::vector<double>& quantiles,
                    Measuring how) {
  how.query = held.query;
  return measure(schema_of(held, quantiles), predictions, held.y, held.weight, held.more_y, how);
}

// Of folds of one row each: a single row has no ROC area and hardly any of the rest.
Measures measure_together(const Task& task, std::span<const Fold> folds, std::span<const Predictions> predictions,
                          const std::vector<double>& quantiles, const Measuring& how) {
  std::vector<Row> rows;
  Predictions all{.outputs = predictions[0].outputs};
  for (std::size_t f = 0; f < predictions.size(); ++f) {
    const Predictions& one = predictions[f];
    rows.insert(rows.end(), folds[f].held.begin(), folds[f].held.end());
    all.rows += one.rows;
    all.score.insert(all.score.end(), one.score.begin(), one.score.end());
    all.value.insert(all.value.end(), one.value.begin(), one.value.end());
    all.label.insert(all.label.end(), one.label.begin(), one.label.end());
  }
  return measure_of(take_rows(task, rows), all, quantiles, how);
}

}  // namespace

std::vector<std::string> measure_names(const Task& task, const std::vector<double>& quantiles, const Measuring& how) {
  const Task one = take_rows(task, std::vector<Row>{0});
  Predictions any{.rows = 1, .value = std::vector<double>(1 + task.more_y.size())};
  if (!quantiles.empty()) any.value.resize(quantiles.size());
  if (task.classifies()) any.label = {0}, any.value.resize(task.classes().name.size());
  std::vector<std::string> out;
  for (const Measure& m : measure_of(one, any, quantiles, how).list) out.push_back(m.name);
  return out;
}

std::vector<double> Validation::of(std::string_view measure) const {
  std::vector<double> out;
  for (const Measures& fold : measures) {
    const Measure* found = fold.find(measure);
    out.push_back(found != nullptr ? found->value : std::numeric_limits<double>::quiet_NaN());
  }
  return out;
}

Result<Validation> cross_validate(std::string_view learner, const Task& task, const Settings& settings,
                                  std::span<const Fold> folds, const Run& run,
                                  const std::function<void(std::size_t)>& told, const Decide& decide) {
  const auto began = std::chrono::steady_clock::now();
  Validation out;
  Run quietly = run;  // of a fold's own progress it is worth telling that there is some
  quietly.progress = {};
  if (told) quietly.progress = [&](const Progress&) { told(out.predictions.size()); };
  const bool alone = std::ranges::all_of(folds, [](const Fold& fold) { return fold.held.size() == 1; });
  std::vector<double> quantiles;
  Measuring how;
  for (const Fold& fold : folds) {
    const Result<Model> model = fit_deciding(learner, take_rows(task, fold.train), settings, decide, quietly);
    if (run.stopped()) break;
    if (!model) return model.error();
    how = measuring_for(*model);
    const Task held = take_rows(task, fold.held);
    Result<Predictions> predictions = predict(*model, held.x, quietly);
    if (run.stopped()) break;
    if (!predictions) return predictions.error();
    quantiles = model->schema.quantiles;
    if (model->schema.several()) out.outputs = model->schema.output_names();
    if (!alone) out.measures.push_back(measure_of(held, *predictions, quantiles, how));
    out.predictions.push_back(std::move(*predictions));
    if (told) told(out.predictions.size());
  }
  if (alone && !out.predictions.empty())
    out.measures.push_back(measure_together(task, folds, out.predictions, quantiles, how));
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return out;
}

Moments moments_of(std::span<const double> values) {
  std::vector<double> defined;
  std::ranges::copy_if(values, std::back_inserter(defined), [](double v) { return !std::isnan(v); });
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(defined.size());
  if (defined.empty()) return {kNone, kNone};
  Moments out;
  for (const double v : defined) out.mean += v / n;
  if (defined.size() < 2) return {out.mean, kNone};
  double squares = 0;
  for (const double v : defined) squares += (v - out.mean) * (v - out.mean);
  out.deviation = std::sqrt(squares / (n - 1));
  return out;
}

double held_per_trained(std::span<const Fold> folds) {
  double held = 0, trained = 0;
  for (const Fold& fold : folds)
    held += static_cast<double>(fold.held.size()), trained += static_cast<double>(fold.train.size());
  return held / trained;
}

Paired compare_paired(std::span<const double> a, std::span<const double> b, double held_per_trained) {
  std::vector<double> difference;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (!std::isnan(a[i] - b[i])) difference.push_back(a[i] - b[i]);
  const Moments moments = moments_of(difference);
  const auto n = static_cast<double>(difference.size());
  Paired out{.difference = moments.mean, .freedom = static_cast<int>(difference.size()) - 1};
  if (difference.size() < 2) return out;
  out.error = moments.deviation * std::sqrt(1 / n + held_per_trained);
  if (out.error == 0) {
    out.p = out.difference == 0 ? 1 : 0;
    return out;
  }
  out.t = out.difference / out.error;
  out.p = student_tails(out.t, out.freedom);
  return out;
}

}  // namespace wald
