#include "loss/loss.h"

#include <gtest/gtest.h>

#include <random>

#include "core/parallel.h"
#include "loss/absolute.h"
#include "loss/cox.h"
#include "loss/exponential.h"
#include "loss/gamma.h"
#include "loss/huber.h"
#include "loss/logistic.h"
#include "loss/objective.h"
#include "loss/poisson.h"
#include "loss/quantile.h"
#include "loss/rank.h"
#include "loss/softmax.h"
#include "loss/squared.h"
#include "loss/tweedie.h"

namespace wald {
namespace {

constexpr double kStep = 1e-5;

// Away from kinks: the first derivative against the value, the second against the first.
template <class L>
void expect_slopes(const L& loss, const std::vector<double>& targets, bool curved = true) {
  for (const double y : targets)
    for (const double f : {-3.3, -1.1, -0.2, 0.15, 0.9, 2.7}) {
      const Slope slope = loss.slope(y, f);
      const double first = (loss.value(y, f + kStep) - loss.value(y, f - kStep)) / (2 * kStep);
      const double second = (loss.slope(y, f + kStep).first - loss.slope(y, f - kStep).first) / (2 * kStep);
      EXPECT_NEAR(slope.first, first, 1e-6 * (1 + std::fabs(first))) << y << " " << f;
      if (curved) { EXPECT_NEAR(slope.second, second, 1e-6 * (1 + std::fabs(second))) << y << " " << f; }
    }
}

TEST(Loss, DerivativesAreThoseOfTheValue) {
  expect_slopes(Squared{}, {-2, 0, 3.5});
  expect_slopes(Logistic{}, {0, 1});
  expect_slopes(Exponential{}, {0, 1});
  expect_slopes(Poisson{}, {0, 1, 7});
  expect_slopes(Gamma{}, {0.1, 1, 7});
  expect_slopes(Tweedie{1.5}, {0, 1, 7});
  expect_slopes(Tweedie{1.1}, {0, 0.3, 20});
  expect_slopes(Absolute{}, {-2, 0, 3.5}, false);
  expect_slopes(Quantile{0.9}, {-2, 0, 3.5}, false);
  expect_slopes(Huber{0.7}, {-2, 0, 3.5}, false);
}

TEST(Loss, ValuesAreZeroAtTheTarget) {
  EXPECT_EQ(Squared::value(3, 3), 0);
  EXPECT_EQ(Absolute::value(3, 3), 0);
  EXPECT_EQ(Quantile{0.2}.value(3, 3), 0);
  EXPECT_EQ(Huber{2}.value(3, 3), 0);
  EXPECT_NEAR(Poisson::value(3, log_exact(3)), 0, 1e-15);
  EXPECT_NEAR(Gamma::value(3, log_exact(3)), 0, 1e-15);
  EXPECT_NEAR(Tweedie{1.3}.value(3, log_exact(3)), 0, 1e-14);
}

TEST(Loss, ExtremeScoresGiveFiniteLogisticLosses) {
  for (const double f : {-1000.0, 1000.0})
    for (const double y : {0.0, 1.0}) {
      EXPECT_TRUE(std::isfinite(Logistic::value(y, f)));
      EXPECT_TRUE(std::isfinite(Logistic::slope(y, f).first));
      EXPECT_GE(Logistic::slope(y, f).second, 0);
    }
  EXPECT_EQ(Logistic::value(0, 1000), 1000);
}

void slopes_of(int label, std::span<const double> f, std::span<Slope> out) {
  std::vector<double> e(f.size());
  Softmax::exponents(f, e);
  exp_each(e);
  Softmax::slopes_at(label, e, out);
}

TEST(Loss, SoftmaxDerivativesAreThoseOfItsValue) {
  std::vector<double> f{0.3, -1.2, 2.1, 0.0};
  std::vector<Slope> slope(4), up(4), down(4);
  for (int label = 0; label < 4; ++label) {
    slopes_of(label, f, slope);
    for (std::size_t k = 0; k < f.size(); ++k) {
      const double at = f[k];
      f[k] = at + kStep;
      const double more = Softmax::value(label, f);
      slopes_of(label, f, up);
      f[k] = at - kStep;
      const double less = Softmax::value(label, f);
      slopes_of(label, f, down);
      f[k] = at;
      EXPECT_NEAR(slope[k].first, (more - less) / (2 * kStep), 1e-8);
      EXPECT_NEAR(slope[k].second, 4.0 / 3 * (up[k].first - down[k].first) / (2 * kStep), 1e-8);
    }
  }
}

TEST(Loss, SoftmaxOfTwoClassesIsLogistic) {
  std::vector<Slope> slope(2);
  for (const double f : {-2.0, 0.0, 0.7}) {
    EXPECT_NEAR(Softmax::value(1, std::vector{0.0, f}), Logistic::value(1, f), 1e-15);
    slopes_of(1, std::vector{0.0, f}, slope);
    EXPECT_NEAR(slope[1].first, Logistic::slope(1, f).first, 1e-15);
  }
}

struct Survival {
  std::vector<double> time{1, -2, 2, 2, -3, 5, 5, -8}, score{0.2, -1, 0.4, 0.1, 1.2, -0.3, 0.8, 0}, weight;
  explicit Survival(bool weighted) : weight(time.size(), 1) {
    if (weighted) weight = {1, 0.5, 2, 1, 0.25, 1.5, 1, 3};
  }
};

TEST(Loss, CoxIsThePartialLikelihoodByDefinition) {
  for (const bool weighted : {false, true}) {
    const Survival s(weighted);
    double sum = 0, events = 0;
    for (std::size_t i = 0; i < s.time.size(); ++i) {
      if (s.time[i] < 0) continue;
      double risk = 0;
      for (std::size_t j = 0; j < s.time.size(); ++j)
        if (std::fabs(s.time[j]) >= s.time[i]) risk += s.weight[j] * std::exp(s.score[j]);
      sum += s.weight[i] * (std::log(risk) - s.score[i]), events += s.weight[i];
    }
    EXPECT_NEAR(Cox::value(s.time, s.score, s.weight), sum / events, 1e-14);
  }
}

TEST(Loss, CoxDerivativesAreThoseOfItsValue) {
  for (const bool weighted : {false, true}) {
    Survival s(weighted);
    double events = 0;
    for (std::size_t i = 0; i < s.time.size(); ++i) events += s.time[i] >= 0 ? s.weight[i] : 0;
    std::vector<Slope> slope(s.time.size()), up(slope), down(slope);
    Cox::slopes(s.time, s.score, s.weight, slope);
    for (std::size_t i = 0; i < s.time.size(); ++i) {
      const double at = s.score[i];
      s.score[i] = at + kStep;
      const double more = Cox::value(s.time, s.score, s.weight);
      Cox::slopes(s.time, s.score, s.weight, up);
      s.score[i] = at - kStep;
      const double less = Cox::value(s.time, s.score, s.weight);
      Cox::slopes(s.time, s.score, s.weight, down);
      s.score[i] = at;
      // Slopes are those of the sum, before the row's weight.
      EXPECT_NEAR(s.weight[i] * slope[i].first, events * (more - less) / (2 * kStep), 1e-7) << i;
      EXPECT_NEAR(slope[i].second, (up[i].first - down[i].first) / (2 * kStep), 1e-7) << i;
    }
  }
}

double exchanged(const Rank& rank, const std::vector<double>& relevance, std::vector<double> score, std::size_t i,
                 std::size_t j) {
  const double before = rank.value(relevance, score);
  std::swap(score[i], score[j]);
  return std::fabs(rank.value(relevance, score) - before);
}

TEST(Loss, LambdaRankWeighsEachPairByWhatItsExchangeChanges) {
  const std::vector<double> relevance{0, 2, 1, 0, 4, 1, 0}, score{0.3, 0.1, -0.4, 0.9, -0.8, 0.2, -1.5};
  for (const Rank rank : {Rank{RankMeasure::Ndcg, 10}, Rank{RankMeasure::Ndcg, 3}, Rank{RankMeasure::Map, 10}}) {
    std::vector<Slope> slope(7), expected(7);
    rank.slopes(relevance, score, slope);
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 7; ++j) {
        if (!(relevance[i] > relevance[j])) continue;
        const double change = exchanged(rank, relevance, score, i, j);
        const double p = 1 / (1 + std::exp(score[i] - score[j]));
        expected[i].first -= change * p, expected[j].first += change * p;
        expected[i].second += change * p * (1 - p), expected[j].second += change * p * (1 - p);
      }
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_NEAR(slope[i].first, expected[i].first, 1e-14);
      EXPECT_NEAR(slope[i].second, expected[i].second, 1e-14);
    }
  }
}

