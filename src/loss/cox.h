// Minus the log partial likelihood of proportional hazards (Cox 1972), ties after Breslow (1974). The target is the
// time of the event; a time below zero means that the row was watched that long without one. The score is the log of
// the relative risk.
#pragma once
#include <cmath>
#include <span>
#include <vector>

#include "loss/loss.h"

namespace wald {

struct Cox {
  static constexpr std::string_view kMeasure = "cox";
  static constexpr double kLongestStep = 1;

  // time, score, weight and out go together, in ascending order of |time|.
  static double value(std::span<const double> time, std::span<const double> score, std::span<const double> weight) {
    const std::vector<double> risk = at_risk(time, score, weight);
    double sum = 0, events = 0;
    for (std::size_t i = 0; i < time.size(); ++i)
      if (time[i] >= 0) sum += weight[i] * (log_exact(risk[i]) - score[i]), events += weight[i];
    return events > 0 ? sum / events : 0;
  }

  // With S_j the risk of those still there at event j: g_i = e^f_i sum_j 1/S_j - [event], over the events j up to t_i,
  // and h_i = e^f_i sum_j 1/S_j - e^2f_i sum_j 1/S_j^2.
  static void slopes(std::span<const double> time, std::span<const double> score, std::span<const double> weight,
                     std::span<Slope> out) {
    const std::vector<double> risk = at_risk(time, score, weight);
    double a = 0, b = 0;
    for (std::size_t i = 0; i < time.size();) {
      std::size_t end = i;
      for (; end < time.size() && std::fabs(time[end]) == std::fabs(time[i]); ++end)
        if (time[end] >= 0) a += weight[end] / risk[end], b += weight[end] / (risk[end] * risk[end]);
      for (; i < end; ++i) {
        const double e = exp_exact(score[i]);
        out[i] = {e * a - (time[i] >= 0 ? 1.0 : 0.0), e * a - weight[i] * e * e * b};
      }
    }
  }

 private:
  // For each row, the sum of w e^f over the rows whose time is not below its own.
  static std::vector<double> at_risk(std::span<const double> time, std::span<const double> score,
                                     std::span<const double> weight) {
    std::vector<double> risk(time.size());
    double sum = 0;
    for (std::size_t i = time.size(); i > 0;) {
      std::size_t begin = i;
      while (begin > 0 && std::fabs(time[begin - 1]) == std::fabs(time[i - 1]))
        --begin, sum += weight[begin] * exp_exact(score[begin]);
      while (i > begin) risk[--i] = sum;
    }
    return risk;
  }
};

}  // namespace wald
