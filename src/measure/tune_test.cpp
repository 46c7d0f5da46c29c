#include "wald/tune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/random.h"
#include "measure/propose.h"

namespace wald {
namespace {

const std::vector<SearchRange> kRanges = {
    {"leaves", 4, 256, true, true}, {"share", 0.2, 1}, {"word", 0, 1, false, false, {"a", "b", "c"}}};

TEST(Propose, EveryPointIsWithinItsRangesAndFoundAgain) {
  for (std::uint64_t n = 0; n < 500; ++n) {
    const Settings settings = settings_at(kRanges, drawn_point(3, 5, n));
    const int leaves = std::stoi(settings.at("leaves"));
    EXPECT_TRUE(leaves >= 4 && leaves <= 256);
    EXPECT_TRUE(std::stod(settings.at("share")) >= 0.2 && std::stod(settings.at("share")) <= 1);
    EXPECT_EQ(settings_at(kRanges, point_of(kRanges, settings)), settings);
  }
}

TEST(Propose, AGridMeetsEveryCombinationOnce) {
  std::set<Point> seen;
  std::uint64_t n = 0;
  for (Point p = grid_point(3, 4, 9, 0); !p.empty(); p = grid_point(3, 4, 9, ++n)) seen.insert(p);
  EXPECT_EQ(n, 64u);
  EXPECT_EQ(seen.size(), 64u);
}

// A bowl with its bottom at (0.8, 0.2): what is proposed must crowd around it, unlike what is drawn.
TEST(Propose, LikelyPointsLieWhereTrialsWereGood) {
  const auto bowl = [](const Point& p) { return (p[0] - 0.8) * (p[0] - 0.8) + (p[1] - 0.2) * (p[1] - 0.2); };
  double likely = 0, drawn = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<Point> points;
    std::vector<double> loss;
    for (std::uint64_t n = 0; n < 40; ++n) {
      points.push_back(n < 10 ? drawn_point(2, seed, n) : likely_point(points, loss, seed, n));
      loss.push_back(bowl(points.back()));
      drawn += bowl(drawn_point(2, seed, 1000 + n)) / 40;
      likely += n < 10 ? 0 : loss.back() / 30;
    }
  }
  EXPECT_LT(likely, drawn / 2);
}

// Two classes by a threshold, a fifth of the labels wrong: a tree grown to the end learns the noise.
Task noisy_task() {
  const Random random(3, Purpose::Sample);
  std::vector<double> a(200);
  Classes y{.name = {"no", "yes"}};
  for (Row r = 0; r < 200; ++r) {
    a[r] = random.unit(2 * r);
    y.code.push_back((a[r] > 0.5) != (random.unit(2 * r + 1) < 0.2));
  }
  Task out{.x = {.rows = 200, .source = "drawn"}, .target = "y", .y = y};
  out.x.columns = {{"a", Numbers(a)}};
  return out;
}

TEST(Tune, FindsThatASmallTreeIsEnoughByEveryMethod) {
  const Task task = noisy_task();
  const auto folds = make_folds(task, {.folds = 4}, 1);
  for (const TuneMethod method : {TuneMethod::Bayes, TuneMethod::Random, TuneMethod::Grid, TuneMethod::Halving}) {
    const auto tuned = tune("cart", task, {}, *folds, {.method = method, .trials = 45, .measure = "log_loss"}, {});
    ASSERT_TRUE(tuned) << tuned.error().message;
    EXPECT_EQ(tuned->trials.size(), method == TuneMethod::Grid ? 28u : 45u);  // 3^3 combinations and the defaults
    EXPECT_TRUE(tuned->trials[0].settings.empty());
    EXPECT_TRUE(tuned->worthwhile);
    EXPECT_EQ(tuned->trials[tuned->best].share, 1);
    for (const Trial& t : tuned->trials) {
      if (t.share < 1) continue;
      EXPECT_LE(moments_of(tuned->trials[tuned->best].score).mean, moments_of(t.score).mean);
    }
  }
}

TEST(Tune, TakenUpAgainItMakesTheSameTrials) {
  const Task task = noisy_task();
  const auto folds = make_folds(task, {.folds = 3}, 1);
  const TuneOptions how{.trials = 20, .measure = "accuracy", .more_is_better = true};
  const auto whole = tune("cart", task, {}, *folds, how, {});
  TuneOptions part = how;
  part.trials = 13;
  const auto first = tune("cart", task, {}, *folds, part, {});
  const auto rest = tune("cart", task, {}, *folds, how, first->trials);
  ASSERT_EQ(rest->trials.size(), whole->trials.size());
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(rest->trials[i].settings, whole->trials[i].settings);
    EXPECT_EQ(rest->trials[i].score, whole->trials[i].score);
  }
  EXPECT_EQ(rest->best, whole->best);
}

