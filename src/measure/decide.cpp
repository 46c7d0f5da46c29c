#include "wald/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "learn/forest_leaves.h"
#include "measure/measures.h"
#include "measure/roc.h"
#include "model/link.h"
#include "wald/privacy.h"
#include "wald/validate.h"

namespace wald {
namespace {

// What models of the other folds say of each row.
struct Unseeing {
  std::vector<std::vector<double>> x;  // per class, what a curve of calibration is asked of
  std::vector<double> second;          // probability of the second class
};

Result<Unseeing> predict_folds(std::string_view learner, const Task& task, const Settings& settings, int folds,
                               const Run& run) {
  if (task.x.rows < static_cast<std::uint64_t>(folds))
    return bad_data(fmt::format("{} has {}, too few to learn to decide from: {} are needed",
                                printable(task.x.source, 300), plural(task.x.rows, "row"), folds),
                    "give more rows, or leave --calibrate, --cost and --odds away");
  const Result<std::vector<Fold>> parts = make_folds(task, {.folds = folds}, run.seed);
  if (!parts) return parts.error();
  const std::size_t classes = task.classes().name.size();
  Unseeing out{std::vector<std::vector<double>>(classes, std::vector<double>(task.x.rows)),
               std::vector<double>(task.x.rows)};
  std::size_t f = 0;
  const auto tell = [&](const Progress&) {
    if (run.progress) run.progress({"learning to decide", f, parts->size()});
  };
  Run quietly = run;
  quietly.progress = tell;
  for (; f < parts->size(); ++f) {
    tell({});
    const Fold& fold = (*parts)[f];
    const Result<Model> model = fit(learner, take_rows(task, fold.train), settings, quietly);
    if (run.stopped()) return Error{ErrorKind::Interrupted, "interrupted while learning to decide", ""};
    if (!model) return model.error();
    const Result<Predictions> p = predict(*model, take_rows(task.x, fold.held), quietly);
    if (!p) return p.error();
    const auto outputs = static_cast<std::size_t>(p->outputs);
    for (std::size_t i = 0; i < fold.held.size(); ++i) {
      const double* score = p->score.data() + i * outputs;
      const double* value = p->value.data() + i * classes;
      for (std::size_t k = 0; k < classes; ++k) out.x[k][fold.held[i]] = calibration_input(*model, score, value, k);
      out.second[fold.held[i]] = value[1];
    }
  }
  return out;
}

Status check(const Task& task, const Decide& decide, std::string_view learner) {
  if (is_private(learner))
    return Error{ErrorKind::PrivacyRefusal,
                 fmt::format("what {} says of its own rows would tell of them and is not paid for", learner),
                 "leave --calibrate, --cost and --odds away"};
  if (!task.classifies())
    return usage("--calibrate, --cost and --odds are for classes; the target holds numbers",
                 "leave them away, or give --task classes");
  const std::vector<std::string>& classes = task.classes().name;
  if (classes.size() < 2)
    return bad_data("the target has one class only: there is nothing to decide", "give rows of two classes");
  if (!decide.costs) return Done{};
  if (classes.size() != 2)
    return usage(fmt::format("--cost and --odds are for two classes; the target has {}", classes.size()),
                 "leave them away");
  if (!decide.positive.empty() && std::ranges::find(classes, decide.positive) == classes.end())
    return usage(fmt::format("--positive: the target has no class '{}'", printable(decide.positive)),
                 fmt::format("its classes are {} and {}", printable(classes[0]), printable(classes[1])));
  return Done{};
}

std::vector<double> real_weights(const Task& task) {
  std::vector<double> out;
  for (const std::int64_t w : task.weight) out.push_back(std::ldexp(static_cast<double>(w), -kWeightBits));
  return out;
}

Calibration calibrated(Calibration::Kind kind, const Unseeing& said, const Task& task, std::span<const double> weight) {
  Calibration out{.kind = kind, .curves = {}};
  const auto fit_curve = kind == Calibration::Kind::Sigmoid ? fit_sigmoid : fit_isotonic;
  const std::vector<std::int32_t>& code = task.classes().code;
  const std::size_t classes = said.x.size();
  for (std::size_t k = classes == 2 ? 1 : 0; k < classes; ++k) {
    std::vector<std::uint8_t> yes(code.size());
    for (std::size_t i = 0; i < code.size(); ++i) yes[i] = code[i] == static_cast<std::int32_t>(k);
    out.curves.push_back(fit_curve(said.x[k], yes, weight));
  }
  return out;
}

}  // namespace

std::optional<double> threshold_of(std::span<const double> second, std::span<const std::int32_t> code,
                                   std::span<const double> weight, std::int32_t positive, const Costs& costs) {
  std::vector<double> score(second.begin(), second.end());
  if (positive == 0)
    for (double& p : score) p = -p;
  const Roc roc = roc_curve(score, code, positive, weight);
  const std::optional<OperatingPoint> best = operating_point(roc, costs);
  if (!best) return {};
  // Halfway to the next score, which is on the other side.
  const auto at = std::ranges::find(roc.points, best->at) - roc.points.begin();
  const bool none = at == 0, all = at + 1 == std::ssize(roc.points);
  if (none || all) return none == (positive == 1) ? 1.0 : -1.0;  // never or always the second
  const double here = std::fabs(roc.points[static_cast<std::size_t>(at)].threshold);
  const double next = std::fabs(roc.points[static_cast<std::size_t>(at) + 1].threshold);
  const double low = std::fmin(here, next), middle = low + std::fabs(next - here) / 2;
  return middle < std::fmax(here, next) ? middle : low;
}

Result<Model> fit_deciding(std::string_view learner, const Task& task, const Settings& settings, const Decide& decide,
                           const Run& run, const Rounds& rounds) {
  if (!decide.empty())
    if (Status ok = check(task, decide, learner); !ok) return ok.error();
  Result<Model> model = fit(learner, task, settings, run, rounds);
  if (!model || decide.empty() || run.stopped()) return model;
  const Result<Unseeing> said = predict_folds(learner, task, settings, decide.folds, run);
  if (run.stopped()) return model;
  if (!said) return said.error();
  forget_expected(*model);
  const std::vector<double> weight = real_weights(task);
  std::vector<double> second = said->second;
  if (decide.calibrate != Calibration::Kind::None) {
    model->calibration = calibrated(decide.calibrate, *said, task, weight);
    if (said->x.size() == 2)
      for (std::size_t i = 0; i < second.size(); ++i) second[i] = calibrated_at(model->calibration, said->x[1][i]);
  }
  if (!decide.costs) return model;
  const std::int32_t positive = decide.positive.empty() || decide.positive == task.classes().name[1] ? 1 : 0;
  model->threshold = threshold_of(second, task.classes().code, weight, positive, *decide.costs);
  return model;
}

}  // namespace wald