TEST(Loss, NdcgAndMapAreThoseOfTheirDefinitions) {
  const std::vector<double> relevance{3, 2, 3, 0, 1, 2}, score{6, 5, 4, 3, 2, 1};  // the example of Wikipedia's page
  EXPECT_NEAR((Rank{RankMeasure::Ndcg, 6}.value(relevance, score)), 0.94881074856789849, 1e-12);
  EXPECT_NEAR((Rank{RankMeasure::Map, 6}.value({std::vector<double>{1, 0, 1, 0, 0, 1}}, score)),
              (1.0 + 2.0 / 3 + 3.0 / 6) / 3, 1e-15);
  EXPECT_LT((Rank{}.value({std::vector<double>{0, 0}}, std::vector<double>{1, 2})), 0);
}

TEST(Loss, EqualScoresShareTheirPlacesWhateverTheirOrder) {
  const std::vector<double> relevance{3, 0, 2, 1, 0}, score{1, 2, 1, 1, 0};  // places 2 to 4 are shared by three
  for (const Rank rank : {Rank{RankMeasure::Ndcg, 10}, Rank{RankMeasure::Ndcg, 3}}) {
    std::vector<std::size_t> among{0, 2, 3};
    double sum = 0;  // over all orders of the three
    do {
      std::vector<double> apart = score;
      for (std::size_t i = 0; i < 3; ++i) apart[among[i]] -= 0.1 * static_cast<double>(i);
      sum += rank.value(relevance, apart);
    } while (std::ranges::next_permutation(among).found);
    EXPECT_NEAR(rank.value(relevance, score), sum / 6, 1e-14);
  }
  // The precision at the last of the shared places counts for all that share it, as in scikit-learn.
  EXPECT_NEAR((Rank{RankMeasure::Map}.value(relevance, score)), 3.0 / 4, 1e-15);
  std::vector<std::size_t> order{0, 1, 2, 3, 4};
  do {
    std::vector<double> turned(5);
    for (std::size_t i = 0; i < 5; ++i) turned[i] = relevance[order[i]];
    for (const RankMeasure measure : {RankMeasure::Ndcg, RankMeasure::Map})
      EXPECT_NEAR((Rank{measure}.value(turned, std::vector<double>(5))),
                  (Rank{measure}.value(relevance, std::vector<double>(5))), 1e-15);
  } while (std::ranges::next_permutation(order).found);
}

