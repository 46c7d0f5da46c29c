#include "learn/private_boost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "learn/private_boost_grid.h"
#include "learn/private_boost_leaves.h"
#include "learn/private_check.h"
#include "learn/private_dpboost.h"
#include "tree/assembler.h"
#include "wald/predict.h"
#include "wald/privacy.h"

namespace wald {
namespace {

enum class Kind { TwoClasses, FourClasses, Numbers };

// Two numbers, one with gaps, and a category; the target follows the first and the category.
PrivateTask random_task(Kind kind, Row rows, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  PrivateTask out;
  std::vector<double> a, b, y;
  Categories c{.level = {"p", "q", "r", "s", "t"}};
  Classes classes{.name = kind == Kind::FourClasses ? std::vector<std::string>{"0", "1", "2", "3"}
                                                    : std::vector<std::string>{"0", "1"}};
  for (Row row = 0; row < rows; ++row) {
    a.push_back(10 * unit(random));
    b.push_back(unit(random) < 0.2 ? kMissing : unit(random));
    c.code.push_back(unit(random) < 0.1 ? -1 : static_cast<std::int32_t>(5 * unit(random)));
    y.push_back(a.back() * 3 + (c.code.back() == 2 ? 20 : 0) + 5 * unit(random));
    classes.code.push_back(kind == Kind::FourClasses ? static_cast<std::int32_t>(std::min(y.back() / 14, 3.0))
                                                     : y.back() > 20);
  }
  out.rows.x = {.columns = {{"a", Numbers(a)}, {"b", Numbers(b)}, {"c", c}}, .rows = rows, .source = "t"};
  out.rows.target = "y";
  out.declared.columns = {{.name = "a", .type = ColumnType::Number, .lowest = 0, .highest = 10},
                          {.name = "b", .type = ColumnType::Number, .lowest = 0, .highest = 1},
                          {.name = "c", .type = ColumnType::Category, .level = c.level}};
  if (kind == Kind::Numbers) {
    out.rows.y = y;
    out.declared.columns.push_back({.name = "y", .type = ColumnType::Number, .lowest = 0, .highest = 60});
  } else {
    out.declared.columns.push_back({.name = "y", .type = ColumnType::Category, .level = classes.name});
    out.rows.y = std::move(classes);
  }
  return out;
}

double length(const std::vector<std::int64_t>& v) {
  double sum = 0;
  for (const std::int64_t x : v) sum += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(sum);
}

TEST(PrivateBoost, NoReleaseMovesByMoreThanItsSensitivity) {
  for (const Kind kind : {Kind::TwoClasses, Kind::FourClasses, Kind::Numbers})
    for (unsigned seed = 1; seed <= 12; ++seed) {
      const PrivateTask task = random_task(kind, 3 + 5 * seed, seed);
      Entropy entropy;
      Witness witness{.counted = seed % 2 == 0};
      double longest = 0;
      witness.before = [&](int, std::vector<std::int64_t>&, std::vector<std::int64_t>& canary) {
        EXPECT_LE(length(canary), static_cast<double>(witness.reach));
        longest = std::fmax(longest, length(canary) / static_cast<double>(witness.reach));
      };
      const PrivateBoost how{.epsilon = 0.1 * seed, .trees = 15};
      ASSERT_TRUE(fit_private_boost(task, how, wald::Run{.threads = 1}, entropy, &witness));
      EXPECT_EQ(witness.releases > 15, true);
      EXPECT_GT(longest, 0.9);  // the bound is not idle
    }
}

// The last party has five rows, of which three count: together they move nothing by more than was paid for.
TEST(PrivateBoost, NoReleaseMovesByMoreThanAllRowsOfAContributor) {
  for (const Kind kind : {Kind::TwoClasses, Kind::FourClasses, Kind::Numbers})
    for (unsigned seed = 1; seed <= 6; ++seed) {
      const Row rows = 20 + 5 * seed;
      PrivateTask task = random_task(kind, rows, seed);
      for (Row row = 0; row < rows; ++row) task.contributor.push_back(std::min(row, rows - 5));
      Entropy entropy;
      Witness witness{.counted = seed % 2 == 0, .rows = 3};
      double longest = 0;
      witness.before = [&](int, std::vector<std::int64_t>&, std::vector<std::int64_t>& canary) {
        EXPECT_LE(length(canary), static_cast<double>(witness.reach));
        longest = std::fmax(longest, length(canary) / static_cast<double>(witness.reach));
      };
      const PrivateBoost how{.epsilon = 0.3 * seed, .trees = 15, .max_rows = 3};
      ASSERT_TRUE(fit_private_boost(task, how, wald::Run{.threads = 1}, entropy, &witness));
      EXPECT_GT(longest, 0.3);
    }
}

TEST(PrivateBoost, WithHardlyAnyNoiseItLearnsTheRule) {
  for (const Kind kind : {Kind::TwoClasses, Kind::FourClasses, Kind::Numbers}) {
    const PrivateTask task = random_task(kind, 3000, 5), fresh = random_task(kind, 500, 6);
    Entropy entropy;
    const auto model =
        fit_private_boost(task, {.epsilon = 10, .delta = 0.01, .trees = 60}, wald::Run{.threads = 1}, entropy);
    ASSERT_TRUE(model);
    const auto predicted = predict(*model, fresh.rows.x);
    double wrong = 0;
    for (Row row = 0; row < 500; ++row)
      wrong += kind == Kind::Numbers ? std::fabs(predicted->value[row] - fresh.rows.numbers()[row])
                                     : predicted->label[row] != fresh.rows.classes().code[row];
    EXPECT_LT(wrong / 500, kind == Kind::Numbers ? 2.0 : 0.12);
  }
}

double mean_told(const PrivateTask& task) {
  Entropy entropy;
  const auto model = fit_private_boost(task, {.epsilon = 8, .delta = 1e-5}, wald::Run{.threads = 1}, entropy);
  const auto told = predict(*model, task.rows.x);
  double sum = 0;
  for (const double value : told->value) sum += value;
  return sum / static_cast<double>(told->value.size());
}

// Two rows in a hundred hold all there is, thrice as far out as residuals are cut off: the mean is 1 all the same.
TEST(PrivateBoost, TheMeanOfALongTailIsNotCutOff) {
  PrivateTask task = random_task(Kind::Numbers, 4000, 7);
  auto& y = std::get<std::vector<double>>(task.rows.y);
  for (std::size_t row = 0; row < y.size(); ++row) y[row] = row % 50 == 0 ? 50 : 0;
  EXPECT_NEAR(mean_told(task), 1, 0.4);  // 0.2, were it cut off
}

TEST(PrivateBoost, TargetsFarFromZeroAreLearnedAlike) {
  PrivateTask task = random_task(Kind::Numbers, 4000, 8);
  const double before = mean_told(task);
  for (double& y : std::get<std::vector<double>>(task.rows.y)) y += 1e9;
  task.declared.columns.back().lowest = 1e9, task.declared.columns.back().highest = 1e9 + 60;
  EXPECT_NEAR(mean_told(task) - 1e9, before, 0.7);
  Entropy entropy;
  const auto model = fit_private_boost(task, {.epsilon = 8, .delta = 1e-5}, wald::Run{.threads = 1}, entropy);
  const auto told = predict(*model, task.rows.x);
  double off = 0;
  for (std::size_t row = 0; row < told->value.size(); ++row)
    off += std::fabs(told->value[row] - task.rows.numbers()[row]) / 4000;
  EXPECT_LT(off, 3);  // of a range of 60; the mean alone is off by 9
}

TEST(PrivateBoost, TheNoiseOfTwoRunsDiffersAndTheStructureDoesNot) {
  const PrivateTask task = random_task(Kind::TwoClasses, 200, 3);
  const Settings settings{{"epsilon", "8"}, {"delta", "0.001"}, {"trees", "20"}};
  const auto one = fit_private("private-boost", task, settings), other = fit_private("private-boost", task, settings);
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->forest().values, other->forest().values);
}

TEST(PrivateBoost, ModelsKeepNothingUnpaid) {
  const auto model = fit_private("private-boost", random_task(Kind::Numbers, 200, 3), {{"epsilon", "1"}});
  ASSERT_TRUE(model);
  EXPECT_EQ(model->made.rows, 0u);
  EXPECT_EQ(model->made.fingerprint, "");
  EXPECT_FALSE(model->forest().covered);
  EXPECT_TRUE(model->forest().gain.empty());
  EXPECT_TRUE(model->curve.train.empty());
}

TEST(PrivateBoost, OpenRowsAndOpenBoundsAreRefused) {
  PrivateTask task = random_task(Kind::Numbers, 50, 3);
  EXPECT_EQ(fit("private-boost", task.rows, {{"epsilon", "1"}}).error().kind, ErrorKind::PrivacyRefusal);
  EXPECT_EQ(fit_private("private-boost", task, {}).error().kind, ErrorKind::Usage);
  task.declared.columns[0].observed = true;
  EXPECT_EQ(fit_private("private-boost", task, {{"epsilon", "1"}}).error().kind, ErrorKind::PrivacyRefusal);
  task.declared.columns.erase(task.declared.columns.begin());
  const auto refused = fit_private("private-boost", task, {{"epsilon", "1"}});
  EXPECT_EQ(refused.error().kind, ErrorKind::PrivacyRefusal);
  EXPECT_NE(refused.error().cure.find("\"name\": \"a\""), std::string::npos);
}

// Refused before anything is paid for, and in a sentence.
TEST(PrivateBoost, MoreWordsThanDeltaPaysForCannotBeBought) {
  PrivateTask task = random_task(Kind::TwoClasses, 100, 4);
  auto& words = std::get<Categories>(task.rows.x.columns[2].data);
  const PrivateBoost how{.epsilon = 1, .delta = 1e-10, .trees = 3, .buy = "bounds=0.05"};
  task.declared.columns[2].level.clear();
  EXPECT_TRUE(check_private(task, how));
  for (int i = 0; i < 20000; ++i) words.level.push_back("word " + std::to_string(i));
  const Status refused = check_private(task, how);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("'c' has the most"), std::string::npos);
  Entropy entropy;
  EXPECT_FALSE(fit_private_boost(task, how, wald::Run{}, entropy));
}

