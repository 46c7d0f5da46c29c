#include "learn/boost.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/parallel.h"
#include "learn/boost_test.h"
#include "wald/loss.h"
#include "wald/wald.h"

namespace wald {
namespace {

using namespace testing;

// By hand: the mean is 5.4; stumps cut after the third row, with residuals' means -3.4 and 5.1, half of which is taken;
// then -1.7 and 2.55.
TEST(Boost, TwoStumpsOnFiveRowsAreThoseOfTheTextbook) {
  const Task task = numbers_task({1, 2, 3, 4, 5}, {1, 2, 3, 10, 11});
  const auto values = [&](const std::string& trees) {
    return predicted(must_fit(task, with(kPlain, {{"trees", trees}, {"learning-rate", "0.5"}, {"max-depth", "1"}})),
                     task.x);
  };
  const auto one = values("1"), two = values("2");
  for (std::size_t r = 0; r < 5; ++r) {
    EXPECT_NEAR(one[r], r < 3 ? 3.7 : 7.95, 1e-4);
    EXPECT_NEAR(two[r], r < 3 ? 2.85 : 9.225, 1e-4);
  }
}

TEST(Boost, LeavesOfTheAbsoluteErrorAreMediansOfResiduals) {
  const Task task = numbers_task({1, 2, 3, 4, 5, 6}, {1, 2, 30, 100, 110, 500});
  const auto values = predicted(
      must_fit(task, with(kPlain, {{"loss", "absolute"}, {"trees", "1"}, {"learning-rate", "1"}, {"max-depth", "1"}})),
      task.x);
  for (std::size_t r = 0; r < 6; ++r) EXPECT_NEAR(values[r], r < 3 ? 2 : 110, 1e-9);
}

TEST(Boost, LeavesOfAQuantileAreQuantilesOfResiduals) {
  const Task task = numbers_task({1, 1, 1, 1, 2, 2, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40});
  const auto values = predicted(
      must_fit(
          task,
          with(
              kPlain,
              {{"loss", "quantile"}, {"quantile", "0.6"}, {"trees", "1"}, {"learning-rate", "1"}, {"max-depth", "1"}})),
      task.x);
  for (std::size_t r = 0; r < 8; ++r) EXPECT_NEAR(values[r], r < 4 ? 3 : 30, 1e-9);
}

TEST(Boost, TheTrainingLossNeverRisesWhereStepsAreSmall) {
  struct Case {
    const char *table, *target, *loss;
  };
  for (const Case& c : {Case{"auto_mpg", "mpg", "squared"},
                        {"auto_mpg", "mpg", "absolute"},
                        {"auto_mpg", "mpg", "huber"},
                        {"auto_mpg", "mpg", "quantile"},
                        {"auto_mpg", "mpg", "poisson"},
                        {"auto_mpg", "mpg", "gamma"},
                        {"auto_mpg", "mpg", "tweedie"},
                        {"claims", "claim", "logistic"},
                        {"claims", "claim", "exponential"},
                        {"glass", "Type", "softmax"}}) {
    const Model model =
        must_fit(task_of(c.table, c.target), {{"loss", c.loss},
                                              {"learning-rate", "0.05"},
                                              {"trees", "60"},
                                              {"early-stop", "none"},
                                              {"quantile", c.loss == std::string("quantile") ? "0.8" : "0.5"},
                                              {"rows", "1"}});
    ASSERT_EQ(model.curve.train.size(), 60u);
    for (std::size_t r = 1; r < 60; ++r)
      EXPECT_LE(model.curve.train[r], model.curve.train[r - 1] * (1 + 1e-12)) << c.loss << " " << r;
    EXPECT_LT(model.curve.train.back(), 0.9 * model.curve.train.front()) << c.loss;
  }
}

TEST(Boost, TheModelsBytesAreTheSameForAnyThreadsAndOrderOfWork) {
  struct Case {
    const char *table, *target;
    Settings settings;
  };
  for (const Case& c : {Case{"auto_mpg", "mpg", {{"trees", "30"}}},
                        {"claims", "claim", {{"rows", "0.7"}, {"columns-per-node", "3"}, {"trees", "30"}}},
                        {"glass", "Type", {{"trees", "10"}, {"rows", "0.5"}, {"sampling", "gradient"}}},
                        {"diabetes_progression", "progression", {{"loss", "absolute"}, {"trees", "30"}}},
                        {"penguins", "species", {{"drop", "0.2"}, {"trees", "15"}}}}) {
    const Task task = task_of(c.table, c.target);
    std::string first;
    for (const int threads : {1, 2, 3, 8})
      for (const std::uint64_t order : {0u, 3u}) {
        shuffle_work(order);
        const std::string bytes = to_bytes(must_fit(task, c.settings, {.threads = threads}));
        shuffle_work(0);
        if (first.empty()) first = bytes;
        EXPECT_TRUE(bytes == first) << c.table << " with " << threads << " threads";
      }
  }
}

TEST(Boost, HeavyTailedTargetsGiveTheSameBytesToo) {
  std::vector<double> x, y;
  for (int i = 0; i < 3000; ++i) x.push_back(i % 97), y.push_back(std::exp(static_cast<double>(i * 7919 % 400) / 20));
  const Task task = numbers_task(x, y);
  const std::string first = to_bytes(must_fit(task, {{"trees", "20"}}, {.threads = 1}));
  for (const int threads : {2, 3, 8})
    EXPECT_TRUE(to_bytes(must_fit(task, {{"trees", "20"}}, {.threads = threads})) == first) << threads;
}

TEST(Boost, AUsersOwnLossIsAsGoodAsTheBuiltInOne) {
  const Task task = task_of("claims", "claim");
  const Model built_in = must_fit(task, {{"trees", "20"}});
  const auto sigmoid = [](double f) { return 1 / (1 + std::exp(-f)); };
  const double share = static_cast<double>(std::ranges::count(task.classes().code, 1)) / task.x.rows;
  const OwnLoss own{.measure = "log_loss",
                    .value = [&](double y, double f) { return std::log(1 + std::exp(f)) - y * f; },
                    .slope =
                        [&](double y, double f) {
                          const double p = sigmoid(f);
                          return Slope{p - y, p * (1 - p)};
                        },
                    .start = std::log(share / (1 - share)),
                    .link = Link::Logistic};
  const auto model = fit_boost(task, own, {{"trees", "20"}});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->curve.best, built_in.curve.best);
  const auto ours = predicted(*model, task.x), theirs = predicted(built_in, task.x);
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], theirs[i], 1e-9);
}

