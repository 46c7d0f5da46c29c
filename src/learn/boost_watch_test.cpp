#include "learn/boost_test.h"

namespace wald {
namespace {

using testing::must_fit;
using testing::predicted;
using testing::task_of;

// The even rows to learn from, the odd ones to stop by.
struct Halves {
  Task learned, other;
};
Halves halves_of(const Task& task) {
  std::vector<Row> even, odd;
  for (Row row = 0; row < task.x.rows; ++row) (row % 2 == 0 ? even : odd).push_back(row);
  return {take_rows(task, even), take_rows(task, odd)};
}

const Settings kHasty{{"trees", "200"}, {"learning-rate", "0.3"}, {"early-stop", "10"}};

TEST(StopBy, TheModelIsThatOfTheRoundThatIsBestOnTheOtherRows) {
  const Halves halves = halves_of(task_of("auto_mpg", "mpg"));
  for (const Settings& more :
       {Settings{}, Settings{{"drop", "0.1"}}, Settings{{"leaf", "linear"}}, Settings{{"impute", "mean"}}}) {
    const Settings settings = testing::with(kHasty, more);
    const Model model = must_fit(halves.learned, settings, {}, {.stop_by = &halves.other});
    const auto best = std::ranges::min_element(model.curve.held) - model.curve.held.begin();
    EXPECT_EQ(model.curve.best, best + 1);
    EXPECT_EQ(model.forest().trees(), model.curve.best);
    const Model whole = must_fit(
        halves.learned, testing::with(settings, {{"trees", std::to_string(best + 1)}, {"early-stop", "none"}}));
    EXPECT_EQ(predicted(model, halves.other.x), predicted(whole, halves.other.x));
    double squares = 0;
    const std::vector<double> said = predicted(model, halves.other.x);
    for (std::size_t i = 0; i < said.size(); ++i) squares += std::pow(said[i] - halves.other.numbers()[i], 2);
    EXPECT_NEAR(model.curve.held[static_cast<std::size_t>(best)], std::sqrt(squares / static_cast<double>(said.size())),
                1e-9);
  }
}

TEST(StopBy, ClassesAndLevelsUnseenInTrainingAreJudgedToo) {
  Halves halves = halves_of(task_of("claims", "claim"));
  for (Column& column : halves.other.x.columns)
    if (column.type() == ColumnType::Category) std::get<Categories>(column.data).level[0] = "unheard of";
  const Model model = must_fit(halves.learned, kHasty, {}, {.stop_by = &halves.other});
  EXPECT_GT(model.curve.best, 0u);
  EXPECT_EQ(model.curve.measure, "log_loss");
}

TEST(StopBy, WithoutEarlyStoppingAllRoundsAreKeptAndTold) {
  const Halves halves = halves_of(task_of("auto_mpg", "mpg"));
  const Model model =
      must_fit(halves.learned, {{"trees", "7"}, {"early-stop", "none"}}, {}, {.stop_by = &halves.other});
  EXPECT_EQ(model.forest().trees(), 7u);
  EXPECT_EQ(model.curve.held.size(), 7u);
}

TEST(StopBy, ARunTakenUpEndsInTheSameBytes) {
  const Halves halves = halves_of(task_of("auto_mpg", "mpg"));
  for (const Settings& more : {Settings{}, Settings{{"leaf", "linear"}}, Settings{{"drop", "0.2"}},
                               Settings{{"drop", "0.2"}, {"leaf", "linear"}}}) {
    const Settings settings = testing::with(kHasty, more);
    std::vector<std::string> checkpoints;
    const Model whole = must_fit(halves.learned, settings, {},
                                 {.checkpoint = [&](const Model& m) { checkpoints.push_back(to_bytes(m)); },
                                  .checkpoint_seconds = 0,
                                  .stop_by = &halves.other});
    ASSERT_EQ(checkpoints.size(), whole.curve.held.size());
    for (std::size_t i = 0; i < checkpoints.size(); i += 5) {
      const auto checkpoint = from_bytes(std::as_bytes(std::span(checkpoints[i])), "checkpoint");
      ASSERT_TRUE(checkpoint) << checkpoint.error().message;
      EXPECT_EQ(must_fit(halves.learned, settings, {}, {.resume = &*checkpoint, .stop_by = &halves.other}), whole) << i;
      for (const Task* other : {static_cast<const Task*>(nullptr), &halves.learned})
        EXPECT_EQ(fit("boost", halves.learned, settings, {}, {.resume = &*checkpoint, .stop_by = other}).error().cure,
                  "give the same --stop-on");
    }
  }
}

// Targets of some loss to learn from, the same with one changed to stop by.
Error refused_other(const std::string& loss, double target) {
  Task task = testing::numbers_task({1, 2, 3, 4, 5, 6}, {1, 2, 3, 2, 1, 4});
  if (loss == "ndcg" || loss == "map") task.query.assign(6, 0);
  Task other = task;
  other.x.source = "other.csv";
  std::get<std::vector<double>>(other.y)[4] = target;
  const auto model = fit("boost", task, {{"loss", loss}, {"trees", "3"}}, {}, {.stop_by = &other});
  EXPECT_FALSE(model) << loss << " " << target;
  return model ? Error{} : model.error();
}

TEST(StopBy, TargetsMustSuitTheLossThere) {
  EXPECT_EQ(refused_other("gamma", 0).message,
            "--loss gamma needs targets above 0, but row 5 of other.csv has 'y' = 0");
  EXPECT_EQ(refused_other("poisson", -3).message,
            "--loss poisson needs targets of 0 or more, but row 5 of other.csv has 'y' = -3");
  EXPECT_EQ(refused_other("tweedie", -1).cure, "choose squared, absolute or huber, or leave such rows out");
  EXPECT_EQ(refused_other("squared", 1e200).message,
            "boosting squares its targets, and row 5 of other.csv has 'y' = 1e+200");
  EXPECT_EQ(refused_other("ndcg", 2000).kind, ErrorKind::BadData);
  EXPECT_EQ(refused_other("map", -1).kind, ErrorKind::BadData);
}

TEST(StopBy, RowsThatTellNoRoundFromAnotherAreRefused) {
  const Task task = testing::numbers_task({1, 2, 3, 4}, {1, 2, 3, 2});
  Task other = take_rows(task, std::vector<Row>{0, 2});
  other.x.source = "other.csv", other.y = std::vector<double>{-1, -2};
  EXPECT_EQ(fit("boost", task, {{"loss", "cox"}}, {}, {.stop_by = &other}).error().message,
            "other.csv has no event, all its times are below 0, so that no round is better than another there");
  Task ranked = task;
  ranked.query = {0, 0, 1, 1}, other.query = {0, 0}, other.y = std::vector<double>{0, 3};
  must_fit(ranked, kHasty, {}, {.stop_by = &other});
  other.weight = {std::int64_t{1} << kWeightBits, 0};
  for (const std::string loss : {"ndcg", "map"})
    EXPECT_EQ(fit("boost", ranked, {{"loss", loss}}, {}, {.stop_by = &other}).error().kind, ErrorKind::BadData) << loss;
}

TEST(StopBy, TheWidthOfHuberIsThatOfTheRowsLearnedFrom) {
  const Halves halves = halves_of(task_of("auto_mpg", "mpg"));
  Task far = halves.other;  // its own distances are five times as large
  for (double& y : std::get<std::vector<double>>(far.y)) y = 5 * y - 94;
  std::vector<double> distance = halves.learned.numbers();
  const auto at = [&](double share) {
    std::ranges::sort(distance);
    return distance[static_cast<std::size_t>(share * static_cast<double>(distance.size()))];
  };
  const double median = at(0.5);
  for (double& d : distance) d = std::fabs(d - median);
  const double width = at(0.9);
  const Model model =
      must_fit(halves.learned, testing::with(kHasty, {{"loss", "huber"}, {"trees", "3"}}), {}, {.stop_by = &far});
  const Model given =
      must_fit(halves.learned,
               testing::with(kHasty, {{"loss", "huber"}, {"trees", "3"}, {"huber-width", std::to_string(width)}}), {},
               {.stop_by = &far});
  ASSERT_EQ(model.curve.held.size(), given.curve.held.size());
  for (std::size_t i = 0; i < model.curve.held.size(); ++i)
    EXPECT_NEAR(model.curve.held[i] / given.curve.held[i], 1, 0.05);
}

// Twelve rows a query, in descending relevance, with weights where asked for.
Task ranking(std::uint32_t queries, bool weighted) {
  Table table;
  std::vector<double> x, noise, relevance, query, weight;
  const std::uint32_t all = queries * 12;
  for (std::uint32_t i = 0; i < all; ++i) {
    const std::uint32_t place = i % 12;
    query.push_back(i / 12), relevance.push_back(place < 2 ? 2 : place < 6 ? 1 : 0);
    x.push_back(relevance.back() * 10 + i * 37 % 23), noise.push_back(i * 53 % 17);
    weight.push_back(i % 7 == 0 ? 0 : 0.25 * (1 + i / 12 % 9));
  }
  table.rows = all;
  for (auto& [name, values] : {std::pair{"x", x}, {"noise", noise}, {"relevance", relevance}, {"query", query}})
    table.columns.push_back({name, Numbers(values)});
  if (weighted) table.columns.push_back({"w", Numbers(weight)});
  auto task = make_task(table, {.target = "relevance", .weight = weighted ? "w" : "", .query = "query"});
  EXPECT_TRUE(task) << task.error().message;
  return std::move(*task);
}

TEST(StopBy, RankingsAreJudgedAsTheyAreMeasured) {
  const Task learned = ranking(40, true);
  Task other = ranking(21, true);
  for (Row row = 0; row < other.x.rows; ++row) other.query[row] += 100;
  for (const std::string loss : {"ndcg", "map"}) {
    const Model model = must_fit(learned, testing::with(kHasty, {{"loss", loss}, {"columns-per-node", "all"}}), {},
                                 {.stop_by = &other});
    ASSERT_GT(model.curve.best, 0u);
    const auto predictions = testing::all_predicted(model, other.x);
    const Measures measures =
        measure(model.schema, predictions, other.y, other.weight, {}, {.query = other.query, .ranks = true});
    const auto found =
        std::ranges::find(measures.list, loss == "map" ? "map" : "ndcg_10", [](const Measure& m) { return m.name; });
    ASSERT_NE(found, measures.list.end());
    EXPECT_NEAR(model.curve.held[model.curve.best - 1], found->value, 1e-12) << loss;
  }
}

// In descending relevance the first scores, all the same, would be perfect if equal scores kept the order of the file.
TEST(EarlyStop, RankingsDoNotStopAtTheOrderOfTheFile) {
  const Task task = ranking(40, false);
  for (const std::string loss : {"ndcg", "map"}) {
    const Model model = must_fit(task, testing::with(kHasty, {{"loss", loss}}));
    EXPECT_GT(model.curve.best, 0u) << loss;
    EXPECT_GT(model.curve.held[model.curve.best - 1], model.curve.held[0]) << loss;
  }
}

std::string told(const Task& task, const Settings& settings, std::uint64_t seed = 1) {
  std::string out;
  must_fit(task, settings, {.seed = seed}, {.ended = [&](const std::string& why) { out = why; }});
  return out;
}

TEST(EarlyStop, SaysWhereNoRowsCouldBeHeldOut) {
  const Settings few = testing::with(kHasty, {{"trees", "5"}});
  EXPECT_TRUE(told(ranking(1, false), few)
                  .starts_with("no rows could be held out to choose the rounds on, because all "
                               "are of one query: the "))
      << told(ranking(1, false), few);
  EXPECT_EQ(told(ranking(1, false), testing::with(few, {{"early-stop", "none"}})), "");
  EXPECT_EQ(told(ranking(40, false), few), "");
  EXPECT_EQ(told(testing::numbers_task({1}, {7}), few), "");  // it has no trees, which is said elsewhere
  int together = 0;  // two queries are drawn for the same one of five parts now and then
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    together += told(ranking(2, false), few, seed).find("all queries fell into the same") != std::string::npos;
  EXPECT_GT(together, 0);
  EXPECT_LT(together, 12);
}

TEST(EarlyStop, HoldsOutAnotherPartWhereTheFirstHasNoQuery) {
  const Settings one = testing::with(kHasty, {{"trees", "5"}, {"stop-trials", "1"}, {"stop-parts", "20"}});
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    const Model model = must_fit(ranking(3, false), one, {.seed = seed});
    EXPECT_FALSE(model.curve.held.empty()) << seed;
  }
}

TEST(StopBy, OtherLearnersAndOtherTargetsAreRefused) {
  const Halves halves = halves_of(task_of("auto_mpg", "mpg"));
  EXPECT_FALSE(fit("cart", halves.learned, {}, {}, {.stop_by = &halves.other}));
  const Task classes = task_of("claims", "claim");
  EXPECT_FALSE(fit("boost", halves.learned, {}, {}, {.stop_by = &classes}));
}

}  // namespace
}  // namespace wald