// 400 honest answers and 100 copies from one company, which would like to be seen as safe.
TEST(PrivateBoost, AHundredCopiesFromOneContributorCountAsOneRow) {
  PrivateTask task = random_task(Kind::TwoClasses, 500, 9);
  Classes& y = std::get<Classes>(task.rows.y);
  for (Row row = 0; row < 500; ++row) {
    const bool copy = row >= 400;
    y.code[row] = copy;
    task.contributor.push_back(copy ? 400 : row);
  }
  const Settings settings{{"epsilon", "10"}, {"delta", "0.01"}, {"trees", "20"}};
  const auto share = [&](const PrivateTask& given) {
    const auto model = fit_private("private-boost", given, settings);
    const auto predicted = predict(*model, given.rows.x);
    double sum = 0;
    for (Row row = 0; row < 500; ++row) sum += predicted->value[2 * row + 1] / 500;
    return sum;
  };
  EXPECT_LT(share(task), 0.06);
  task.contributor.clear();
  EXPECT_GT(share(task), 0.12);  // what they would have reached
}

TEST(PrivateTask, RowsCannotStopOrWidenIt) {
  Table table{.columns = {{"a", Numbers(std::vector<double>{-5, 0.5, 1e300, kMissing})},
                          {"c", Categories{{0, 1, 2, -1}, {"p", "q", "zz"}}},
                          {"y", Categories{{0, 1, 0, 2}, {"no", "other", "yes"}}}},
              .rows = 4,
              .source = "t"};
  Declarations schema{{{.name = "a", .type = ColumnType::Number, .lowest = 0, .highest = 1},
                       {.name = "c", .type = ColumnType::Category, .level = {"q", "p", "w"}},
                       {.name = "y", .type = ColumnType::Category, .level = {"yes", "no"}}}};
  const auto task = make_private_task(table, schema, {.target = "y"});
  ASSERT_TRUE(task);
  EXPECT_EQ(task->rows.x.rows, 3u);  // the row of no declared class is left out
  EXPECT_EQ(task->rows.x.columns[0].numbers().to_doubles()[0], 0);
  EXPECT_EQ(task->rows.x.columns[0].numbers().to_doubles()[1], 1);
  EXPECT_EQ(task->rows.x.columns[1].categories().level, (std::vector<std::string>{"p", "q", "w"}));
  EXPECT_EQ(task->rows.x.columns[1].categories().code[1], -1);
  EXPECT_EQ(task->rows.classes().name, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(make_private_task(table, {}, {.target = "y"}).error().kind, ErrorKind::PrivacyRefusal);
  // A misspelt name would leave in what somebody wanted out.
  EXPECT_TRUE(make_private_task(table, schema, {.target = "y", .ignore = {"c"}}));
  EXPECT_EQ(make_private_task(table, schema, {.target = "y", .ignore = {"cc"}}).error().kind, ErrorKind::Usage);
  EXPECT_EQ(make_private_task(table, schema, {.target = "y", .ignore = {"y"}}).error().kind, ErrorKind::Usage);
  schema.columns.push_back({.name = "id", .ignore = true});
  EXPECT_TRUE(make_private_task(table, schema, {.target = "y", .ignore = {"id"}}));
}

// Whatever the range: values at the cuts, next to them and far outside.
TEST(PrivateRows, CodesCountTheCutsBelow) {
  for (const auto& [low, high] :
       {std::pair(0.0, 1.0), {-3e200, 1e201}, {1e9, 1e9 + 1e-6}, {0.0, 5e-323}, {-1e-310, 0.0}, {-7.0, 1e12}}) {
    PrivateTask task;
    task.rows.target = "y";
    task.declared.columns = {{.name = "a", .type = ColumnType::Number, .lowest = low, .highest = high},
                             {.name = "y", .type = ColumnType::Number, .lowest = 0, .highest = 1}};
    task.rows.x = {.columns = {{"a", Numbers(std::vector<double>{low})}}, .rows = 1};
    task.rows.y = std::vector<double>{0};
    const Domain domain = *domain_of(task);
    std::vector<double> values{low, high, kMissing, 0.5 * (low + high)};
    const PrivateRows one = private_rows(task.rows, domain, {0});
    for (const double cut : one.columns[0].cuts)
      for (const double to : {low, high}) values.insert(values.end(), {cut, std::nextafter(cut, to)});
    task.rows.x = {.columns = {{"a", Numbers(values)}}, .rows = static_cast<Row>(values.size())};
    std::vector<Row> rows(values.size());
    std::iota(rows.begin(), rows.end(), Row{0});
    const PrivateColumn coded = private_rows(task.rows, domain, rows).columns[0];
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(coded.code[i], std::isnan(values[i])
                                   ? 0
                                   : 1 + std::ranges::count_if(coded.cuts, [&](double cut) { return cut < values[i]; }))
          << values[i];
  }
}

TEST(Grid, TreesSendRowsToTheLeavesOfTheirGrid) {
  const PrivateTask task = random_task(Kind::Numbers, 300, 4);
  std::vector<Row> rows(300);
  for (Row row = 0; row < 300; ++row) rows[row] = row;
  const PrivateRows x = private_rows(task.rows, *domain_of(task), rows);
  Known known{.masses = even_masses(x)};
  for (const PrivateColumn& column : x.columns) known.effects.emplace_back(column.codes);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Grid grid =
        draw_grid(x, known, {seed % 3, (seed + 1) % 3}, 2 + static_cast<int>(seed) % 5, Random(seed, kStructure));
    std::vector<double> number(static_cast<std::size_t>(grid.leaves));
    for (std::size_t leaf = 0; leaf < number.size(); ++leaf) number[leaf] = static_cast<double>(leaf);
    Model model{.schema = {}, .body = assemble({0.0}, 3, std::vector{tree_of(grid, branches_of(grid), x, number, 1)})};
    for (const Column& c : task.rows.x.columns)
      model.schema.columns.push_back(
          {c.name, c.type(), c.type() == ColumnType::Category ? c.categories().level : std::vector<std::string>{}});
    model.schema.target = {"y"};
    const auto predicted = predict(model, task.rows.x);
    ASSERT_TRUE(predicted);
    for (Row row = 0; row < 300; ++row) {
      int leaf = 0;
      for (const Axis& axis : grid.axes) leaf += axis.stride * axis.part[x.columns[axis.column].code[row]];
      EXPECT_EQ(predicted->value[row], leaf);
    }
  }
}

