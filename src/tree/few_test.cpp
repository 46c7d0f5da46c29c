#include "tree/few.h"

#include <gtest/gtest.h>

#include "tree/grow.h"
#include "tree/naive_test.h"
#include "tree/newton.h"

namespace wald {
namespace {

using testing::all_rows, testing::Data, testing::random_data;

// A limit on leaves that never binds keeps grow() to its own loop.
template <Criterion C>
void expect_alike(const Binned& x, Row rows, const C& criterion, GrowOptions how) {
  GrowSpace few, own;
  few.rows = own.rows = all_rows(rows);
  const Tree by_few = grow(x, few, criterion, how, {});
  how.max_leaves = std::int64_t{1} << 40;
  const Tree by_own = grow(x, own, criterion, how, {});
  ASSERT_GE(by_few.nodes.size(), 3u);
  EXPECT_EQ(by_few, by_own);
  ASSERT_EQ(few.range.size(), own.range.size());
  for (std::size_t n = 0; n < few.range.size(); ++n) {  // each node has the same rows, whatever their order
    ASSERT_EQ(few.range[n].first, own.range[n].first);
    ASSERT_EQ(few.range[n].last, own.range[n].last);
  }
  for (std::size_t n = 0; n < few.range.size(); ++n) {
    if (by_few.nodes[n].test != Test::Leaf) continue;
    const auto of = [&](const GrowSpace& space) {
      const Row* from = space.rows.data();
      return std::set<Row>(from + space.range[n].first, from + space.range[n].last);
    };
    ASSERT_EQ(of(few), of(own)) << "leaf " << n;
  }
}

std::vector<GrowOptions> various() {
  std::vector<GrowOptions> out(5);
  out[1].max_depth = 6;
  out[2].min_leaf = 3, out[2].min_split = 9;
  out[3].zero_gain = true;
  out[4].missing = MissingRule::Majority, out[4].min_gain = 1e-4;
  return out;
}

// Derivatives of which some are nothing, as those of rows that are learned.
FixedGradients gradients_of(const Data& data, std::uint64_t seed) {
  const Random random(seed, Purpose::Sample);
  std::vector<double> g, h;
  for (std::size_t r = 0; r < data.y.size(); ++r) {
    const double size = random.below(8, 2 * r) == 0 ? 0 : 0.0625 + random.unit(2 * r + 1);
    h.push_back(size), g.push_back(size * (data.y[r] - 1.5));
  }
  FixedGradients out;
  fix_gradients(g, h, 20, out);
  return out;
}

std::vector<Newton> newtons(const FixedGradients& gradients) {
  std::vector<Newton> out(4, Newton{.gradients = &gradients});
  out[1].l1 = 0.5, out[1].l2 = 0;
  out[2].levels = {.one_against_rest = 2, .min_rows = 3, .smoothing = 5, .l2 = 1, .most = 2};
  out[3].least.rows = 3;  // not for few rows where there are categories
  return out;
}

TEST(FewRows, TreesOfClassesAreThoseOfTheOtherLoop) {
  for (const Row rows : {40u, 700u, 3000u})
    for (const int classes : {2, 3, 7})
      for (const bool weighted : {false, true})
        for (const GrowOptions& how : various()) {
          const Data data = random_data(rows + static_cast<Row>(classes), rows, 4, 2, 5, classes, 300);
          Gini gini{};
          gini.label = data.label, gini.classes = classes;
          if (weighted) gini.row_weight = data.weight;
          expect_alike(*bin(data.table, 255), rows, gini, how);
        }
}

TEST(FewRows, TreesOfNumbersAreThoseOfTheOtherLoop) {
  for (const Row rows : {40u, 700u, 3000u})
    for (const bool weighted : {false, true})
      for (const GrowOptions& how : various()) {
        const Data data = random_data(rows, rows, 4, 2, 5, 2, 300);
        const std::span<const std::int64_t> weight =
            weighted ? std::span<const std::int64_t>(data.weight) : std::span<const std::int64_t>{};
        const FixedTarget fixed = fix_target(data.y, weight);
        expect_alike(*bin(data.table, 65535), rows, Variance{.target = data.y, .row_weight = weight, .fixed = &fixed},
                     how);
      }
}

TEST(FewRows, TreesOfDerivativesAreThoseOfTheOtherLoop) {
  for (const Row rows : {40u, 300u, 3000u})
    for (const int distinct : {5, 40, 1000})
      for (GrowOptions how : various()) {
        how.min_leaf /= 4, how.min_split /= 4;
        const Data data = random_data(rows, rows, 4, 2, 5, 2, distinct);
        const FixedGradients gradients = gradients_of(data, rows);
        for (const Newton& newton : newtons(gradients)) expect_alike(*bin(data.table, 255), rows, newton, how);
      }
}

TEST(FewRows, LeavesOfEnoughRowsAreThoseOfTheOtherLoop) {
  for (const Row rows : {60u, 300u, 3000u})
    for (const int distinct : {5, 40, 1000})
      for (const double least : {2, 5, 20})
        for (const double common : {kMissing, 0.0, 3.0})
          for (GrowOptions how : various()) {
            how.min_leaf /= 4, how.min_split /= 4;
            Data data = random_data(rows, rows, 4, 0, 5, 2, distinct);
            std::vector<double> values(rows);
            for (Row r = 0; r < rows; ++r) values[r] = r % 3 != 0 ? common : data.table.columns[0].numbers()[r];
            data.table.columns[0].data = Numbers(values);
            const FixedGradients gradients = gradients_of(data, rows);
            Newton newton{.gradients = &gradients};
            newton.least.rows = least;
            expect_alike(*bin(data.table, 255), rows, newton, how);
          }
}

// Numbers that tell the same, from below and from above, by few values and by many; derivatives of two sizes or one.
TEST(FewRows, OfManyCutsThatGainTheSameTheOtherLoopTakesTheSame) {
  for (const Row rows : {70u, 300u, 500u})
    for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
      const Random random(seed, Purpose::Sample);
      std::vector<std::vector<double>> column(6, std::vector<double>(rows));
      std::vector<double> g(rows), h(rows);
      for (Row r = 0; r < rows; ++r) {
        const auto value = static_cast<double>(seed % 2 == 0 ? random.below(30, 3 * r) : r);
        column[0][r] = value, column[1][r] = -value, column[2][r] = std::floor(value / 2), column[3][r] = 2 * value;
        column[4][r] = static_cast<double>(r % 2), column[5][r] = static_cast<double>(rows - r) * value;
        const bool middle = r >= rows / 4 && r < rows - rows / 4;
        g[r] = seed <= 4 ? (middle ? 1 : -1) : random.below(2, 3 * r + 1) == 0 ? 1 : -1;
        if (seed % 3 == 0) g[r] = random.below(20, 3 * r + 2) == 0 ? g[r] : 0.25;
        h[r] = seed % 4 == 1 && r % 3 == 0 ? 0 : 1;
      }
      Data data = random_data(seed, rows, 6, 0, 5, 2, 10);
      for (std::size_t c = 0; c < column.size(); ++c) data.table.columns[c].data = Numbers(column[c]);
      FixedGradients gradients;
      fix_gradients(g, h, seed < 4 ? 4 : 20, gradients);
      for (GrowOptions how : various())
        for (const double least : {0, 5, 20}) {
          how.zero_gain = false;
          how.min_leaf = seed % 2 == 0 ? 0 : 2;
          Newton newton{.gradients = &gradients, .l1 = seed == 8 ? 0.5 : 0, .l2 = seed % 2 == 0 ? 0.0 : 1.0};
          newton.least.rows = least;
          expect_alike(*bin(data.table, 255), rows, newton, how);
        }
    }
}

// So many cuts that not every column's are kept while the others are looked at.
TEST(FewRows, OfManyColumnsTheOtherLoopTakesTheSame) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Data data = random_data(seed, 500, 40, 0, 5, 2, seed == 1 ? 1000 : 60);
    const FixedGradients gradients = gradients_of(data, seed);
    for (const double least : {0, 20}) {
      Newton newton{.gradients = &gradients};
      newton.least.rows = least;
      expect_alike(*bin(data.table, 255), 500, newton, {.max_depth = 6, .min_leaf = 0.1});
    }
  }
}

