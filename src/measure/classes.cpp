// Measures of classification. Definitions as in scikit-learn; where a class has no rows to speak of, its precision,
// recall and F1 are 0, and classes that occur neither as truth nor as prediction are left out of macro averages.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "measure/measures.h"
#include "measure/roc.h"
#include "measure/sum.h"

namespace wald {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeastProbability = 1e-15;  // a certain mistake costs 34.5 nats, not infinitely many

double ratio(double a, double b) { return b > 0 ? a / b : 0; }
double weight_of(std::span<const double> weight, std::size_t row) { return weight.empty() ? 1.0 : weight[row]; }

// The weighted mean over rows of loss(row).
template <class Loss>
double mean(std::size_t rows, std::span<const double> weight, Loss loss) {
  Sum total, weights;
  for (std::size_t row = 0; row < rows; ++row) {
    const double w = weight_of(weight, row);
    if (w == 0) continue;
    total += w * loss(row);
    weights += w;
  }
  return weights > 0 ? total / weights : kUndefined;
}

double log_loss(const Predictions& p, const Classes& y, std::span<const double> weight) {
  const std::size_t classes = y.name.size();
  return mean(p.rows, weight, [&](std::size_t row) {
    const double truth = p.value[row * classes + y.code[row]];
    return -std::log(std::clamp(truth, kLeastProbability, 1 - kLeastProbability));
  });
}

double brier(const Predictions& p, const Classes& y, std::span<const double> weight, std::int32_t positive) {
  const std::size_t classes = y.name.size();
  return mean(p.rows, weight, [&](std::size_t row) {
    const auto square = [&](std::size_t k) {
      const double miss = p.value[row * classes + k] - (y.code[row] == static_cast<std::int32_t>(k) ? 1.0 : 0.0);
      return miss * miss;
    };
    if (classes == 2) return square(positive);
    double sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum += square(k);
    return sum;
  });
}

// The mean precision over the thresholds, each weighed by the recall it adds (scikit-learn's reading of the area under
// the precision-recall curve); NaN without a positive row.
double average_precision(const Roc& roc) {
  if (!(roc.positives > 0)) return kUndefined;
  Sum sum;
  for (std::size_t i = 1; i < roc.points.size(); ++i) {
    const RocPoint& here = roc.points[i];
    sum += (here.tp - roc.points[i - 1].tp) / roc.positives * ratio(here.tp, here.tp + here.fp);
  }
  return sum;
}

// Mean of the values that are defined.
double mean_defined(std::span<const double> values) {
  Sum sum;
  int defined = 0;
  for (const double value : values)
    if (!std::isnan(value)) sum += value, ++defined;
  return defined > 0 ? sum / defined : kUndefined;
}

struct Separated {
  double area, precision;
};
// Of two classes the positive one against the other; of more each against the rest, averaged over those where it is
// defined (Provost and Domingos 2000, unweighted).
Separated separated(const Predictions& p, const Classes& y, std::span<const double> weight, std::int32_t positive) {
  const std::size_t classes = y.name.size(), first = classes == 2 ? static_cast<std::size_t>(positive) : 0;
  std::vector<double> area(classes == 2 ? 1 : classes), precision(area.size());
  parallel_for(area.size(), 1, [&](std::size_t i, std::size_t) {
    const std::size_t k = first + i;
    const Roc roc = roc_curve(column_of(p.value, classes, k), y.code, static_cast<std::int32_t>(k), weight);
    area[i] = roc_area(roc), precision[i] = average_precision(roc);
  });
  return {mean_defined(area), mean_defined(precision)};
}

template <class Field>
double macro(const std::vector<ClassScores>& scores, Field field) {
  Sum sum;
  int n = 0;
  for (const ClassScores& s : scores)
    if (s.occurs) sum += s.*field, ++n;
  return n > 0 ? sum / n : kUndefined;
}

// Averaged by the weight of the classes' rows.
template <class Field>
double by_support(const std::vector<ClassScores>& scores, Field field) {
  Sum sum, all;
  for (const ClassScores& s : scores) sum += s.support * (s.*field), all += s.support;
  return all > 0 ? sum / all : kUndefined;
}

// The mean recall of the classes that have rows.
double balanced_accuracy(const std::vector<ClassScores>& scores) {
  Sum sum;
  int n = 0;
  for (const ClassScores& s : scores)
    if (s.support > 0) sum += s.recall, ++n;
  return n > 0 ? sum / n : kUndefined;
}

// The correlation of truth and prediction (Matthews 1975; for several classes Gorodkin 2004); 0 where one is constant.
double mcc(const std::vector<std::vector<double>>& confusion) {
  const std::size_t n = confusion.size();
  std::vector<double> actual(n), predicted(n);
  Sum all, right;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) {
      actual[k] += confusion[k][j], predicted[j] += confusion[k][j], all += confusion[k][j];
      if (j == k) right += confusion[k][j];
    }
  Sum both, squares_actual, squares_predicted;
  for (std::size_t k = 0; k < n; ++k) {
    both += actual[k] * predicted[k];
    squares_actual += actual[k] * actual[k], squares_predicted += predicted[k] * predicted[k];
  }
  const double total = all;
  const double spread = (total * total - squares_actual) * (total * total - squares_predicted);
  return spread > 0 ? (right * total - both) / std::sqrt(spread) : 0;
}