// Nine rows in ten are 0: the others are still told apart, and the first halves are 0 and the rest.
TEST(Grid, AColumnThatIsMostlyOneValueIsCutWhereItIsNot) {
  const PrivateTask task = random_task(Kind::Numbers, 10, 4);
  const PrivateRows x = private_rows(task.rows, *domain_of(task), {0, 1, 2});
  Known known{.masses = even_masses(x), .effects = std::vector<std::vector<double>>(3)};
  double all = 0;
  for (const double mass : known.masses[0]) all += mass;
  known.masses[0][1] = 9 * all;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Grid grid = draw_grid(x, known, {0}, 14, Random(seed, kStructure));
    EXPECT_GE(grid.leaves, 4);
    EXPECT_LE(grid.leaves, 14);
    EXPECT_EQ(grid.axes[0].part[1], 0);
    EXPECT_EQ(grid.axes[0].part[2], 1);
    EXPECT_EQ(branches_of(grid)[0].middle, 1);
  }
}
// Whatever the user wants to spend where, something is left for the trees.
TEST(PrivateBoost, SharesNeverAddUpToMoreThanTheBudget) {
  PrivateTask task = random_task(Kind::Numbers, 40, 3);
  task.declared.columns[0].lowest.reset(), task.declared.columns[0].highest.reset();
  for (const char* epsilon : {"0.01", "1", "8"}) {
    const auto model =
        fit_private("private-boost", task, {{"epsilon", epsilon}, {"buy", "bounds=0.5"}, {"histogram-share", "0.5"}});
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_GT(model->forest().trees(), 0u);
  }
}

