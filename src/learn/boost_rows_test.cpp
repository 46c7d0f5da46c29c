// Rows of a round against the definition of their chances.
#include "learn/boost_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "core/random.h"

namespace wald {
namespace {

TEST(BoostRows, SumsOverRowsDrawnByGradientsAreRightOnAverage) {
  std::vector<Row> rows;
  std::vector<double> g, h;
  double whole = 0;
  for (Row r = 0; r < 400; ++r) {
    rows.push_back(r);
    g.push_back(r % 40 == 0 ? 25.0 : 0.01 * (r % 100) - 0.3), h.push_back(1);
    whole += g.back();
  }
  Boost how;
  how.rows = 0.3;
  for (const Sampling sampling : {Sampling::Uniform, Sampling::Gradient}) {
    how.sampling = sampling;
    double sum = 0, drawn = 0, spread = 0;
    constexpr int kRounds = 3000;
    for (int round = 0; round < kRounds; ++round) {
      const RowSample sample = draw_rows(rows, g, h, 1, how, 1, round);
      double here = 0;
      for (std::size_t i = 0; i < sample.rows.size(); ++i)
        here += g[sample.rows[i]] * (sample.weight.empty() ? 1 / how.rows : sample.weight[i]);
      sum += here, drawn += static_cast<double>(sample.rows.size()), spread += (here - whole) * (here - whole);
      EXPECT_EQ(sample.rows.size() + sample.rest.size(), rows.size());
    }
    spread = std::sqrt(spread / kRounds);
    EXPECT_NEAR(sum / kRounds, whole, 4 * spread / std::sqrt(kRounds));
    EXPECT_NEAR(drawn / kRounds, 120, 1);
    if (sampling == Sampling::Gradient) {
      EXPECT_LT(spread, 15);  // all alike: 121
    }
  }
}

// The definition: the threshold at which the chances sum to what is wanted, found by trying every number of certain
// rows.
TEST(BoostRows, RowsAreDrawnEachByItsOwnChance) {
  constexpr Row kRows = 10'000;
  std::vector<double> g(kRows), h(kRows);
  std::vector<Row> rows;
  const Random random(3, Purpose::Sample);
  for (Row r = 0; r < kRows; ++r) {
    g[r] = random.unit(2 * r) < 0.01 ? 50 * random.unit(2 * r + 1) : random.unit(2 * r + 1);
    if (r % 3 != 0) rows.push_back(r);
  }
  Boost how;
  how.sampling = Sampling::Gradient;
  for (const double share : {0.001, 0.3, 0.9}) {
    how.rows = share;
    std::vector<double> size;
    for (const Row r : rows) size.push_back(g[r]);
    std::ranges::sort(size, std::greater<>());
    double rest = std::accumulate(size.begin(), size.end(), 0.0), t = 0;
    for (std::size_t certain = 0; certain < size.size() && t == 0; ++certain) {
      const double at = rest / (share * static_cast<double>(rows.size()) - static_cast<double>(certain));
      if (size[certain] <= at) t = at;
      rest -= size[certain];
    }
    const RowSample sample = draw_rows(rows, g, h, 1, how, 5, 2);
    const Random draws(5, Purpose::Rounds, 2);
    std::vector<Row> drawn, others;
    for (const Row r : rows) (draws.unit(r) < g[r] / t ? drawn : others).push_back(r);
    EXPECT_EQ(sample.drawn, drawn) << share;
    EXPECT_EQ(sample.rest, others) << share;
    for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_NEAR(sample.weight[i], std::fmax(1, t / g[drawn[i]]), 1e-9);
  }
  std::ranges::fill(g, 0.0), g[1] = g[2] = 1;  // fewer rows say anything than are wanted
  how.rows = 0.5;
  EXPECT_EQ(draw_rows(rows, g, h, 1, how, 5, 2).rows.size(), rows.size());
}

}  // namespace
}  // namespace wald
