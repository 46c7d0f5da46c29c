// Linear leaves and trees of one output: the game of the constants by definition, the terms on top of it.
#include <gtest/gtest.h>

#include <cmath>

#include "explain/shap_naive_test.h"
#include "explain/shap_sample_test.h"
#include "wald/explain.h"

namespace wald {
namespace {

sample::Shape shape_of(std::uint64_t seed) {
  const int small = static_cast<int>(seed);
  return {.columns = 2 + small % 6,
          .trees = 4,
          .max_depth = 1 + small % 6,
          .outputs = 1 + small % 3,
          .missing_everywhere = small % 2 == 0 ? 0.3 : 0,
          .one_output = small % 4 < 2,
          .linear = small % 3 != 0};
}

void expect_sum(const Explained& e, std::size_t row, std::size_t o) {
  double sum = e.base[o];
  for (const double v : e.values(row, o)) sum += v;
  const double score = e.score[row * e.outputs.size() + o];
  ASSERT_NEAR(sum, score, naive::close_to(score));
}

TEST(LinearLeaves, TermsGoToTheirColumnsAndTheRestIsTheGameOfTheConstants) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model model = sample::forest(shape_of(seed), seed);
    const Table table = sample::random_table(model, 40, seed);
    const auto rows = naive::rows_of(model, table);
    const auto e = explain(model, table, {.interactions = true});
    ASSERT_TRUE(e) << e.error().message;
    const std::size_t n = e->columns;
    for (std::size_t row = 0; row < rows.size(); row += 3)
      for (std::size_t o = 0; o < e->outputs.size(); ++o) {
        auto want = naive::shapley(naive::path_game(model.forest(), rows[row], o), static_cast<int>(n));
        const std::vector<double> terms = naive::terms_of(model.forest(), rows[row], o);
        expect_sum(*e, row, o);
        ASSERT_NEAR(e->base[o], want.base, naive::close_to(want.base));
        for (std::size_t c = 0; c < n; ++c) {
          ASSERT_NEAR(e->values(row, o)[c], want.value[c] + terms[c], naive::close_to(want.value[c]))
              << "seed " << seed;
          want.pair[c * n + c] += terms[c];
        }
        for (std::size_t p = 0; p < n * n; ++p)
          ASSERT_NEAR(e->pairs(row, o)[p], want.pair[p], naive::close_to(want.pair[p])) << "seed " << seed;
      }
  }
}

TEST(LinearLeaves, WithABackgroundTooTheConstantsPlayAndTheTermsAreAdded) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = sample::forest(shape_of(seed), seed);
    const Table table = sample::random_table(model, 20, seed), background = sample::random_table(model, 5, seed + 50);
    const auto rows = naive::rows_of(model, table), others = naive::rows_of(model, background);
    const auto e = explain(model, table, {.background = &background});
    ASSERT_TRUE(e) << e.error().message;
    for (std::size_t row = 0; row < rows.size(); row += 4)
      for (std::size_t o = 0; o < e->outputs.size(); ++o) {
        const auto want =
            naive::shapley(naive::background_game(model.forest(), rows[row], others, o), static_cast<int>(e->columns));
        const std::vector<double> terms = naive::terms_of(model.forest(), rows[row], o);
        expect_sum(*e, row, o);
        for (std::size_t c = 0; c < e->columns; ++c)
          ASSERT_NEAR(e->values(row, o)[c], want.value[c] + terms[c], naive::close_to(want.value[c]))
              << "seed " << seed;
      }
  }
}

TEST(LinearLeaves, SomeOutputsAloneAreThoseOfAll) {
  const Model model = sample::forest({.columns = 6, .trees = 6, .outputs = 3, .one_output = true, .linear = true}, 4);
  const Table table = sample::random_table(model, 9, 4);
  const auto all = explain(model, table), some = explain(model, table, {.outputs = {2, 0}});
  for (std::size_t row = 0; row < 9; ++row) {
    EXPECT_TRUE(std::ranges::equal(some->values(row, 0), all->values(row, 2)));
    EXPECT_TRUE(std::ranges::equal(some->values(row, 1), all->values(row, 0)));
  }
}

TEST(LinearLeaves, AreNoSplitsOfTheirColumnsButAreShuffled) {
  Model model{.schema = {{sample::number("a"), sample::number("b")}, sample::number("y")}};
  model.body = packed(Parts{.base = {0},
                            .cuts = {{0.5}, {}},
                            .first = {0, 3},
                            .nodes = {{0, 1, 0, 0, wald::Test::Threshold}, {}, {}},
                            .values = {0, 1, 2},
                            .cover = {10, 4, 6},
                            .gain = {3, 0, 0},
                            .terms = {{2, {1, 0, 2, 0, -1, 1}}}});
  const Importance got = importance(model);
  EXPECT_EQ(got.count, (std::vector<double>{1, 0}));
  EXPECT_EQ(got.cover, (std::vector<double>{10, 0}));
  EXPECT_EQ(got.gain, (std::vector<double>{3, 0}));
  Table table = sample::random_table(model, 50, 2);
  const auto shuffled = permutation_importance(model, table, std::vector<double>(50, 0.0), 5, {});
  EXPECT_NE(shuffled->mean[1], 0) << "a column that only a term reads still matters";
}

}  // namespace
}  // namespace wald