TEST(LeafPrior, WithoutNoiseLeavesAreNewtonStepsAndInNoiseTheyAreNothing) {
  std::vector<Branch> tree(3);
  tree[0] = {.axis = 0, .from = 0, .middle = 1, .child = 1};
  tree[1] = {.leaf = 0, .depth = 1}, tree[2] = {.leaf = 1, .depth = 1};
  const std::vector<double> sharp = LeafPrior(4, 0.1).values(
      tree, {.g = {-500, 300}, .h = {1000, 1000}, .noise_g = 0.1, .noise_h = 0.1, .scatter = 1e-9});
  EXPECT_NEAR(sharp[0], 0.5, 0.01);
  EXPECT_NEAR(sharp[1], -0.3, 0.01);
  const std::vector<double> drowned = LeafPrior(4, 0.1).values(
      tree, {.g = {-500, 300}, .h = {1000, 1000}, .noise_g = 5000, .noise_h = 50, .scatter = 1});
  EXPECT_LT(std::fabs(drowned[0]), 0.01);
}

TEST(DpBoost, ScoresAndLeavesMoveByNoMoreThanTheirSensitivities) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> g(-(1 << kGainBits), 1 << kGainBits);
  for (int trial = 0; trial < 3000; ++trial) {
    Side left, right;
    const int many = 1 + trial % 40, sign = trial % 3 == 0 ? 0 : 1;
    for (int i = 0; i < many; ++i) left.g += sign == 0 ? g(random) : 1 << kGainBits, ++left.rows;
    for (int i = 0; i < trial % 7; ++i) right.g += g(random), ++right.rows;
    const int more = trial % 2 == 0 ? g(random) : -(1 << kGainBits);
    const Side grown{left.g + more, left.rows + 1};
    EXPECT_LE(std::abs(split_score(grown, right) - split_score(left, right)), static_cast<std::int64_t>(kGainReach));
    for (const std::int64_t most : {std::int64_t{1} << kLeafBits, std::int64_t{1000}})
      EXPECT_LE(std::abs(leaf_score(grown, most) - leaf_score(left, most)),
                static_cast<std::int64_t>(leaf_reach(most)));
  }
}