TEST(Boost, ALossThatDoesNotSuitTheTargetIsRefusedWithACure) {
  const auto refused = [](const Task& task, const Settings& settings) {
    const auto model = fit("boost", task, settings);
    EXPECT_FALSE(model);
    return model ? Error{} : model.error();
  };
  EXPECT_EQ(refused(task_of("iris", "class"), {{"loss", "squared"}}).message,
            "--loss squared is for numbers, but the target 'class' has classes");
  EXPECT_EQ(refused(task_of("iris", "class"), {{"loss", "logistic"}}).cure, "choose softmax");
  EXPECT_EQ(refused(task_of("auto_mpg", "mpg"), {{"loss", "softmax"}}).message,
            "--loss softmax is for classes, but the target 'mpg' has numbers");
  EXPECT_NE(refused(numbers_task({1, 2, 3}, {1, 0, 3}), {{"loss", "gamma"}}).message.find("row 2"), std::string::npos);
  EXPECT_NE(refused(numbers_task({1, 2, 3}, {1, 0, -3}), {{"loss", "poisson"}}).message.find("row 3"),
            std::string::npos);
}

TEST(Boost, DoubleWeightsAreAsGoodAsRowsTwice) {
  const Task once = task_of("auto_mpg", "mpg");
  Task weighted = once;
  std::vector<Row> rows;
  for (Row r = 0; r < once.x.rows; ++r) {
    rows.push_back(r);
    if (r % 2 == 0) rows.push_back(r);
  }
  weighted.weight.assign(once.x.rows, std::int64_t{1} << kWeightBits);
  for (Row r = 0; r < once.x.rows; r += 2) weighted.weight[r] *= 2;
  const Settings settings = with(
      kPlain, {{"trees", "5"}, {"bins", "exact"}, {"max-depth", "4"}, {"max-leaves", "none"}, {"gradient-bits", "30"}});
  const auto a = predicted(must_fit(weighted, settings), once.x);
  const auto b = predicted(must_fit(take_rows(once, rows), settings), once.x);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5 * std::fabs(b[i]));
}

