#include "prepare/prepare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/random.h"

namespace wald {
namespace {

Column numbers(std::string name, std::vector<double> cells) { return {std::move(name), Numbers(std::move(cells))}; }
Column words(std::string name, std::vector<std::int32_t> code, std::vector<std::string> level) {
  return {std::move(name), Categories{std::move(code), std::move(level)}};
}

// age and town, each missing twice; the second class where town is "b".
Task small_task() {
  Task out{.x = {.rows = 6, .source = "small"}, .target = "y"};
  out.x.columns = {numbers("age", {1, kMissing, 5, 5, 10, kMissing}),
                   words("town", {0, 1, -1, 1, 2, -1}, {"a", "b", "c"})};
  out.y = Classes{{0, 1, 0, 1, 0, 1}, {"no", "yes"}};
  return out;
}

Task drawn_task(Row rows, int levels, std::uint64_t seed) {
  const Random random(seed, Purpose::Sample);
  std::vector<double> a(rows), b(rows);
  Categories town;
  for (int k = 0; k < levels; ++k) town.level.push_back("t" + std::to_string(100 + k));
  Classes y{{}, {"no", "yes"}};
  for (Row r = 0; r < rows; ++r) {
    a[r] = random.unit(5 * r) < 0.2 ? kMissing : std::floor(100 * random.unit(5 * r + 1));
    b[r] = random.unit(5 * r + 2) - 0.5;
    town.code.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(levels) + 1, 5 * r + 3)) - 1);
    y.code.push_back(random.unit(5 * r + 4) < 0.3 ? 1 : 0);
  }
  Task out{.x = {.rows = rows, .source = "drawn"}, .target = "y"};
  out.x.columns = {numbers("a", a), numbers("b", b), {"town", town}};
  out.y = y;
  return out;
}

Prepared fitted(const Task& task, const Prepare& asked) {
  Result<Prepared> out = fit_preparation(task, asked, 1, [](const Task&, int) {
    return std::vector<PreparationStep>{{StepKind::Region, {"a", "b"}, {"box"}, {10, 50, -INFINITY, 0.2}, {}}};
  });
  EXPECT_TRUE(out) << (out ? "" : out.error().message);
  return std::move(*out);
}