TEST(Objective, QueriesWeighWhatTheirRowsDoOnAverage) {
  const Targets targets{
      .y = {2, 0, 1, 0, 1, 1, 0, 0}, .weight = {1, 3, 0.5, 0.5, 0, 1, 1, 1}, .query = {0, 0, 1, 1, 1, 2, 2, 2}};
  const std::vector<Row> rows{0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<double> score{0, 1, 0, 1, 2, 1, 0, 0};
  for (const Rank rank : {Rank{RankMeasure::Ndcg}, Rank{RankMeasure::Map}}) {
    const auto of = [&](std::size_t from, std::size_t count) {
      return rank.value(std::span(targets.y).subspan(from, count), std::span(score).subspan(from, count));
    };
    // The row of weight 0 is not there.
    EXPECT_NEAR(objective_of(rank, targets).measured(rows, score), (2 * of(0, 2) + 0.5 * of(2, 2) + of(5, 3)) / 3.5,
                1e-15);
  }
}

template <class L>
double loss_at(const L& loss, const Targets& targets, double f) {
  double sum = 0;
  for (Row r = 0; r < targets.y.size(); ++r) sum += targets.of(r) * loss.value(targets.y[r], f);
  return sum;
}

template <class L>
void expect_best_start(const L& loss, const Targets& targets) {
  std::vector<Row> rows(targets.y.size());
  std::iota(rows.begin(), rows.end(), 0u);
  const double start = objective_of(loss, targets).start(rows).score[0];
  for (const double away : {-1.0, -0.1, -1e-3, 1e-3, 0.1, 1.0})
    EXPECT_LE(loss_at(loss, targets, start), loss_at(loss, targets, start + away) + 1e-12) << away;
}

TEST(Objective, StartsAtTheBestConstant) {
  for (const bool weighted : {false, true}) {
    Targets numbers{.y = {0.5, 1, 1, 2, 3, 10}}, classes{.y = {0, 1, 1, 0, 1, 1}};
    if (weighted) numbers.weight = classes.weight = {1, 2, 0.5, 1, 1, 0.25};
    expect_best_start(Squared{}, numbers);
    expect_best_start(Absolute{}, numbers);
    expect_best_start(Quantile{0.3}, numbers);
    expect_best_start(Huber{1}, numbers);
    expect_best_start(Poisson{}, numbers);
    expect_best_start(Gamma{}, numbers);
    expect_best_start(Tweedie{}, numbers);
    expect_best_start(Logistic{}, classes);
    expect_best_start(Exponential{}, classes);
  }
}

TEST(Objective, StartsAreFiniteWhereEveryTargetIsTheSame) {
  const std::vector<Row> rows{0, 1, 2};
  for (const double y : {0.0, 1.0}) {
    const Targets same{.y = {y, y, y}};
    EXPECT_TRUE(std::isfinite(objective_of(Logistic{}, same).start(rows).score[0]));
    EXPECT_TRUE(std::isfinite(objective_of(Poisson{}, same).start(rows).score[0]));
  }
}

template <class L>
void expect_start_of_any_unit(const L& loss) {
  const std::vector<Row> rows{0, 1, 2, 3}, first{0, 1};
  const auto start = [&](double unit, const std::vector<Row>& of) {
    const Targets targets{.y = {0.5 * unit, 1 * unit, 3 * unit, 20 * unit}, .weight = {1, 0.5, 2, 0.5}};
    return objective_of(loss, targets).start(of).score[0];
  };
  EXPECT_NEAR(start(1, rows), std::log((0.5 + 0.5 + 6 + 10) / 4), 1e-14);
  for (const int power : {-600, -20, 20, 400})
    for (const auto& of : {rows, first})
      EXPECT_NEAR(start(std::ldexp(1.0, power), of), start(1, of) + power * std::log(2.0), 1e-12) << power;
}

TEST(Objective, TheUnitOfAnAmountShiftsTheStartByItsLogarithm) {
  expect_start_of_any_unit(Poisson{});
  expect_start_of_any_unit(Gamma{});
  expect_start_of_any_unit(Tweedie{});
  for (const double unit : {0x1p-30, 1.0}) {  // where all rows at hand are 0, by the least amount of the others
    const Targets rare{.y = {0, 0, 0, 0, 2 * unit, 7 * unit}};
    EXPECT_NEAR(objective_of(Poisson{}, rare).start(std::vector<Row>{0, 1, 2, 3}).score[0],
                std::log(0.5 / 4 * 2 * unit), 1e-12);
  }
}

TEST(Objective, AUsersLogisticLossIsTheBuiltInOne) {
  const Targets targets{.y = {0, 1, 1, 0, 1}};
  const std::vector<Row> rows{0, 1, 2, 3, 4};
  const std::vector<double> score{0.1, -2, 3, 0.4, 0};
  const Objective built_in = objective_of(Logistic{}, targets);
  const Objective own = objective_of(OwnLoss{.value = Logistic::value, .slope = Logistic::slope}, targets);
  std::vector<double> g(5), h(5), own_g(5), own_h(5);
  built_in.slopes(rows, score, g, h), own.slopes(rows, score, own_g, own_h);
  EXPECT_EQ(g, own_g);
  EXPECT_EQ(h, own_h);
  EXPECT_EQ(built_in.measured(rows, score), own.measured(rows, score));
  EXPECT_NEAR(built_in.start(rows).score[0], own.start(rows).score[0], 1e-9);
}

TEST(Objective, MeasuresAreTheSameForAnyThreadsAndOrderOfWork) {
  Targets targets;
  std::vector<Row> rows;
  std::vector<double> score;
  std::mt19937 draw(1);
  for (Row r = 0; r < 50'000; ++r)
    targets.y.push_back(draw() % 2 == 0 ? 0 : 1), rows.push_back(r),
        score.push_back(static_cast<double>(draw()) / 1e9 - 2);
  const Objective objective = objective_of(Logistic{}, targets);
  const double once = objective.measured(rows, score);
  EXPECT_EQ(once,
            objective_of(OwnLoss{.value = Logistic::value, .slope = Logistic::slope}, targets).measured(rows, score));
  for (const int threads : {1, 2, 3})
    for (const std::uint64_t order : {0u, 5u}) {
      shuffle_work(order);
      with_threads(threads, [&] { EXPECT_EQ(objective.measured(rows, score), once); });
      shuffle_work(0);
    }
}

TEST(Quantile, HasAtMostItsShareOfTheWeightBelowAndTheRestAbove) {
  std::mt19937 draw(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Weighted> values(1 + draw() % 9);
    for (Weighted& v : values) v = {static_cast<double>(draw() % 5), static_cast<double>(1 + draw() % 3)};
    const double q = static_cast<double>(1 + draw() % 9) / 10;
    const double found = quantile(values, q);
    double below = 0, above = 0, all = 0;
    for (const Weighted& v : values)
      all += v.weight, below += v.value < found ? v.weight : 0, above += v.value > found ? v.weight : 0;
    EXPECT_LE(below, q * all + 1e-9);
    EXPECT_LE(above, (1 - q) * all + 1e-9);
  }
}

TEST(Quantile, TakesSumsOfWeightsForTheSameThatDifferByRoundingAlone) {
  for (const int n : {4, 5}) {  // n parts of 1 / n below n + 1 of 1 / (n + 1)
    std::vector<Weighted> values;
    for (int i = 0; i < 2 * n + 1; ++i) values.push_back({static_cast<double>(i), 1.0 / (i < n ? n : n + 1)});
    EXPECT_EQ(quantile(values, 0.5), n == 4 ? n - 1 : n);
    EXPECT_EQ(quantile(values, 0.5, 1e-12), n - 0.5);
    EXPECT_EQ(quantile(values, 0.45, 1e-12), n - 1);
    EXPECT_EQ(quantile(values, 0, 1e-12), 0);
    EXPECT_EQ(quantile(values, 1, 1e-12), 2 * n);
  }
}

}  // namespace
}  // namespace wald
