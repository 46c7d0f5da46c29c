#include "learn/adaboost.h"
#include "learn/fitting_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "table/weights.h"
#include "wald/wald.h"

namespace wald {
namespace {

using namespace testing;

// Of these columns, and of the rows in which none of them is missing.
Task columns_of(const std::string& table, const std::string& target, const std::vector<std::string>& only) {
  auto read = read_table(std::string(WALD_DATA) + "/" + table + ".csv");
  EXPECT_TRUE(read) << read.error().message;
  std::vector<Row> whole;
  for (Row r = 0; r < read->rows; ++r) {
    bool missing = false;
    for (const std::string& name : only) missing = missing || std::isnan(read->find(name)->numbers()[r]);
    if (!missing) whole.push_back(r);
  }
  read = take_rows(*read, whole);
  std::erase_if(read->columns,
                [&](const Column& c) { return c.name != target && std::ranges::find(only, c.name) == only.end(); });
  auto task = make_task(std::move(*read), {.target = target});
  EXPECT_TRUE(task) << task.error().message;
  return std::move(*task);
}

// The alpha of each tree: the size of what its leaves say.
std::vector<double> alphas(const Model& model) {
  std::vector<double> out;
  const Forest& forest = model.forest();
  for (std::size_t t = 0; t < forest.trees(); ++t)
    for (const Node& node : forest.tree(t).nodes) {
      if (!node.is_leaf()) continue;
      double most = 0;
      for (const double v : forest.values_of(node)) most = std::max(most, std::fabs(v));
      out.push_back(most);
      break;
    }
  return out;
}

TEST(AdaBoost, EqualsSammeOfScikitLearn) {
  std::ifstream file(std::string(WALD_TESTS) + "/expected/adaboost.json");
  for (const auto& expected : nlohmann::json::parse(file)) {
    const Task task = columns_of(expected["table"], expected["target"], expected["columns"]);
    ASSERT_EQ(task.x.rows, expected["rows"].get<std::size_t>());
    const Model model = must_fit("adaboost", task,
                                 {{"rounds", std::to_string(expected["rounds"].get<int>())},
                                  {"max-depth", std::to_string(expected["depth"].get<int>())},
                                  {"bins", "exact"}});
    const std::vector<double> weight = expected["weights"], alpha = alphas(model);
    ASSERT_EQ(alpha.size(), weight.size());
    double sum = 0;
    for (std::size_t t = 0; t < alpha.size(); ++t) {
      EXPECT_NEAR(alpha[t], weight[t], 1e-9);
      sum += alpha[t];
    }
    const auto p = predict(model, task.x);
    const auto outputs = static_cast<std::size_t>(p->outputs);
    for (std::size_t r = 0; r < p->rows; ++r)
      for (std::size_t k = 0; k < outputs; ++k) {
        const auto& row = expected["decision"][r];
        const double theirs = outputs == 1 ? row.get<double>() : row[k].get<double>();
        EXPECT_NEAR(p->score[r * outputs + k] / sum, theirs, 1e-9);
      }
  }
}

// L after a round = L before * 2 sqrt(e (1 - e)), e from alpha; and L from what the model says of the rows.
TEST(AdaBoost, TheLossFallsByExactlyWhatTheErrorSays) {
  for (const std::string depth : {"1", "3"}) {
    const Task task = task_of("claims", "claim");
    const Model model = must_fit("adaboost", task, {{"rounds", "60"}, {"max-depth", depth}});
    double loss = 1;
    const std::vector<double> alpha = alphas(model);
    ASSERT_EQ(alpha.size(), model.curve.train.size());
    for (std::size_t t = 0; t < alpha.size(); ++t) {
      const double e = 1 / (1 + std::exp(alpha[t]));
      loss *= 2 * std::sqrt(e * (1 - e));
      EXPECT_NEAR(model.curve.train[t] / loss, 1, 1e-12) << "round " << t + 1;
    }
    EXPECT_NEAR(model.found.at("training_bound") / loss, 1, 1e-12);
    const auto p = predict(model, task.x);
    double direct = 0, wrong = 0;
    for (std::size_t r = 0; r < p->rows; ++r) {
      const double y = task.classes().code[r] == 1 ? 1 : -1;
      direct += std::exp(-y * p->score[r] / 2) / static_cast<double>(p->rows);
      wrong += p->label[r] != task.classes().code[r];
    }
    EXPECT_NEAR(direct / loss, 1, 1e-12);
    EXPECT_NEAR(model.found.at("training_error"), wrong / static_cast<double>(p->rows), 1e-12);
    EXPECT_LE(model.found.at("training_error"), model.found.at("training_bound"));
  }
}

// The rounds as the model tells them: the product of the factors is the loss of each round, and the training error is
// that of the trees so far.
TEST(AdaBoost, EachRoundIsToldWithItsIdentityAndItsMeasuredError) {
  for (const auto& [table, target] : {std::pair("claims", "claim"), std::pair("glass", "Type")}) {
    const Task task = task_of(table, target);
    const Model model = must_fit("adaboost", task, {{"rounds", "12"}, {"max-depth", "2"}});
    const std::vector<AdaBoostRound> rounds = adaboost_rounds(model);
    const std::vector<double> alpha = alphas(model);
    ASSERT_EQ(rounds.size(), 12u);
    double before = 1;
    for (std::size_t t = 0; t < rounds.size(); ++t) {
      EXPECT_EQ(rounds[t].alpha, alpha[t]);
      EXPECT_NEAR(rounds[t].loss / (before * rounds[t].factor), 1, 1e-12) << table << " round " << t + 1;
      EXPECT_NEAR(rounds[t].loss / rounds[t].product, 1, 1e-12);
      before = rounds[t].loss;
      const Model so_far = must_fit("adaboost", task, {{"rounds", std::to_string(t + 1)}, {"max-depth", "2"}});
      EXPECT_EQ(rounds[t].training_error, so_far.found.at("training_error"));
      EXPECT_TRUE(task.classes().name.size() > 2 || rounds[t].training_error <= rounds[t].product);
    }
    const std::string bytes = to_bytes(model);
    const auto loaded = from_bytes(std::as_bytes(std::span(bytes)), "made.wald");
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->curve, model.curve);
  }
  EXPECT_TRUE(adaboost_rounds(must_fit("anyboost", task_of("claims", "claim"), {{"rounds", "2"}})).empty());
}

// A class that counts three times is one whose rows weigh three times as much; the loss is still the product.
TEST(AdaBoost, WeightsOfClassesAreWeightsOfTheirRows) {
  const Task task = task_of("claims", "claim");
  Task weighted = task;
  std::vector<double> weight;
  for (const std::int32_t code : task.classes().code) weight.push_back(code == 1 ? 3 : 1);
  weighted.weight = scaled_weights(weight);
  const auto weighed = [&](const std::string& words) {
    return must_fit("adaboost", task, {{"rounds", "20"}, {"class-weights", words}});
  };
  const Model named = weighed("yes=3"), by_rows = must_fit("adaboost", weighted, {{"rounds", "20"}});
  EXPECT_EQ(named.forest(), by_rows.forest());
  EXPECT_EQ(named.found, by_rows.found);
  EXPECT_NE(named.forest(), weighed("none").forest());
  for (const AdaBoostRound& round : adaboost_rounds(named)) EXPECT_NEAR(round.loss / round.product, 1, 1e-12);
  EXPECT_LT(adaboost_rounds(weighed("balanced")).back().training_error, 0.5);
  EXPECT_EQ(fit("adaboost", task, {{"class-weights", "maybe=2"}}).error().kind, ErrorKind::Usage);
}

TEST(AdaBoost, HaltsWhenATreeIsHardlyBetterThanChance) {
  const Task task = task_of("claims", "claim");
  const Model model = must_fit("adaboost", task, {{"rounds", "1000"}, {"gamma", "0.1"}});
  const std::vector<double> alpha = alphas(model);
  EXPECT_LT(alpha.size(), 1000u);
  EXPECT_GT(alpha.size(), 0u);
  for (const double a : alpha) EXPECT_LE(1 / (1 + std::exp(a)), 0.4);
}

// What a run tells of why it ended early.
std::string told_of(std::string_view learner, const Task& task, const Settings& settings) {
  std::string out;
  must_fit(learner, task, settings, {}, {.ended = [&](const std::string& why) { out = why; }});
  return out;
}

TEST(AdaBoost, SaysWhyItEndedEarly) {
  const Task task = task_of("claims", "claim");
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_EQ(told_of("adaboost", task, {{"rounds", "3"}}), "");
  const std::string gamma = told_of("adaboost", task, {{"gamma", "0.1"}});
  EXPECT_TRUE(has(gamma, "adaboost ended after 3 of 100 rounds: the weighted error of tree 4 is 0.4279, above 0.4,"));
  EXPECT_TRUE(has(gamma, "--gamma than 0.1"));
  EXPECT_TRUE(
      has(told_of("adaboost", task, {{"gamma", "0.5"}}), "after 0 of 100 rounds, so that the model says the same"));
  EXPECT_TRUE(has(told_of("adaboost", task, {{"max-depth", "none"}, {"bins", "exact"}}), "shallower trees"));
}

TEST(AnyBoost, SaysWhyItEndedEarly) {
  const Task task = task_of("auto_mpg", "mpg");
  EXPECT_EQ(told_of("anyboost", task, {{"rounds", "3"}}), "");
  const std::string step = told_of("anyboost", task, {{"loss", "absolute"}, {"step", "1"}});
  EXPECT_TRUE(step.starts_with("anyboost ended after ") && step.find("--step 1") != std::string::npos) << step;
}

TEST(AdaBoost, ATreeThatErrsNowhereEndsIt) {
  const Task task = task_of("glass", "Type");
  const Model model = must_fit("adaboost", task, {{"max-depth", "none"}, {"bins", "exact"}});
  EXPECT_EQ(model.forest().trees(), 1u);
  EXPECT_EQ(model.found.at("training_error"), 0);
  EXPECT_EQ(adaboost_rounds(model).back().product, 0);
}

TEST(AdaBoost, BytesDoNotDependOnThreads) {
  for (const std::string learner : {"adaboost", "anyboost"}) {
    const Task task = task_of("glass", "Type");
    const std::string one = to_bytes(must_fit(learner, task, {{"rounds", "8"}}, {.threads = 1}));
    EXPECT_EQ(to_bytes(must_fit(learner, task, {{"rounds", "8"}}, {.threads = 6})), one);
  }
}

TEST(AdaBoost, NumbersAreRefused) {
  const auto model = fit("adaboost", task_of("auto_mpg", "mpg"), {});
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().kind, ErrorKind::Usage);
}