const Column& named(const Prepared& p, const std::string& name) {
  const Column* found = p.task.x.find(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

TEST(Impute, MeanMedianAndModeAreThoseOfTheCellsThatAreThere) {
  for (const auto& [how, expected] : {std::pair{Impute::Mean, 5.25}, {Impute::Median, 5.0}, {Impute::Mode, 5.0}}) {
    const Prepared p = fitted(small_task(), {.impute = how});
    EXPECT_EQ(named(p, "age").numbers()[1], expected);
    EXPECT_EQ(named(p, "age").numbers()[0], 1);
    EXPECT_EQ(named(p, "town").categories().code, (std::vector<std::int32_t>{0, 1, 1, 1, 2, 1}));  // b is commonest
  }
}

TEST(Impute, AWeightCountsLikeCopiesOfTheRow) {
  Task weighted = small_task();
  weighted.weight = {3ll << 30, 1ll << 30, 1ll << 30, 1ll << 30, 2ll << 30, 1ll << 30};
  const std::vector<Row> copies = {0, 0, 0, 1, 2, 3, 4, 4, 5};
  const Task copied = take_rows(small_task(), copies);
  for (const Impute how : {Impute::Mean, Impute::Median, Impute::Mode})
    EXPECT_EQ(fitted(weighted, {.impute = how}).how.steps, fitted(copied, {.impute = how}).how.steps);
}

TEST(Impute, DrawsAreOfTheColumnAndDependOnTheRowAlone) {
  const Task task = drawn_task(300, 4, 1);
  const Prepared p = fitted(task, {.impute = Impute::Draw});
  std::set<double> known;
  for (Row r = 0; r < task.x.rows; ++r)
    if (!std::isnan(task.x.columns[0].numbers()[r])) known.insert(task.x.columns[0].numbers()[r]);
  double sum = 0;
  int drawn = 0;
  for (Row r = 0; r < task.x.rows; ++r) {
    if (!std::isnan(task.x.columns[0].numbers()[r])) continue;
    const double x = named(p, "a").numbers()[r];
    EXPECT_TRUE(x >= *known.begin() && x <= *known.rbegin());
    sum += x, ++drawn;
  }
  EXPECT_NEAR(sum / drawn, 49.5, 12);
  std::vector<Row> back(task.x.rows);
  for (Row r = 0; r < task.x.rows; ++r) back[r] = task.x.rows - 1 - r;
  const Table turned = take_rows(task.x, back);
  const std::vector<Column> again = columns_after(p.how, turned.columns, turned.rows);
  for (Row r = 0; r < task.x.rows; ++r) {
    EXPECT_EQ(again[0].numbers()[r], named(p, "a").numbers()[back[r]]);
    EXPECT_EQ(again[2].categories().code[r], named(p, "town").categories().code[back[r]]);
  }
}

TEST(Impute, RowsOrColumnsWithoutACellAreLeftOutAndIndicatorsTellOfThem) {
  const Prepared rows = fitted(small_task(), {.impute = Impute::DropRows});
  EXPECT_EQ(rows.task.x.rows, 3u);
  EXPECT_EQ(rows.rows.size(), rows.task.x.rows);
  EXPECT_TRUE(rows.how.empty());
  const Prepared columns = fitted(small_task(), {.impute = Impute::DropColumns, .indicator = true});
  EXPECT_EQ(columns.task.x.find("age"), nullptr);
  EXPECT_EQ(named(columns, "age missing").numbers().to_doubles(), (std::vector<double>{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(named(columns, "town missing").numbers().to_doubles(), (std::vector<double>{0, 0, 1, 0, 0, 1}));
}

TEST(Categories, OneHotHasAColumnALevelAndAMissingCellIsMissingInAll) {
  const Prepared p = fitted(small_task(), {.categories = Coding::OneHot});
  EXPECT_EQ(p.task.x.find("town"), nullptr);
  const std::vector<double> b = named(p, "town=b").numbers().to_doubles();
  EXPECT_EQ(b[0], 0);
  EXPECT_EQ(b[1], 1);
  EXPECT_TRUE(std::isnan(b[2]));
  const auto unseen = columns_after(p.how, {numbers("age", {1}), words("town", {0}, {"z"})}, 1);
  for (std::size_t c = 1; c < unseen.size(); ++c) EXPECT_EQ(unseen[c].numbers()[0], 0);
}

TEST(Categories, ManyLevelsAreCodedByTheTargetInstead) {
  const Prepared p = fitted(small_task(), {.categories = Coding::OneHot, .one_hot_levels = 2});
  EXPECT_EQ(named(p, "town").type(), ColumnType::Number);
}

TEST(Categories, OrdinalNumbersTheLevels) {
  const std::vector<double> cells =
      named(fitted(small_task(), {.categories = Coding::Ordinal}), "town").numbers().to_doubles();
  EXPECT_EQ(cells[4], 2);
  EXPECT_TRUE(std::isnan(cells[2]));
}

TEST(Categories, RareLevelsAndUnseenOnesAreOne) {
  const Prepared p = fitted(small_task(), {.rare = 2});
  EXPECT_EQ(named(p, "town").categories().level, (std::vector<std::string>{"(rare)", "b"}));
  EXPECT_EQ(named(p, "town").categories().code, (std::vector<std::int32_t>{0, 1, -1, 1, 0, -1}));
  const auto unseen = columns_after(p.how, {numbers("age", {1}), words("town", {0}, {"z"})}, 1);
  EXPECT_EQ(unseen[1].categories().code[0], 0);
}

TEST(TargetCoding, IsTheLevelsMeanDrawnTowardsTheMeanOfAll) {
  const Task task = drawn_task(200, 5, 3);
  const Prepared p = fitted(task, {.categories = Coding::ByTarget, .level_rows = 7});
  const auto& code = task.x.columns[2].categories().code;
  double all = 0;
  for (const std::int32_t y : task.classes().code) all += y / 200.0;
  const std::vector<Column> after = columns_after(p.how, task.x.columns, task.x.rows);
  for (Row r = 0; r < 20; ++r) {
    if (code[r] < 0) continue;
    double sum = 0, n = 0;
    for (Row q = 0; q < 200; ++q)
      if (code[q] == code[r]) sum += task.classes().code[q], n += 1;
    EXPECT_NEAR(after.back().numbers()[r], (sum + 7 * all) / (n + 7), 1e-12);
  }
}

TEST(TargetCoding, NoTrainingRowIsCodedByItsOwnTarget) {
  const Task task = drawn_task(120, 6, 4);
  const std::vector<double> before =
      named(fitted(task, {.categories = Coding::ByTarget}), "town").numbers().to_doubles();
  for (const Row row : {0u, 17u, 63u, 119u}) {
    Task other = task;
    Classes y = task.classes();
    y.code[row] = 1 - y.code[row];
    other.y = y;
    const auto after = named(fitted(other, {.categories = Coding::ByTarget}), "town").numbers().to_doubles();
    if (task.x.columns[2].categories().code[row] >= 0) { EXPECT_EQ(after[row], before[row]); }
    EXPECT_NE(after, before);
  }
}

TEST(TargetCoding, OfThreeClassesMakesAColumnEach) {
  Task task = small_task();
  task.y = Classes{{0, 1, 2, 1, 0, 2}, {"p", "q", "r"}};
  const Prepared p = fitted(task, {.categories = Coding::ByTarget});
  for (const char* name : {"town:p", "town:q", "town:r"}) EXPECT_EQ(named(p, name).type(), ColumnType::Number);
}

TEST(Scale, GivesMeanZeroAndDeviationOneOrTheRangeZeroToOne) {
  const Task task = drawn_task(300, 3, 5);
  const std::vector<double> b = named(fitted(task, {.scale = Scaling::Standard}), "b").numbers().to_doubles();
  const double mean = std::accumulate(b.begin(), b.end(), 0.0) / 300;
  double squares = 0;
  for (const double x : b) squares += (x - mean) * (x - mean);
  EXPECT_NEAR(mean, 0, 1e-12);
  EXPECT_NEAR(squares / 300, 1, 1e-12);
  const std::vector<double> c = named(fitted(task, {.scale = Scaling::MinMax}), "b").numbers().to_doubles();
  EXPECT_EQ(*std::ranges::min_element(c), 0);
  EXPECT_EQ(*std::ranges::max_element(c), 1);
}

TEST(Expand, PowersProductsAndRegionsAreWhatTheirNamesSay) {
  const Task task = drawn_task(60, 3, 6);
  const Prepared p = fitted(task, {.powers = 3, .products = true, .regions = 4});
  const Numbers &a = task.x.columns[0].numbers(), &b = task.x.columns[1].numbers();
  for (Row r = 0; r < 60; ++r) {
    if (std::isnan(a[r])) continue;
    EXPECT_DOUBLE_EQ(named(p, "a^3").numbers()[r], a[r] * a[r] * a[r]);
    EXPECT_DOUBLE_EQ(named(p, "a*b").numbers()[r], a[r] * b[r]);
    EXPECT_EQ(named(p, "box").numbers()[r], a[r] > 10 && a[r] <= 50 && b[r] <= 0.2 ? 1 : 0);
  }
}

TEST(Expand, ColumnsOfZeroAndOneHaveNoPowersAndLevelsOfOneColumnNoProduct) {
  const Prepared made = fitted(small_task(), {.categories = Coding::OneHot, .powers = 2, .products = true});
  std::set<std::string> names;
  for (const Column& column : made.task.x.columns) names.insert(column.name);
  EXPECT_TRUE(names.contains("age^2"));
  EXPECT_TRUE(names.contains("age*town=a"));
  EXPECT_FALSE(names.contains("town=a^2"));
  EXPECT_FALSE(names.contains("town=a*town=b"));
}

TEST(Balance, MakesEveryClassWeighTheSame) {
  const Task task = drawn_task(400, 3, 7);
  const auto weights = [](const Task& t) {
    std::vector<double> sum(2);
    for (Row r = 0; r < t.x.rows; ++r)
      sum[static_cast<std::size_t>(t.classes().code[r])] +=
          t.weight.empty() ? 1 : std::ldexp(t.weight[r], -kWeightBits);
    return sum;
  };
  for (const Balance how : {Balance::Weights, Balance::Over, Balance::Under}) {
    const std::vector<double> sum = weights(fitted(task, {.balance = how}).task);
    EXPECT_NEAR(sum[0] / sum[1], 1, 1e-6);
  }
  EXPECT_LT(fitted(task, {.balance = Balance::Under}).task.x.rows, 400u);
  // Drawn again, a row weighs a whole number of times as much as one that was not.
  const Task over = fitted(task, {.balance = Balance::Over}).task;
  const double one = static_cast<double>(*std::ranges::min_element(over.weight));
  for (const std::int64_t w : over.weight) {
    const double times = static_cast<double>(w) / one;
    EXPECT_NEAR(times, std::round(times), 1e-6);
  }
}

TEST(Preparation, WhatFieldsBecomeIsWhatColumnsBecome) {
  const Task task = drawn_task(150, 30, 8);
  for (const Impute how : {Impute::None, Impute::Median, Impute::Draw})
    for (const Coding coding : {Coding::Native, Coding::OneHot, Coding::Ordinal, Coding::ByTarget, Coding::Drop}) {
      const Prepared p = fitted(task, {.impute = how,
                                       .indicator = true,
                                       .rare = 4,
                                       .categories = coding,
                                       .powers = 2,
                                       .products = true,
                                       .regions = 3,
                                       .scale = Scaling::Standard});
      std::string flaw;
      const std::vector<Field> fields = fields_after(p.how, flaw);
      EXPECT_EQ(flaw, "");
      const std::vector<Column> columns = columns_after(p.how, task.x.columns, task.x.rows);
      ASSERT_EQ(fields.size(), columns.size());
      for (std::size_t c = 0; c < fields.size(); ++c) {
        EXPECT_EQ(fields[c].name, columns[c].name);
        EXPECT_EQ(fields[c].type, columns[c].type());
        EXPECT_EQ(columns[c].name, p.task.x.columns[c].name);
        if (coding != Coding::ByTarget && coding != Coding::OneHot) { EXPECT_EQ(columns[c], p.task.x.columns[c]); }
      }
    }
}

TEST(Preparation, ColumnsMadeAreTracedToThoseTheyAreMadeOf) {
  const auto number = [](const char* name) { return Field{name, ColumnType::Number, {}}; };
  const Preparation how{{number("a"), number("b"), {"w", ColumnType::Category, {"x", "y"}}},
                        {{StepKind::Mark, {"b"}, {"b missing"}, {}, {}},
                         {StepKind::OneHot, {"w"}, {"w=x", "w=y"}, {}, {"x", "y"}},
                         {StepKind::Product, {"a", "a"}, {"a^2"}, {}, {}},
                         {StepKind::Product, {"b", "a^2"}, {"b*a^2"}, {}, {}},
                         {StepKind::Scale, {"a"}, {}, {0, 1}, {}}},
                        1};
  std::string flaw;
  const std::vector<Field> made = fields_after(how, flaw);
  const auto sources = sources_of(how, made);
  std::map<std::string, std::vector<std::size_t>> of;
  for (std::size_t c = 0; c < made.size(); ++c) of[made[c].name] = sources[c];
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(
      of,
      (std::map<std::string, Places>{
          {"a", {0}}, {"b", {1}}, {"b missing", {1}}, {"w=x", {2}}, {"w=y", {2}}, {"a^2", {0}}, {"b*a^2", {0, 1}}}));
}

TEST(Preparation, AStepThatDoesNotFitIsNamed) {
  const auto flaw_of = [](PreparationStep step) {
    std::string flaw;
    Preparation p{{{"a", ColumnType::Number, {}}, {"w", ColumnType::Category, {"u", "v"}}}, {std::move(step)}, 1};
    fields_after(p, flaw);
    return flaw;
  };
  EXPECT_EQ(flaw_of({StepKind::Scale, {"a"}, {}, {1, 2}, {}}), "");
  for (const PreparationStep& bad : std::vector<PreparationStep>{{StepKind::Scale, {"a"}, {}, {1, 0}, {}},
                                                                 {StepKind::Scale, {"w"}, {}, {1, 1}, {}},
                                                                 {StepKind::Scale, {"a"}, {}, {1, NAN}, {}},
                                                                 {StepKind::Fill, {"a"}, {}, {}, {}},
                                                                 {StepKind::Fill, {"w"}, {}, {}, {"x"}},
                                                                 {StepKind::Fill, {"w"}, {}, {1}, {}},
                                                                 {StepKind::Draw, {"a"}, {}, {}, {}},
                                                                 {StepKind::Draw, {"w"}, {}, {1, 0.5}, {"u", "v"}},
                                                                 {StepKind::Mark, {"a"}, {"w"}, {}, {}},
                                                                 {StepKind::Drop, {"b"}, {}, {}, {}},
                                                                 {StepKind::Rare, {"w"}, {}, {}, {}},
                                                                 {StepKind::OneHot, {"w"}, {"one"}, {}, {"u", "v"}},
                                                                 {StepKind::OneHot, {"w"}, {"a", "b"}, {}, {"u", "v"}},
                                                                 {StepKind::Encode, {"w"}, {"w"}, {1}, {"u", "v"}},
                                                                 {StepKind::Product, {"a", "w"}, {"p"}, {}, {}},
                                                                 {StepKind::Region, {"a"}, {"r"}, {1}, {}},
                                                                 {static_cast<StepKind>(99), {"a"}, {}, {}, {}}})
    EXPECT_NE(flaw_of(bad), "") << static_cast<int>(bad.kind);
}

}  // namespace
}  // namespace wald
