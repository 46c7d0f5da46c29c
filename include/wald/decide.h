// From scores to decisions: probabilities that are right on average, and the threshold that costs least. Both are
// learned from predictions of training rows by models that had not seen them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "wald/calibration.h"
#include "wald/learn.h"
#include "wald/model.h"
#include "wald/predict.h"
#include "wald/rounds.h"
#include "wald/task.h"

namespace wald {

struct Costs {
  double false_positive = 1, false_negative = 1;
  std::optional<double> odds;  // negatives per positive where the model will be used; absent = as in these rows
};

struct Decide {
  Calibration::Kind calibrate = Calibration::Kind::None;
  std::optional<Costs> costs;  // two classes: of a threshold; absent = the more probable class
  std::string positive;        // the class that a positive is of; empty = the second
  int folds = 5;               // of the training rows, to learn both from
  bool empty() const { return calibrate == Calibration::Kind::None && !costs; }
};

// As fit, then learns what is asked for. Interrupted after the fit it gives the model with nothing of it; no threshold
// is learned either where all rows that weigh something are of one class.
Result<Model> fit_deciding(std::string_view learner, const Task&, const Settings&, const Decide&, const Run& = {},
                           const Rounds& = {});

// The threshold of the point of least cost on the convex hull of the ROC curve of these rows: the second class is
// called above it; -1 = always. code: the classes of the rows; weight: empty = every row weighs 1. Nothing where all
// rows are of one class.
std::optional<double> threshold_of(std::span<const double> p_second, std::span<const std::int32_t> code,
                                   std::span<const double> weight, std::int32_t positive, const Costs&);

// A curve through (x, whether a row is of the class).
Calibration::Curve fit_sigmoid(std::span<const double> x, std::span<const std::uint8_t> yes,
                               std::span<const double> weight);
Calibration::Curve fit_isotonic(std::span<const double> x, std::span<const std::uint8_t> yes,
                                std::span<const double> weight);

}  // namespace wald
