// Measures of ranking: rows of one query are put in the order of their scores.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "loss/rank.h"
#include "measure/measures.h"
#include "measure/sum.h"

namespace wald {
namespace {

struct Ranked {
  std::vector<double> score, relevance;
  double weight = 0;  // mean of the rows'
};

// The rows that count, by query; without queries that have no relevant row.
std::vector<Ranked> by_query(std::span<const double> score, std::span<const double> actual,
                             std::span<const double> weight, std::span<const std::uint32_t> query) {
  std::map<std::uint32_t, Ranked> found;
  for (std::size_t row = 0; row < score.size(); ++row) {
    const double w = weight.empty() ? 1.0 : weight[row];
    if (!(w > 0)) continue;
    Ranked& of = found[query[row]];
    of.score.push_back(score[row]), of.relevance.push_back(actual[row]), of.weight += w;
  }
  std::vector<Ranked> out;
  for (auto& [number, of] : found) {
    if (std::ranges::none_of(of.relevance, [](double r) { return r > 0; })) continue;  // nothing to find
    of.weight /= static_cast<double>(of.score.size());
    out.push_back(std::move(of));
  }
  return out;
}

// Visits runs of equal scores from the highest down: visit(first place, rows, sum of gains, rows with gain).
template <class Visit>
void each_tie(const Ranked& query, Visit visit) {
  std::vector<std::size_t> order(query.score.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t i) { return query.score[i]; });
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    double gains = 0;
    std::size_t relevant = 0;
    for (; end < order.size() && query.score[order[end]] == query.score[order[first]]; ++end)
      gains += Rank().gain(query.relevance[order[end]]), relevant += query.relevance[order[end]] > 0;
    visit(first, end - first, gains, relevant);
  }
}

// Gains, those of the loss, discounted by log2(place + 1), places counted from 1; equal scores share theirs (McSherry
// and Najork 2008).
double discounted(const Ranked& query, std::size_t most) {
  Sum sum;
  each_tie(query, [&](std::size_t first, std::size_t rows, double gains, std::size_t) {
    for (std::size_t place = first; place < std::min(first + rows, most); ++place)
      sum += gains / static_cast<double>(rows) / std::log2(static_cast<double>(place) + 2);
  });
  return sum;
}

double ndcg(const Ranked& query, std::size_t most) {
  const double best = discounted({query.relevance, query.relevance, 0}, most);
  return best > 0 ? discounted(query, most) / best : 0;
}

double average_precision(const Ranked& query) {
  Sum sum;
  std::size_t seen = 0;
  each_tie(query, [&](std::size_t first, std::size_t rows, double, std::size_t relevant) {
    seen += relevant;
    sum += static_cast<double>(relevant) * static_cast<double>(seen) / static_cast<double>(first + rows);
  });
  return sum / static_cast<double>(seen);
}

template <class OfQuery>
double mean_over(const std::vector<Ranked>& queries, OfQuery of_query) {
  Sum sum, weight;
  for (const Ranked& query : queries) sum += query.weight * of_query(query), weight += query.weight;
  return weight > 0 ? sum / weight : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::vector<Measure> measures_of_ranks(std::span<const double> score, std::span<const double> actual,
                                       std::span<const double> weight, std::span<const std::uint32_t> query,
                                       std::size_t rank_at) {
  constexpr double kNoRank = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Ranked> queries = by_query(score, actual, weight, query);
  // No share of a best sum: of gains below 0, or too large to be numbers.
  const bool none = std::ranges::any_of(actual, [](double y) { return y < 0 || y > kMostRelevance; });
  const auto ndcg_at = [&](std::size_t most) {
    return none ? kNoRank : mean_over(queries, [&](const Ranked& q) { return ndcg(q, most); });
  };
  std::vector<Measure> out{{"ndcg", ndcg_at(std::numeric_limits<std::size_t>::max())}, {"ndcg_10", ndcg_at(10)}};
  if (rank_at != 10) out.push_back({fmt::format("ndcg_{}", rank_at), ndcg_at(rank_at)});
  out.push_back({"map", mean_over(queries, [](const Ranked& q) { return average_precision(q); })});
  return out;
}

}  // namespace wald
