// What the options of boosting refuse, and what they let through.
#include "learn/boost_loss.h"
#include "learn/boost_test.h"
#include "learn/named_values.h"

namespace wald {
namespace {

using testing::must_fit, testing::numbers_task, testing::predicted, testing::with;

const Settings kFew{{"trees", "3"}, {"early-stop", "none"}};

Table table_of(std::vector<std::pair<std::string, std::vector<double>>> columns) {
  Table table{.rows = static_cast<Row>(columns[0].second.size()), .source = "rows.csv"};
  for (auto& [name, values] : columns) table.columns.push_back({name, Numbers(std::move(values))});
  return table;
}

std::vector<double> ramp(int rows, int step = 1, int most = 1'000'000) {
  std::vector<double> out;
  for (int i = 0; i < rows; ++i) out.push_back(i * step % most);
  return out;
}

Task counted() { return numbers_task(ramp(60), ramp(60, 7, 31)); }

Task two_columns(const Roles& roles, const std::string& a = "a", const std::string& b = "b") {
  auto task =
      make_task(table_of({{a, ramp(80)}, {b, ramp(80, 37, 80)}, {"y", ramp(80, 53, 41)}, {"z", ramp(80, 3)}}), roles);
  EXPECT_TRUE(task) << task.error().message;
  return std::move(*task);
}

Error refused_fit(const Task& task, const Settings& settings, std::string_view learner = "boost") {
  const auto model = fit(learner, task, settings);
  EXPECT_FALSE(model);
  return model ? Error{} : model.error();
}

TEST(BoostOptions, WhatIsSaidOfAnotherLossIsRefused) {
  const std::vector<std::tuple<std::string, std::string, std::string>> shapes{
      {"quantile", "0.9", "quantile"}, {"huber-width", "2", "huber"}, {"tweedie-power", "1.2", "tweedie"}};
  for (const char* learner : {"boost", "anyboost"})
    for (const auto& [option, value, loss] : shapes) {
      const Error error = refused_fit(counted(), {{option, value}}, learner);
      EXPECT_EQ(error.kind, ErrorKind::Usage);
      EXPECT_EQ(error.message, "--" + option + " belongs to --loss " + loss + ", but the loss is squared");
      EXPECT_EQ(error.cure, "give --loss " + loss + ", or leave --" + option + " away");
      EXPECT_TRUE(fit(learner, counted(), {{option, value}, {"loss", loss}})) << learner << " " << option;
    }
  EXPECT_EQ(refused_fit(counted(), {{"rank-at", "3"}, {"loss", "poisson"}}).message,
            "--rank-at belongs to --loss ndcg, but the loss is poisson");
  EXPECT_EQ(refused_fit(counted(), {{"ridge", "3"}}).message,
            "--ridge belongs to --leaf linear, but the leaves are constant");
  must_fit(counted(), with(kFew, {{"quantile", "0.50"}, {"tweedie-power", "1.5"}, {"ridge", "1"}}));
}

TEST(BoostOptions, ALossOfOnesOwnRefusesWhatIsSaidOfOthers) {
  const OwnLoss own{.value = [](double y, double f) { return (f - y) * (f - y) / 2; },
                    .slope = [](double y, double f) { return Slope{f - y, 1}; }};
  for (const char* option : {"quantile", "start", "loss"})
    EXPECT_FALSE(fit_boost(counted(), own, {{option, option == std::string("loss") ? "huber" : "0.9"}})) << option;
  EXPECT_TRUE(fit_boost(counted(), own, kFew));
}

TEST(BoostOptions, AFirstPredictionFarOutIsAWrongStart) {
  for (const auto& [loss, start] : {std::pair{"squared", "1e308"}, {"absolute", "-1e200"}, {"poisson", "1e-308"}}) {
    const Error error = refused_fit(counted(), {{"loss", loss}, {"start", start}});
    EXPECT_EQ(error.kind, ErrorKind::Usage);
    EXPECT_TRUE(error.message.starts_with("--start ")) << error.message;
  }
  for (const auto& [loss, start] : {std::pair{"squared", "1e150"}, {"poisson", "1e150"}, {"poisson", "1e-150"}}) {
    const Model model = must_fit(counted(), with(kFew, {{"loss", loss}, {"start", start}}));
    const std::string bytes = to_bytes(model);
    EXPECT_TRUE(from_bytes(std::as_bytes(std::span(bytes)), "model"));
  }
}

TEST(BoostOptions, RelevanceWhosePowerOfTwoIsNoNumberIsBadData) {
  const auto ranking = [](double most) {
    std::vector<double> relevance = ramp(60, 7, 5);
    relevance[8] = most;
    auto task = make_task(table_of({{"x", ramp(60, 11, 60)}, {"query", ramp(60, 1, 6)}, {"y", relevance}}),
                          {.target = "y", .query = "query"});
    EXPECT_TRUE(task);
    return std::move(*task);
  };
  const Error error = refused_fit(ranking(2000), {});
  EXPECT_EQ(error.kind, ErrorKind::BadData);
  EXPECT_EQ(error.message, "--loss ndcg takes 2 to the power of the relevance, and row 9 of rows.csv has 'y' = 2000");
  EXPECT_EQ(error.cure, "give relevance of 1000 at most (0 to 4 is usual), or choose --loss map");
  const Model largest = must_fit(ranking(1000), kFew);
  for (const double v : largest.curve.train) EXPECT_TRUE(std::isfinite(v));
  must_fit(ranking(2000), with(kFew, {{"loss", "map"}}));
}

TEST(BoostOptions, ANameSaidTwiceIsRefused) {
  EXPECT_EQ(refused_fit(two_columns({.target = "y"}), {{"monotone", "a=up,a=down"}}).message,
            "--monotone names 'a' twice");
  EXPECT_EQ(refused_fit(testing::task_of("iris", "class"), {{"class-weights", "Iris-setosa=3,Iris-setosa=3"}}).message,
            "--class-weights names 'Iris-setosa' twice");
}

TEST(BoostOptions, NamesWithCommasAndPlusesAreGivenAloneOrInQuotes) {
  const Task task = two_columns({.target = "y"}, "a,b", "c+d"), plain = two_columns({.target = "y"});
  const auto same = [&](const Settings& words, const Settings& meaning) {
    EXPECT_EQ(predicted(must_fit(task, with(kFew, words)), task.x),
              predicted(must_fit(plain, with(kFew, meaning)), plain.x));
  };
  same({{"monotone", R"("a,b"=up,c+d=down)"}}, {{"monotone", "a=up,b=down"}});
  same({{"monotone", "a,b=up"}}, {{"monotone", "a=up"}});
  same({{"interactions", R"("a,b"+z,"c+d")"}}, {{"interactions", "a+z,b"}});
  same({{"interactions", "c+d"}}, {{"interactions", "b"}});
  const std::vector<std::string> classes{"no", "yes, sir"};
  for (const char* text : {"yes, sir=3", R"("yes, sir"=3)", R"("yes, sir=3")"}) {
    const auto read = named_values("class-weights", text, classes);
    ASSERT_TRUE(read && read->size() == 1) << text;
    EXPECT_EQ(read->front().name, "yes, sir");
    EXPECT_EQ(read->front().value, "3");
  }
}

TEST(BoostOptions, MonotoneSaysWhyItDoesNotFit) {
  const Settings rising{{"monotone", "a=up"}};
  EXPECT_EQ(refused_fit(two_columns({.target = "y", .more_targets = {"z"}}), rising).message,
            "--monotone is for one target, but there are 2");
  EXPECT_TRUE(refused_fit(two_columns({.target = "y"}), with(rising, {{"loss", "absolute"}}))
                  .message.ends_with("those of --loss absolute are quantiles of what their rows are off by"));
  EXPECT_EQ(refused_fit(testing::task_of("iris", "class"), {{"monotone", "petal_length=up"}}).message,
            "--monotone is for one score a row, but --loss softmax has one a class");
}

TEST(BoostOptions, StepsLongerThanTheLossTrustsAreRefused) {
  const Error error = refused_fit(counted(), {{"loss", "poisson"}, {"max-step", "1e6"}});
  EXPECT_EQ(error.kind, ErrorKind::Usage);
  EXPECT_EQ(error.cure, "give 1 or less, or leave it away");
  must_fit(counted(), with(kFew, {{"loss", "poisson"}, {"max-step", "0.5"}}));
  must_fit(counted(), with(kFew, {{"max-step", "1e6"}}));
}

TEST(BoostOptions, NothingIsNoNumberOfColumnsAndNoWidth) {
  for (const char* option : {"columns", "columns-per-level", "columns-per-node", "huber-width"}) {
    const Error error = refused_fit(counted(), {{"loss", "huber"}, {option, "0"}});
    EXPECT_EQ(error.kind, ErrorKind::Usage);
    EXPECT_TRUE(error.cure.starts_with("give a number above 0, or ")) << error.cure;
  }
}

TEST(AnyBoostOptions, AStepBeyondTheValleyIsSaidToBeTooLong) {
  for (const auto& [loss, step] : {std::pair{"squared", "50"}, {"poisson", "1"}}) {
    const Error error = refused_fit(counted(), {{"loss", loss}, {"step", step}}, "anyboost");
    EXPECT_EQ(error.kind, ErrorKind::Usage);
    EXPECT_EQ(error.message,
              std::string("--step ") + step + " is too long: already the first one does not lower the loss");
  }
  const Task constant = numbers_task(ramp(20), std::vector<double>(20, 3));  // no way down, however short the step
  EXPECT_EQ(must_fit("anyboost", constant, {{"step", "0.5"}}).forest().trees(), 0u);
}

TEST(AnyBoostOptions, ItsLossesHaveTheirShapes) {
  const auto share_below = [](const char* quantile) {
    const Task task = counted();
    const auto said = predicted(must_fit("anyboost", task, {{"loss", "quantile"}, {"quantile", quantile}}), task.x);
    double below = 0;
    for (std::size_t i = 0; i < said.size(); ++i) below += task.numbers()[i] <= said[i] ? 1.0 : 0.0;
    return below / static_cast<double>(said.size());
  };
  EXPECT_GT(share_below("0.9"), share_below("0.1") + 0.3);
  EXPECT_EQ(refused_fit(counted(), {{"loss", "quantile"}, {"quantile", "0.1,0.9"}}, "anyboost").message,
            "anyboost predicts one quantile, not several");
}

TEST(BoostOptions, OfTargetsWhoseSquaresAreNothingItIsSaid) {
  std::vector<double> y = ramp(20);
  for (double& v : y) v *= 1e-155;
  EXPECT_EQ(size_words(numbers_task(ramp(20), y)),
            "'y' is at most 1.9e-154, so small that its square is nothing: multiply the column by a power of ten");
  for (double& v : y) v *= 1e10;
  EXPECT_EQ(size_words(numbers_task(ramp(20), y)), "");
  EXPECT_EQ(size_words(numbers_task(ramp(20), std::vector<double>(20, 0))), "");
}

TEST(BoostOptions, AnOrderWithoutLeavesToChooseAndMorePartsThanRowsAreRefused) {
  EXPECT_EQ(refused_fit(counted(), {{"order", "level"}, {"max-leaves", "none"}}).message,
            "--order belongs to --max-leaves");
  must_fit(counted(), with(kFew, {{"order", "level"}}));
  EXPECT_EQ(refused_fit(counted(), {{"stop-parts", "61"}}).message, "--stop-parts 61: there are 60 rows");
  must_fit(counted(), {{"stop-parts", "60"}, {"stop-trials", "1"}, {"trees", "3"}});
}

TEST(BoostOptions, ColumnsAreAShareOrAWholeNumber) {
  for (const char* option : {"columns", "columns-per-level", "columns-per-node"}) {
    for (const char* good : {"all", "0.3", "1", "7", "1e-3"})
      EXPECT_TRUE(check_settings("boost", {{option, good}})) << good;
    for (const char* bad : {"1.0", "1.5", "2.", "1e0"}) {
      const Status read = check_settings("boost", {{option, bad}});
      ASSERT_FALSE(read) << bad;
      EXPECT_EQ(read.error().cure, "give all, a share such as 0.8, or how many: 1 is a single one");
    }
  }
}

TEST(BoostOptions, WhatWouldHaveNoEffectIsRefused) {
  const Task task = numbers_task(ramp(30), ramp(30, 7, 30));
  const auto cure = [&](const Settings& settings) {
    const auto model = fit("boost", task, with(kFew, settings));
    return model ? std::string() : model.error().cure;
  };
  EXPECT_EQ(cure({{"early-stop", "3"}, {"stop-trials", "6"}}), "give 5 or fewer, or more --stop-parts");
  EXPECT_EQ(cure({{"early-stop", "3"}, {"stop-trials", "6"}, {"stop-parts", "6"}}), "");
  for (const char* option : {"stop-trials", "stop-parts"})
    EXPECT_EQ(cure({{option, "3"}}), "add that, or leave the option away") << option;  // few without early stopping
  EXPECT_EQ(cure({{"sampling", "gradient"}, {"rows", "1"}}), "give --rows below 1, or leave --sampling away");
  EXPECT_EQ(cure({{"interactions", "x+x"}}), "name it once; a column alone acts with no other");
  for (const char* option : {"min-leaf", "l1", "l2", "min-hessian", "min-gain"})
    EXPECT_EQ(cure({{option, "inf"}}), "give 0 or more") << option;
}

// y falls and rises with a, and b and c act on it together; d is a category and a has gaps.
Task prepared_task() {
  std::vector<double> a, b, c, y;
  Categories d{{}, {"low", "mid", "top"}};
  for (int i = 0; i < 600; ++i) {
    const double x = i * 37 % 101 - 50.0, u = i * 53 % 89 - 44.0, v = i * 29 % 97 - 48.0;
    a.push_back(i % 11 == 0 ? kMissing : x), b.push_back(u), c.push_back(v), d.code.push_back(i % 3);
    y.push_back(u * v - x * x + 100.0 * (i % 3) + u * x);
  }
  Table table = table_of({{"a", a}, {"b", b}, {"c", c}, {"y", y}});
  table.columns.push_back({"d", std::move(d)});
  auto task = make_task(std::move(table), {.target = "y", .kind = TaskKind::Numbers});
  EXPECT_TRUE(task) << task.error().message;
  return std::move(*task);
}

const Settings kForty{{"trees", "40"}, {"early-stop", "none"}, {"learning-rate", "0.3"}};

// The table with one of its columns of numbers set.
Table at(const Task& task, const std::string& name, double value) {
  Table out = task.x;
  std::ranges::find(out.columns, name, &Column::name)->data = Numbers(std::vector<double>(out.rows, value));
  return out;
}

TEST(BoostOptions, MonotoneHoldsInColumnsOfTheTableOrIsRefused) {
  const Task task = prepared_task();
  for (const Settings& prepared :
       {Settings{{"impute", "mean"}, {"indicator", "yes"}}, Settings{{"scale", "standard"}},
        Settings{{"scale", "min-max"}}, Settings{{"categories", "one-hot"}}, Settings{{"categories", "target"}},
        Settings{{"categories", "ordinal"}, {"rare", "5"}}, Settings{{"impute", "drop-rows"}}}) {
    const Model model = must_fit(task, with(with(kForty, prepared), {{"monotone", "a=up"}}));
    std::vector<double> last(task.x.rows, -1e300);
    for (double a = -60; a <= 60; a += 3) {
      const std::vector<double> said = predicted(model, at(task, "a", a));
      for (std::size_t r = 0; r < said.size(); ++r) EXPECT_GE(said[r], last[r]) << prepared.begin()->first;
      last = said;
    }
  }
  const auto refused = [&](const std::string& option, const std::string& value, const std::string& monotone) {
    return refused_fit(task, with(kFew, {{option, value}, {"monotone", monotone}}));
  };
  EXPECT_EQ(refused("powers", "2", "a=up").message,
            "--monotone bounds what 'a' itself says, but --powers makes 'a^2' of it");
  EXPECT_EQ(refused("products", "yes", "a=up").cure, "leave --products away, or 'a' out of --monotone");
  EXPECT_EQ(refused("regions", "8", "b=down").kind, ErrorKind::Usage);
  EXPECT_EQ(refused("impute", "draw", "b=down").cure, "choose --impute median, or leave --monotone away");
  for (const char* coding : {"ordinal", "target", "one-hot", "native"})
    EXPECT_EQ(refused("categories", coding, "d=up").message,
              "--monotone: 'd' is a category, which neither rises nor falls");
  EXPECT_EQ(refused("categories", "one-hot", "d=top=up").message,
            "--monotone: 'd=top' is no column that is learned from");
  EXPECT_EQ(refused("impute", "drop-columns", "a=up").message, "--monotone: column 'a' is not learned from");
}

TEST(BoostOptions, InteractionsAreOfColumnsOfTheTable) {
  const Task task = prepared_task();
  for (const Settings& prepared :
       {Settings{}, Settings{{"powers", "3"}, {"indicator", "yes"}}, Settings{{"categories", "one-hot"}},
        Settings{{"categories", "target"}, {"impute", "mode"}}, Settings{{"scale", "min-max"}}}) {
    const Model model = must_fit(task, with(with(kForty, prepared), {{"interactions", "a+b,c+d"}}));
    // Of sums of what a and b say and what c and d say, moving b moves all rows of one a alike, whatever their c.
    for (const double c : {-30.0, 40.0}) {
      Task other = task;
      other.x = at(task, "c", c);
      const auto low = predicted(model, at(other, "b", -20)), high = predicted(model, at(other, "b", 30));
      const auto own_low = predicted(model, at(task, "b", -20)), own_high = predicted(model, at(task, "b", 30));
      for (std::size_t r = 0; r < low.size(); ++r)
        EXPECT_NEAR(high[r] - low[r], own_high[r] - own_low[r], 1e-6) << prepared.size();
    }
  }
  const auto cure = [&](const Settings& settings) {
    const auto model = fit("boost", task, with(kFew, settings));
    return model ? std::string() : model.error().cure;
  };
  const std::string apart = "leave --products and --regions away, or --interactions";
  EXPECT_EQ(cure({{"interactions", "a+b,c"}, {"products", "yes"}}), apart);
  EXPECT_EQ(cure({{"interactions", "a+b"}, {"regions", "16"}}), apart);
  EXPECT_EQ(cure({{"interactions", "a+b+c"}, {"products", "yes"}}), "");
  EXPECT_EQ(cure({{"interactions", "a,b"}, {"impute", "draw"}}),
            "choose --impute median, or leave --interactions away");
  EXPECT_EQ(cure({{"interactions", "a,d"}, {"impute", "drop-columns"}}),
            "leave it away there, or let it be learned from: neither ignored nor dropped");
}

}  // namespace
}  // namespace wald