// A million trees take longer than any of these budgets on any machine.
TEST(Tune, EndsWithItsTimeAlsoWithinATrial) {
  const Task task = noisy_task();
  const auto folds = make_folds(task, {.folds = 3}, 1);
  const Settings endless{{"trees", "1000000"}};
  const TuneOptions how{.seconds = 0.2, .measure = "log_loss"};
  const auto nothing = tune("forest", task, endless, *folds, how, {});
  ASSERT_TRUE(nothing) << nothing.error().message;
  EXPECT_TRUE(nothing->first_cut_off);
  ASSERT_EQ(nothing->trials.size(), 1u);
  EXPECT_TRUE(nothing->trials[0].score.empty());
  EXPECT_EQ(nothing->compared(), 0u);
  EXPECT_FALSE(nothing->worthwhile);
  const auto rest = tune("forest", task, endless, *folds, how, {{.settings = {}, .score = {0.5, 0.5, 0.5}}});
  ASSERT_TRUE(rest);
  EXPECT_FALSE(rest->first_cut_off);
  EXPECT_EQ(rest->trials.size(), 1u);  // the second was cut off, and left out
}

TEST(Tune, HalvingGetsAsFarAsAllRowsInFewTrials) {
  const Task task = noisy_task();
  const auto folds = make_folds(task, {.folds = 3}, 1);
  const auto tuned =
      tune("cart", task, {}, *folds, {.method = TuneMethod::Halving, .trials = 6, .measure = "log_loss"}, {});
  EXPECT_EQ(tuned->compared(), 1u);
}

TEST(Tune, LeavesWhatIsFixedAlone) {
  const Task task = noisy_task();
  const auto folds = make_folds(task, {.folds = 3}, 1);
  const auto tuned = tune("cart", task, {{"max-depth", "2"}}, *folds, {.trials = 5, .measure = "log_loss"}, {});
  for (const Trial& t : tuned->trials) EXPECT_FALSE(t.settings.contains("max-depth"));
  const Settings all{{"max-depth", "2"}, {"min-leaf", "3"}, {"smoothing", "1"}};
  EXPECT_FALSE(tune("cart", task, all, *folds, {.trials = 5, .measure = "log_loss"}, {}));
}

// Every option of every search is one that its learner has and takes, at both ends.
TEST(Tune, SearchesOnlyWhatLearnersTake) {
  for (const LearnerInfo& learner : learners())
    for (const double end : {0.0, 0.5, 1.0}) {
      const Settings settings = settings_at(learner.search, Point(learner.search.size(), end));
      const Status ok = check_settings(learner.name, settings);
      EXPECT_TRUE(ok) << learner.name << ": " << (ok ? "" : ok.error().message);
    }
}

// Numbers have no shares of classes to smooth: a search that tries to has nothing but refusals.
TEST(Tune, TrialsOfNumbersAndOfClassesCanBeLearned) {
  const Task classes = noisy_task();
  Task numbers = classes;
  std::vector<double> y;
  for (const std::int32_t code : classes.classes().code) y.push_back(code);
  numbers.y = y;
  for (const char* learner : {"cart", "forest", "bagging", "extra-trees", "honest-forest"})
    for (const Task* task : {&classes, static_cast<const Task*>(&numbers)}) {
      const auto folds = make_folds(*task, {.folds = 2}, 1);
      const TuneOptions how{.trials = 3, .measure = task->classifies() ? "log_loss" : "rmse"};
      const Settings few = learner == std::string_view("cart") ? Settings{} : Settings{{"trees", "2"}};
      const auto tuned = tune(learner, *task, few, *folds, how, {});
      ASSERT_TRUE(tuned) << tuned.error().message;
      EXPECT_EQ(tuned->refused, "") << learner;
      EXPECT_EQ(tuned->compared(), 2u) << learner;
    }
}

TEST(Tune, LogisticLeavesAreSearchedWithoutSmoothing) {
  const Task task = noisy_task();
  const auto folds = make_folds(task, {.folds = 2}, 1);
  const auto logistic = tune("cart", task, {{"leaf", "logistic"}}, *folds, {.trials = 3, .measure = "log_loss"}, {});
  ASSERT_TRUE(logistic) << logistic.error().message;
  EXPECT_EQ(logistic->compared(), 2u);
}

TEST(Nested, EachFoldIsSearchedByItsOwnTrainingRows) {
  const Task task = noisy_task();
  const auto folds = make_folds(task, {.folds = 3}, 1);
  const TuneOptions how{.method = TuneMethod::Random, .trials = 6, .measure = "log_loss"};
  const auto nested = validate_tuned("cart", task, {}, *folds, how, 3);
  ASSERT_TRUE(nested);
  ASSERT_EQ(nested->chosen.size(), 3u);
  for (std::size_t f = 0; f < 3; ++f) {
    const Task train = take_rows(task, (*folds)[f].train);
    const auto inner = make_folds(train, {.folds = 3}, 1);
    const auto tuned = tune("cart", train, {}, *inner, how, {});
    EXPECT_EQ(nested->chosen[f], tuned->trials[tuned->worthwhile ? tuned->best : 0].settings);
    const auto alone = cross_validate("cart", task, nested->chosen[f], std::span(&(*folds)[f], 1));
    EXPECT_EQ(nested->found.of("log_loss")[f], alone->of("log_loss")[0]);
  }
}

TEST(Tune, EveryLearnerWithATargetHasSomethingToSearch) {
  for (const LearnerInfo& learner : learners())
    if (learner.needs_target && learner.name != "private-boost") {
      EXPECT_FALSE(learner.search.empty()) << learner.name;
    }
}

}  // namespace
}  // namespace wald