// Sums of ten million rows, squared, have more than 64 bits, and a score may be far behind the best.
TEST(DpBoost, ScoresOfMillionsOfRowsDoNotOverflow) {
  constexpr std::int64_t kRows = 10'000'000;
  const std::int64_t score = split_score({-kRows << kGainBits, kRows}, {});
  EXPECT_EQ(score, ((kRows - 1) << 2 * kGainBits) + (1 << 2 * kGainBits) / (kRows + 1));
  Entropy entropy;
  EXPECT_EQ(PureBudget(1).choose(entropy, std::vector<std::int64_t>{0, score, 5}, kGainReach, 1 << 20), 1u);
}

TEST(DpBoost, LearnsWhereEpsilonIsLarge) {
  const PrivateTask task = random_task(Kind::TwoClasses, 4000, 5);
  for (const char* two : {"no", "yes"}) {
    const auto model = fit_private("private-boost", task,
                                   {{"epsilon", "16"},
                                    {"algorithm", "dpboost"},
                                    {"trees", "10"},
                                    {"max-depth", "3"},
                                    {"learning-rate", "0.5"},
                                    {"two-nodes", two}});
    ASSERT_TRUE(model);
    const auto predicted = predict(*model, task.rows.x);
    double wrong = 0;
    for (Row row = 0; row < 4000; ++row) wrong += predicted->label[row] != task.rows.classes().code[row];
    EXPECT_LT(wrong / 4000, 0.2);
  }
}

}  // namespace
}  // namespace wald