// --- AnyBoost --------------------------------------------------------------------------------------------------------

TEST(AnyBoost, TheLossNeverRises) {
  const Task classes = task_of("claims", "claim"), several = task_of("glass", "Type"),
             numbers = task_of("auto_mpg", "mpg");
  const auto expect_falling = [](const Task& task, const Settings& settings) {
    const Model model = must_fit("anyboost", task, settings);
    ASSERT_FALSE(model.curve.train.empty()) << settings.at("loss");
    for (std::size_t t = 1; t < model.curve.train.size(); ++t)
      EXPECT_LT(model.curve.train[t], model.curve.train[t - 1]) << settings.at("loss") << " round " << t + 1;
  };
  for (const std::string step : {"search", "0.1", "1"}) {
    for (const std::string loss : {"logistic", "exponential"})
      expect_falling(classes, {{"loss", loss}, {"step", step}, {"rounds", "15"}});
    expect_falling(several, {{"loss", "softmax"}, {"step", step}, {"rounds", "8"}});
    for (const std::string loss : {"squared", "absolute", "huber", "quantile"})
      expect_falling(numbers, {{"loss", loss}, {"step", step}, {"rounds", "15"}});
  }
  for (const std::string loss : {"poisson", "gamma", "tweedie"})
    expect_falling(numbers, {{"loss", loss}, {"step", "search"}, {"rounds", "15"}});
}

