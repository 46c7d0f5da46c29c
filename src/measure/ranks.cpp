// Measures of ranking: rows of one query are put in the order of their scores.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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

// What boosting stops by, of finished models.
double mean_over(const std::vector<Ranked>& queries, const Rank& rank) {
  Sum sum, weight;
  for (const Ranked& query : queries)
    sum += query.weight * std::fmax(rank.value(query.relevance, query.score), 0), weight += query.weight;
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
    return none ? kNoRank : mean_over(queries, Rank{RankMeasure::Ndcg, most});
  };
  std::vector<Measure> out{{"ndcg", ndcg_at(std::numeric_limits<std::size_t>::max())}, {"ndcg_10", ndcg_at(10)}};
  if (rank_at != 10) out.push_back({fmt::format("ndcg_{}", rank_at), ndcg_at(rank_at)});
  out.push_back({"map", mean_over(queries, Rank{RankMeasure::Map})});
  return out;
}

}  // namespace wald