TEST(FewRows, WhatATreeLeavesBehindDoesNotMatterToTheNext) {
  const Data data = random_data(7, 300, 4, 2, 5, 2, 1000);
  const Binned x = *bin(data.table, 255);
  const std::vector<Row> all = all_rows(300), some(all.begin() + 40, all.end());
  GrowSpace kept;
  for (std::uint64_t tree = 0; tree < 6; ++tree) {
    const FixedGradients gradients = gradients_of(data, tree);
    const Newton newton{.gradients = &gradients};
    const GrowOptions how{.max_depth = 3 + static_cast<int>(tree % 3), .min_leaf = 0.1};
    GrowSpace fresh;
    kept.rows = fresh.rows = tree % 3 == 1 ? some : all;
    EXPECT_EQ(grow(x, kept, newton, how, {}), grow(x, fresh, newton, how, {}));
    EXPECT_EQ(kept.rows, fresh.rows);
  }
}

// Most rows have the same number, or none: the least, one in the middle, the greatest.
TEST(FewRows, AValueThatMostRowsHaveChangesNothing) {
  for (const double common : {kMissing, 0.0, 30.0, 80.0})
    for (const int classes : {2, 7})
      for (const GrowOptions& how : various()) {
        Data data = random_data(classes, 2000, 5, 1, 4, classes, 300);
        const Random random(7, Purpose::Sample);
        for (std::size_t c = 0; c < 4; ++c) {  // the fifth stays as it is
          std::vector<double> values(2000);
          for (Row r = 0; r < 2000; ++r)
            values[r] = random.below(10, r + 2000 * c) < 5 + c ? common : data.table.columns[c].numbers()[r];
          data.table.columns[c].data = Numbers(values);
        }
        const auto x = bin(data.table, 255);
        Gini gini{};
        gini.label = data.label, gini.classes = classes;
        expect_alike(*x, 2000, gini, how);
        if (classes > 2) continue;
        const FixedTarget fixed = fix_target(data.y, {});
        expect_alike(*x, 2000, Variance{.target = data.y, .fixed = &fixed}, how);
        const FixedGradients gradients = gradients_of(data, 7);
        for (const Newton& newton : newtons(gradients)) expect_alike(*x, 2000, newton, how);
      }
}

}  // namespace
}  // namespace wald
