#include "model/link.h"

#include <algorithm>

#include "core/elementary.h"
#include "core/parallel.h"
#include "core/text.h"
#include "core/touch.h"

namespace wald {
namespace {

constexpr std::size_t kGrain = 1024;

// Of the two classes; neither is one minus the other, so that small probabilities keep their digits.
void logistic(double score, double* p) {
  const double e = exp_exact(score < 0 ? score : -score), rare = e / (1 + e), common = 1 / (1 + e);
  p[0] = score < 0 ? common : rare;
  p[1] = score < 0 ? rare : common;
}

// The largest score is taken from all, so that nothing overflows.
void softmax(const double* score, std::size_t classes, double* p) {
  const double most = *std::max_element(score, score + classes);
  double sum = 0;
  for (std::size_t k = 0; k < classes; ++k) sum += p[k] = exp_exact(score[k] - most);
  for (std::size_t k = 0; k < classes; ++k) p[k] /= sum;
}

void each_row(std::size_t rows, FunctionRef<void(std::size_t)> work) {
  parallel_for(rows, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) work(row);
  });
}

double sigmoid(double x) { return x < 0 ? exp_exact(x) / (1 + exp_exact(x)) : 1 / (1 + exp_exact(-x)); }

double at_curve(Calibration::Kind kind, const Calibration::Curve& curve, double x) {
  if (kind == Calibration::Kind::Sigmoid) return sigmoid(curve.at[0] * x + curve.to[0]);
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(curve.at, x) - curve.at.begin());
  if (above == 0) return curve.to.front();
  if (above == curve.at.size()) return curve.to.back();
  const double low = curve.at[above - 1], share = (x - low) / (curve.at[above] - low);
  return curve.to[above - 1] + share * (curve.to[above] - curve.to[above - 1]);
}

// One class against the others each; a row that all say no to could be of any.
void calibrate(const Model& model, const double* score, double* p) {
  const Calibration& c = model.calibration;
  const std::size_t classes = model.schema.target.level.size();
  if (classes == 2) {
    p[1] = at_curve(c.kind, c.curves[0], calibration_input(model, score, p, 1));
    p[0] = 1 - p[1];
    return;
  }
  double sum = 0;
  for (std::size_t k = 0; k < classes; ++k)
    sum += p[k] = at_curve(c.kind, c.curves[k], calibration_input(model, score, p, k));
  for (std::size_t k = 0; k < classes; ++k) p[k] = sum > 0 ? p[k] / sum : 1.0 / static_cast<double>(classes);
}

}  // namespace

std::vector<std::string> Schema::output_names() const {
  if (quantiles.empty()) return target_names();
  std::vector<std::string> out;
  for (const double q : quantiles) out.push_back("q" + exact_text(q));
  return out;
}

double calibration_input(const Model& model, const double* score, const double* p, std::size_t k) {
  return model.link == Link::Logistic ? (k == 1 ? score[0] : -score[0]) : p[k];
}

double calibrated_at(const Calibration& c, double x) { return at_curve(c.kind, c.curves[0], x); }

void apply_link(const Model& model, const double* score, double* value) {
  const auto outputs = static_cast<std::size_t>(model.forest().outputs);
  if (model.link == Link::Logistic) logistic(score[0], value);
  else if (model.link == Link::Softmax) softmax(score, outputs, value);
  else if (model.link == Link::Exponential) std::transform(score, score + outputs, value, exp_exact);
  else if (model.link == Link::Ordered) std::partial_sort_copy(score, score + outputs, value, value + outputs);
  else std::copy(score, score + outputs, value);
  if (model.calibration.kind != Calibration::Kind::None) calibrate(model, score, value);
}

std::int32_t decided(const Model& model, const double* value) {
  if (model.threshold) return value[1] > *model.threshold ? 1 : 0;
  return static_cast<std::int32_t>(std::max_element(value, value + model.schema.target.level.size()) - value);
}

void apply_link(const Model& model, Predictions& out) {
  const auto outputs = static_cast<std::size_t>(out.outputs);
  const std::size_t classes = model.schema.target.level.size();
  const std::size_t width = model.schema.classifies() ? classes : outputs;
  const bool as_they_are = model.link == Link::Identity || model.link == Link::Probabilities;
  if (as_they_are && model.calibration.kind == Calibration::Kind::None) {
    reserve_touched(out.value, out.score.size());
    if (!model.schema.classifies()) return void(out.value = out.score);
    out.label.resize(out.rows);
    // One thread copies while the others decide.
    parallel_for(1 + (out.rows + kGrain - 1) / kGrain, 1, [&](std::size_t i, std::size_t) {
      if (i == 0) return void(out.value = out.score);
      for (std::size_t row = (i - 1) * kGrain; row < std::min<std::size_t>(out.rows, i * kGrain); ++row)
        out.label[row] = decided(model, out.score.data() + row * width);
    });
    return;
  }
  reserve_touched(out.value, out.rows * width);
  out.value.resize(out.rows * width);
  each_row(out.rows, [&](std::size_t row) {
    apply_link(model, out.score.data() + row * outputs, out.value.data() + row * width);
  });
  if (!model.schema.classifies()) return;
  out.label.resize(out.rows);
  each_row(out.rows, [&](std::size_t row) { out.label[row] = decided(model, out.value.data() + row * width); });
}

}  // namespace wald