// With squared loss the slopes are the residuals, a leaf's mean is the best step, and a search finds about 1.
TEST(AnyBoost, TheFirstTreeOfSquaredLossIsARegressionTree) {
  const Task task = task_of("auto_mpg", "mpg");
  const Model any = must_fit("anyboost", task, {{"loss", "squared"}, {"rounds", "1"}, {"max-depth", "2"}});
  const Model cart = must_fit("cart", task, {{"max-depth", "2"}});
  const auto a = predict(any, task.x), b = predict(cart, task.x);
  for (std::size_t r = 0; r < a->rows; ++r) EXPECT_NEAR(a->value[r], b->value[r], 1e-4);
}

// Descent on the exponential loss with a fixed step ends where no tree descends.
TEST(AnyBoost, HaltsWhenNothingDescends) {
  Table table{.rows = 40, .source = "made.csv"};
  std::vector<double> x(40), y(40);
  for (Row r = 0; r < 40; ++r) x[r] = r % 4, y[r] = r % 4;
  table.columns = {{"x", Numbers(x)}, {"y", Numbers(y)}};
  const auto task = make_task(table, {.target = "y", .keep = {"x"}, .kind = TaskKind::Numbers});
  const Model model = must_fit("anyboost", *task, {{"loss", "squared"}, {"rounds", "50"}, {"step", "1"}});
  EXPECT_LE(model.forest().trees(), 2u);
  EXPECT_NEAR(model.curve.train.back(), 0, 1e-9);
}