TEST(Boost, EarlyStoppingKeepsTheBestRound) {
  const Model model = must_fit(task_of("claims", "claim"), {{"early-stop", "5"}, {"learning-rate", "0.3"}});
  ASSERT_GE(model.curve.held.size(), 5u);
  const auto best = std::ranges::min_element(model.curve.held) - model.curve.held.begin() + 1;
  EXPECT_EQ(model.curve.best, static_cast<std::uint32_t>(best));
  EXPECT_EQ(model.forest().trees(), static_cast<std::size_t>(best));
  EXPECT_EQ(model.curve.held.size(), static_cast<std::size_t>(best) + 5);
}

// Rows outside a round's sample are scored by their bins; a model by their values.
TEST(Boost, TheCurveIsWhatTheModelPredicts) {
  for (const std::string bins : {"255", "8"}) {
    const Task task = task_of("diabetes_progression", "progression");
    const Model model = must_fit(task, {{"rows", "0.4"}, {"trees", "40"}, {"early-stop", "none"}, {"bins", bins}});
    const auto values = predicted(model, task.x);
    double sum = 0;
    for (Row r = 0; r < task.x.rows; ++r) sum += (values[r] - task.numbers()[r]) * (values[r] - task.numbers()[r]);
    EXPECT_NEAR(model.curve.train.back(), std::sqrt(sum / task.x.rows), 1e-9) << bins;
  }
}

// Every round is a checkpoint here, each saved as a file would be; from some of them the run is taken up again.
TEST(Boost, AResumedRunEndsInTheSameBytes) {
  struct Case {
    const char *table, *target;
    Settings settings;
  };
  for (const Case& c :
       {Case{"auto_mpg", "mpg", {{"rows", "0.8"}, {"early-stop", "4"}, {"learning-rate", "0.4"}, {"trees", "15"}}},
        {"penguins", "species", {{"columns-per-node", "0.5"}, {"trees", "12"}, {"stop-trials", "2"}}},
        {"claims", "claim", {{"drop", "0.3"}, {"trees", "12"}, {"early-stop", "none"}}}}) {
    const Task task = task_of(c.table, c.target);
    std::vector<std::string> checkpoints;
    const std::string whole = to_bytes(must_fit(
        task, c.settings, {},
        {.checkpoint = [&](const Model& model) { checkpoints.push_back(to_bytes(model)); }, .checkpoint_seconds = 0}));
    ASSERT_GT(checkpoints.size(), 10u);
    for (std::size_t i = 0; i < checkpoints.size(); i += checkpoints.size() / 5) {
      const auto checkpoint = from_bytes(std::as_bytes(std::span(checkpoints[i])), "checkpoint");
      ASSERT_TRUE(checkpoint) << checkpoint.error().message;
      EXPECT_TRUE(to_bytes(must_fit(task, c.settings, {}, {.resume = &*checkpoint})) == whole) << c.table << " " << i;
    }
    const auto last = from_bytes(std::as_bytes(std::span(checkpoints.back())), "checkpoint");
    EXPECT_EQ(fit("boost", task, with(c.settings, {{"l2", "3"}}), {}, {.resume = &*last}).error().kind,
              ErrorKind::Usage);
    EXPECT_EQ(fit("boost", task, c.settings, {.seed = 7}, {.resume = &*last}).error().kind, ErrorKind::Usage);
  }
}

