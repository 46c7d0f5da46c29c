// LambdaRank (Burges 2010): within a query, each pair of rows of unequal relevance is pulled apart by the logistic loss
// of their score difference, weighted by what exchanging the two would change in the measure of the whole list. The
// target is the relevance, 0 or more: gain 2^relevance - 1 for NDCG, relevant or not for MAP.
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "loss/loss.h"

namespace wald {

enum class RankMeasure { Ndcg, Map };

inline constexpr double kMostRelevance = 1000;  // sums of 2 to its power must be numbers

struct Rank {
  RankMeasure measure = RankMeasure::Ndcg;
  std::size_t at = 10;  // NDCG counts the first so many places

  double gain(double relevance) const { return exp_exact(relevance * 0.6931471805599453) - 1; }
  double discount(std::size_t place) const { return place < at ? 1 / log2_exact(static_cast<double>(place) + 2) : 0; }

  // Rows of one query by descending score; among equals the first comes first, so that every pair has two places to
  // exchange when all scores are still the same.
  static std::vector<std::size_t> order(std::span<const double> score) {
    std::vector<std::size_t> rows(score.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) { return score[a] > score[b]; });
    return rows;
  }

  // Of one query, 0 to 1; below 0 = undefined, no row is relevant. Equal scores share their places (McSherry and Najork
  // 2008): in which order a table happens to hold its rows says nothing of the scores.
  double value(std::span<const double> relevance, std::span<const double> score) const {
    const double best = measure == RankMeasure::Map ? relevant_of(relevance) : ideal_gain(relevance);
    const std::vector<std::size_t> rows = order(score);
    double sum = 0, seen = 0;
    for (std::size_t first = 0, end = 0; first < rows.size(); first = end) {
      double gains = 0, relevant = 0;
      for (; end < rows.size() && score[rows[end]] == score[rows[first]]; ++end)
        gains += measure == RankMeasure::Map ? 0 : gain(relevance[rows[end]]),
            relevant += relevance[rows[end]] > 0 ? 1 : 0;
      seen += relevant;
      if (measure == RankMeasure::Map) sum += relevant * (seen / static_cast<double>(end));
      else
        for (std::size_t place = first; place < std::min(end, at); ++place)
          sum += gains / static_cast<double>(end - first) * discount(place);
    }
    return best > 0 ? std::fmin(sum / best, 1) : -1;
  }

  void slopes(std::span<const double> relevance, std::span<const double> score, std::span<Slope> out) const {
    std::ranges::fill(out, Slope{});
    const std::vector<std::size_t> rows = order(score);
    const double ideal = ideal_gain(relevance);
    const std::vector<double> before = relevant_before(relevance, rows);
    if (!(measure == RankMeasure::Map ? before.back() > 0 : ideal > 0)) return;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = i + 1; j < rows.size(); ++j) {
        const double a = relevance[rows[i]], b = relevance[rows[j]];
        if (a == b) continue;
        const double change = measure == RankMeasure::Map
                                  ? change_of_precision(relevance, rows, before, i, j)
                                  : std::fabs(gain(a) - gain(b)) * std::fabs(discount(i) - discount(j)) / ideal;
        pull(score, a > b ? rows[i] : rows[j], a > b ? rows[j] : rows[i], change, out);
      }
  }

 private:
  static void pull(std::span<const double> score, std::size_t better, std::size_t worse, double change,
                   std::span<Slope> out) {
    const double p = 1 / (1 + exp_exact(score[better] - score[worse])), h = change * p * (1 - p);
    out[better].first -= change * p, out[better].second += h;
    out[worse].first += change * p, out[worse].second += h;
  }

  double ideal_gain(std::span<const double> relevance) const {
    std::vector<double> best(relevance.begin(), relevance.end());
    std::ranges::sort(best, std::greater<>());
    double sum = 0;
    for (std::size_t i = 0; i < best.size() && i < at; ++i) sum += gain(best[i]) * discount(i);
    return sum;
  }

  // [i] = how many of the first i rows are relevant.
  static std::vector<double> relevant_before(std::span<const double> relevance, std::span<const std::size_t> rows) {
    std::vector<double> out{0};
    for (const std::size_t r : rows) out.push_back(out.back() + (relevance[r] > 0 ? 1 : 0));
    return out;
  }
  static double relevant_of(std::span<const double> relevance) {
    return static_cast<double>(std::ranges::count_if(relevance, [](double r) { return r > 0; }));
  }
  // What exchanging places i < j does to the average precision.
  static double change_of_precision(std::span<const double> relevance, std::span<const std::size_t> rows,
                                    std::span<const double> before, std::size_t i, std::size_t j) {
    const bool first = relevance[rows[i]] > 0, second = relevance[rows[j]] > 0;
    if (first == second) return 0;
    const auto place = [](std::size_t k) { return static_cast<double>(k) + 1; };
    double between = 0;  // each relevant row in between has one relevant row more, or less, before it
    for (std::size_t k = i + 1; k < j; ++k)
      if (relevance[rows[k]] > 0) between += 1 / place(k);
    const double at_first = before[i] + 1;  // relevant up to place i with a relevant row there
    const double at_last = before[j + 1];   // relevant up to place j either way
    return (at_first / place(i) - at_last / place(j) + between) / before.back();
  }
};

}  // namespace wald