// So far along a tree that e^f vanishes for all who are still at risk, the logarithm of their risk is minus infinity.
TEST(AnyBoost, NoStepIsTakenToWhereTheLossHasNoValue) {
  Table table{.rows = 200, .source = "made.csv"};
  std::vector<double> x(200), y(200);
  for (Row r = 0; r < 200; ++r) x[r] = (r * 37) % 200, y[r] = x[r] + 1;
  table.columns = {{"x", Numbers(x)}, {"y", Numbers(y)}};
  const auto task = make_task(table, {.target = "y", .keep = {"x"}, .kind = TaskKind::Numbers});
  const Model model = must_fit("anyboost", *task, {{"loss", "cox"}});
  EXPECT_EQ(model.curve.train.size(), 100u);
  for (const double loss : model.curve.train) EXPECT_TRUE(std::isfinite(loss)) << loss;
}

// Other units take other steps to the same trees: of powers of two to the last bit, of others as nearly as doubles can.
TEST(AnyBoost, TheUnitOfTheTargetsChangesNothingElse) {
  const Task task = task_of("auto_mpg", "mpg");
  for (const std::string loss : {"absolute", "squared", "huber"}) {
    const Settings settings{{"loss", loss}, {"rounds", "12"}};
    const Model usual = must_fit("anyboost", task, settings);
    const auto said = predict(usual, task.x);
    for (const double unit : {0x1p44, 0x1p-44, 1e13, 1e20, 1e-13}) {
      Task other = task;
      for (double& y : std::get<std::vector<double>>(other.y)) y *= unit;
      const Model model = must_fit("anyboost", other, settings);
      ASSERT_EQ(model.curve.train.size(), 12u) << loss << " " << unit;
      const auto scaled = predict(model, task.x);
      const bool exact = std::exp2(std::round(std::log2(unit))) == unit;
      for (std::size_t r = 0; r < said->rows; ++r)
        EXPECT_NEAR(scaled->value[r] / unit, said->value[r], exact ? 0 : 0.01) << loss << " " << unit;
    }
  }
  Task counts = task;
  for (double& y : std::get<std::vector<double>>(counts.y)) y = std::round(y * 1e12);
  const Model poisson = must_fit("anyboost", counts, {{"loss", "poisson"}, {"rounds", "30"}});
  EXPECT_EQ(poisson.curve.train.size(), 30u);
  const auto p = predict(poisson, task.x);
  double off = 0, all = 0;
  for (std::size_t r = 0; r < p->rows; ++r)
    off += std::fabs(p->value[r] - counts.numbers()[r]), all += counts.numbers()[r];
  EXPECT_LT(off, 0.1 * all);
}

TEST(AnyBoost, AStepSoShortThatNothingMovesIsSaidToBeThat) {
  const Task task = task_of("auto_mpg", "mpg");
  EXPECT_EQ(must_fit("anyboost", task, {{"rounds", "3"}, {"step", "1e-14"}}).forest().trees(), 3u);
  const std::string told = told_of("anyboost", task, {{"step", "1e-30"}});
  EXPECT_NE(told.find("no score changes; a longer one"), std::string::npos) << told;
}

TEST(AnyBoost, RankingLossesAreRefused) {
  for (const std::string loss : {"ndcg", "map"}) {
    const Status known = check_settings("anyboost", {{"loss", loss}});
    ASSERT_FALSE(known);
    EXPECT_EQ(known.error().kind, ErrorKind::Usage);
    EXPECT_TRUE(known.error().cure.starts_with("choose one of auto, squared")) << known.error().cure;
  }
  EXPECT_TRUE(check_settings("anyboost", {{"loss", "cox"}}));
}

}  // namespace
}  // namespace wald