// Between two rounds or, by another thread, within one.
TEST(Boost, ARunStoppedAtAnyMomentIsResumedToTheSameBytes) {
  const Task task = task_of("claims", "claim");
  for (const Settings& settings :
       {Settings{{"trees", "6"}, {"early-stop", "none"}}, Settings{{"trees", "6"}, {"stop-trials", "2"}},
        Settings{{"trees", "6"}, {"early-stop", "none"}, {"drop", "0.4"}},
        Settings{{"trees", "6"}, {"stop-trials", "2"}, {"drop", "0.4"}}}) {
    const std::string whole = to_bytes(must_fit(task, settings));
    for (int moment = 1; moment < 16; ++moment) {
      std::atomic<bool> stop{false};
      int told = 0;
      std::string last;
      const Rounds watched{.checkpoint = [&](const Model& model) { last = to_bytes(model); },
                           .checkpoint_seconds = 1e9,
                           .told = [&](const LearningCurve&) { stop = stop || ++told == moment; }};
      std::thread other([&] {
        if (moment < 6) return;
        std::this_thread::sleep_for(std::chrono::microseconds(400 * (moment - 5)));
        stop = true;
      });
      (void)fit("boost", task, settings, {.threads = 1, .stop = &stop}, watched);
      other.join();
      EXPECT_TRUE(moment > 5 || !last.empty());
      if (last.empty()) continue;
      const auto checkpoint = from_bytes(std::as_bytes(std::span(last)), "checkpoint");
      ASSERT_TRUE(checkpoint) << checkpoint.error().message;
      EXPECT_TRUE(to_bytes(must_fit(task, settings, {}, {.resume = &*checkpoint})) == whole) << moment;
    }
  }
}

TEST(Boost, RoundsAddedToAModelAreThoseThatWouldHaveFollowed) {
  const Task task = task_of("penguins", "species");
  const Settings settings{{"early-stop", "none"}, {"rows", "0.7"}, {"columns-per-node", "2"}};
  const Model half = must_fit(task, with(settings, {{"trees", "6"}}));
  const Model more = must_fit(task, with(settings, {{"trees", "6"}}), {}, {.from = &half});
  EXPECT_EQ(more.forest(), must_fit(task, with(settings, {{"trees", "12"}})).forest());
  const auto other = fit("boost", task_of("iris", "class"), {}, {}, {.from = &half});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::Usage);
}

TEST(Boost, AnInterruptKeepsTheBestSoFar) {
  const Task task = task_of("claims", "claim");
  std::atomic<bool> stop{false};
  wald::Run run{.stop = &stop};
  run.progress = [&](const Progress& p) { stop = p.done >= 5; };
  const Model model = must_fit(task, {{"learning-rate", "0.02"}, {"stop-trials", "1"}}, run);
  EXPECT_EQ(model.forest().trees(), model.curve.best);
  EXPECT_EQ(model.curve.held.size(), 5u);
  stop = true;
  const auto none = fit("boost", task, {}, {.stop = &stop});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::Interrupted);
}

TEST(Boost, MonotoneColumnsNeverLowerThePrediction) {
  const Task task = task_of("auto_mpg", "mpg");
  const Model model =
      must_fit(task, {{"monotone", "weight=down,model_year=up"}, {"trees", "40"}, {"early-stop", "none"}});
  Table rows = take_rows(task.x, std::vector<Row>(50, 17));
  std::vector<double> weight;
  for (int i = 0; i < 50; ++i) weight.push_back(1500 + 80 * i);
  for (Column& c : rows.columns)
    if (c.name == "weight") c.data = Numbers(weight);
  const auto values = predicted(model, rows);
  for (std::size_t i = 1; i < values.size(); ++i) EXPECT_LE(values[i], values[i - 1]);
  EXPECT_LT(values.back(), values.front());
  for (const char* wrong : {"wait=up", "weight=sideways", "weight", "origin=up"})
    EXPECT_EQ(fit("boost", task, {{"monotone", wrong}}).error().kind, ErrorKind::Usage) << wrong;
  EXPECT_EQ(fit("boost", task, {{"monotone", "weight=up"}, {"loss", "absolute"}}).error().kind, ErrorKind::Usage);
}

TEST(Boost, ColumnsOfDifferentGroupsMeetInNoTree) {
  const Task task = task_of("diabetes_progression", "progression");
  const Model model = must_fit(task, {{"interactions", "age+bmi,bp+s5+s6"}, {"trees", "30"}, {"early-stop", "none"}});
  const auto group = [&](std::uint32_t column) {
    const std::string& name = model.schema.columns[column].name;
    return name == "age" || name == "bmi" ? 1 : name == "bp" || name == "s5" || name == "s6" ? 2 : 3;
  };
  for (std::size_t t = 0; t < model.forest().trees(); ++t) {
    const TreeView tree = model.forest().tree(t);
    for (const Node& node : tree.nodes)
      for (std::uint32_t k = 0; k < node.ways(); ++k) {
        const Node& child = tree.nodes[node.child + k];
        if (!child.is_leaf() && child.column() != node.column()) {
          EXPECT_EQ(group(child.column()), group(node.column()));
        }
      }
  }
  EXPECT_EQ(fit("boost", task, {{"interactions", "age+bmj"}}).error().cure, "did you mean 'bmi'?");
}