// Agreement beyond what chance would give (Cohen 1960); undefined where chance alone agrees always.
double kappa(const std::vector<std::vector<double>>& confusion) {
  const std::size_t n = confusion.size();
  std::vector<double> actual(n), predicted(n);
  Sum all, wrong, expected_wrong;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) {
      actual[k] += confusion[k][j], predicted[j] += confusion[k][j], all += confusion[k][j];
      if (j != k) wrong += confusion[k][j];
    }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j)
      if (j != k) expected_wrong += actual[k] * predicted[j] / all;
  return expected_wrong > 0 ? 1 - wrong / expected_wrong : kUndefined;
}

double calibration_error(std::span<const CalibrationBin> bins) {
  Sum miss, all;
  for (const CalibrationBin& bin : bins) miss += bin.weight * std::fabs(bin.said - bin.came_true), all += bin.weight;
  return all > 0 ? miss / all : kUndefined;
}

double diagonal_share(const std::vector<std::vector<double>>& confusion) {
  Sum right, all;
  for (std::size_t k = 0; k < confusion.size(); ++k) {
    right += confusion[k][k];
    for (double w : confusion[k]) all += w;
  }
  return all > 0 ? right / all : kUndefined;
}

}  // namespace

std::vector<double> column_of(std::span<const double> rows, std::size_t width, std::size_t column) {
  std::vector<double> out(rows.size() / width);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = rows[i * width + column];
  return out;
}

// Of two classes the positive one's probability against its rows, of more the greatest against the right ones.
std::vector<CalibrationBin> calibration_bins(const Predictions& p, const Classes& y, std::span<const double> weight,
                                             std::int32_t positive) {
  const std::size_t classes = y.name.size();
  struct BinSums {
    Sum said, came_true, weight;
  };
  std::vector<BinSums> sums(kCalibrationBins);
  for (std::size_t row = 0; row < p.rows; ++row) {
    const double w = weight_of(weight, row);
    if (w == 0) continue;
    const double* of = p.value.data() + row * classes;
    const auto asked = classes == 2 ? positive : static_cast<std::int32_t>(std::max_element(of, of + classes) - of);
    const double said = of[asked];
    const auto at = static_cast<std::size_t>(std::clamp(said, 0.0, 1.0) * kCalibrationBins);
    BinSums& bin = sums[std::min(at, kCalibrationBins - 1)];
    bin.said += w * said, bin.came_true += y.code[row] == asked ? w : 0.0, bin.weight += w;
  }
  std::vector<CalibrationBin> out;
  for (const BinSums& bin : sums)
    if (bin.weight > 0) out.push_back({bin.said / bin.weight, bin.came_true / bin.weight, bin.weight});
  return out;
}

std::vector<ClassScores> class_scores(const std::vector<std::vector<double>>& confusion) {
  std::vector<ClassScores> scores(confusion.size());
  for (std::size_t k = 0; k < scores.size(); ++k) {
    Sum actual, predicted;
    for (std::size_t j = 0; j < scores.size(); ++j) actual += confusion[k][j], predicted += confusion[j][k];
    const double hits = confusion[k][k];
    scores[k] = {.precision = ratio(hits, predicted),
                 .recall = ratio(hits, actual),
                 .f1 = ratio(2 * hits, actual + predicted),
                 .support = actual,
                 .occurs = actual > 0 || predicted > 0};
  }
  return scores;
}

std::vector<Measure> measures_of_classes(const Predictions& p, const Classes& y, std::span<const double> weight,
                                         std::int32_t positive, const std::vector<std::vector<double>>& confusion) {
  const std::vector<ClassScores> scores = class_scores(confusion);
  const bool binary = scores.size() == 2;
  const double macro_precision = macro(scores, &ClassScores::precision);
  const double macro_recall = macro(scores, &ClassScores::recall), macro_f1 = macro(scores, &ClassScores::f1);
  const double accuracy = diagonal_share(confusion);
  const Separated apart = separated(p, y, weight, positive);
  return {
      {"accuracy", accuracy},
      {"precision", binary ? scores[positive].precision : macro_precision},
      {"recall", binary ? scores[positive].recall : macro_recall},
      {"f1", binary ? scores[positive].f1 : macro_f1},
      {"auc", apart.area},
      {"log_loss", log_loss(p, y, weight)},
      {"brier", brier(p, y, weight, positive)},
      {"average_precision", apart.precision},
      {"balanced_accuracy", balanced_accuracy(scores)},
      {"mcc", mcc(confusion)},
      {"kappa", kappa(confusion)},
      {"calibration_error", calibration_error(calibration_bins(p, y, weight, positive))},
      {"macro_precision", macro_precision},
      {"macro_recall", macro_recall},
      {"macro_f1", macro_f1},
      // With one label a row, every false positive is another class's false negative: the three micro averages are
      // the accuracy.
      {"micro_precision", accuracy},
      {"micro_recall", accuracy},
      {"micro_f1", accuracy},
      {"weighted_precision", by_support(scores, &ClassScores::precision)},
      {"weighted_recall", by_support(scores, &ClassScores::recall)},
      {"weighted_f1", by_support(scores, &ClassScores::f1)},
  };
}

}  // namespace wald