TEST(Boost, ListsOfQueriesAreRanked) {
  Table table;
  std::vector<double> x, noise, relevance, query;
  for (int i = 0; i < 600; ++i) {
    query.push_back(i / 12), x.push_back(i * 37 % 101), noise.push_back(i * 53 % 17);
    relevance.push_back(x.back() > 80 ? 2 : x.back() > 50 ? 1 : 0);
  }
  table.rows = 600;
  for (auto& [name, values] : {std::pair{"x", x}, {"noise", noise}, {"relevance", relevance}, {"query", query}})
    table.columns.push_back({name, Numbers(values)});
  const auto task = make_task(table, {.target = "relevance", .query = "query", .kind = TaskKind::Numbers});
  ASSERT_TRUE(task) << task.error().message;
  for (const std::string loss : {"ndcg", "map"}) {
    const Model model = must_fit(*task, {{"loss", loss}, {"trees", "60"}, {"columns-per-node", "all"}});
    EXPECT_EQ(model.curve.measure, loss);
    EXPECT_GT(model.curve.held.back(), 0.99);
  }
  EXPECT_EQ(fit("boost", numbers_task({1, 2, 3}, {0, 1, 2}), {{"loss", "ndcg"}}).error().kind, ErrorKind::Usage);
}

// Penalties are in the unit of second derivatives, which for these two is one of the target.
TEST(Boost, TheUnitOfAnAmountChangesNoTree) {
  const Task task = task_of("auto_mpg", "mpg");
  const Settings free{{"trees", "30"}, {"early-stop", "none"}, {"l2", "0"}, {"min-hessian", "0"}};
  for (const std::string loss : {"gamma", "poisson", "tweedie"}) {
    const Settings settings = loss == "gamma" ? Settings{} : free;
    Task scaled = task;
    for (double& y : std::get<std::vector<double>>(scaled.y)) y = std::ldexp(y, -20);
    const Model one = must_fit(task, with(settings, {{"loss", loss}})),
                other = must_fit(scaled, with(settings, {{"loss", loss}}));
    ASSERT_EQ(one.forest().trees(), other.forest().trees()) << loss;
    EXPECT_EQ(one.forest().nodes.size(), other.forest().nodes.size()) << loss;
    const std::vector<double> a = predicted(one, task.x), b = predicted(other, task.x);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(std::ldexp(b[i], 20) / a[i], 1, 1e-4) << loss;
  }
}

TEST(Boost, HazardsRiseWithWhatShortensLife) {
  std::vector<double> x, time;
  for (int i = 0; i < 300; ++i) {
    x.push_back(i % 10);
    const double t = (1 + i * 71 % 97) / (1.0 + x.back());
    time.push_back(i % 4 == 0 ? -t : t);
  }
  const Task task = numbers_task(x, time);
  const auto risk = predicted(must_fit(task, {{"loss", "cox"}, {"trees", "100"}, {"early-stop", "none"}}), task.x);
  EXPECT_GT(risk[9], 1.5 * risk[4]);
  EXPECT_GT(risk[4], 2 * risk[0]);
}

TEST(Boost, WhereNoRowCanBeHeldOutTrainingRowsDecide) {
  const Task one = numbers_task({1}, {7});
  const Model model = must_fit(one, {});
  EXPECT_EQ(model.forest().trees(), 0u);
  EXPECT_EQ(predicted(model, one.x), std::vector<double>{7});
  EXPECT_EQ(model.curve.train.size(), 40u);
  const std::string bytes = to_bytes(model);
  EXPECT_TRUE(from_bytes(std::as_bytes(std::span(bytes)), "model"));
}

TEST(Boost, AConstantTargetIsPredictedAsItIs) {
  const Task task = numbers_task({1, 2, 3, 4}, {7, 7, 7, 7});
  EXPECT_EQ(predicted(must_fit(task, {}), task.x), std::vector<double>(4, 7.0));
}

}  // namespace
}  // namespace wald
