#include "wald/validate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/random.h"

namespace wald {
namespace {

Task drawn_task(Row rows, std::uint64_t seed, int classes) {
  const Random random(seed, Purpose::Sample);
  std::vector<double> a(rows), b(rows);
  Classes y;
  std::vector<double> numbers(rows);
  for (int k = 0; k < classes; ++k) y.name.push_back(std::string(1, static_cast<char>('a' + k)));
  for (Row r = 0; r < rows; ++r) {
    a[r] = random.unit(3 * r), b[r] = random.unit(3 * r + 1);
    numbers[r] = 2 * a[r] + 0.1 * b[r];
    y.code.push_back(classes > 0 ? static_cast<std::int32_t>(random.below(static_cast<std::size_t>(classes), 3 * r + 2))
                                 : 0);
  }
  Task out{.x = {.rows = rows, .source = "drawn"}, .target = "y"};
  out.x.columns = {{"a", Numbers(a)}, {"b", Numbers(b)}};
  if (classes > 0) out.y = y;
  else out.y = numbers;
  return out;
}

void expect_division(const std::vector<Fold>& folds, Row rows) {
  std::vector<int> held(rows);
  for (const Fold& fold : folds) {
    EXPECT_TRUE(std::ranges::is_sorted(fold.held) && std::ranges::is_sorted(fold.train));
    EXPECT_EQ(fold.held.size() + fold.train.size(), rows);
    for (const Row r : fold.held) ++held[r];
  }
  EXPECT_TRUE(std::ranges::all_of(held, [](int n) { return n == 1; }));
}

TEST(Folds, HoldOutEveryRowOnceAndOfEachClassAlike) {
  const Task task = drawn_task(103, 1, 3);
  const auto folds = make_folds(task, {.folds = 5}, 7);
  ASSERT_TRUE(folds);
  expect_division(*folds, 103);
  for (int k = 0; k < 3; ++k) {
    std::set<std::ptrdiff_t> sizes;
    for (const Fold& fold : *folds)
      sizes.insert(std::ranges::count_if(fold.held, [&](Row r) { return task.classes().code[r] == k; }));
    EXPECT_LE(*sizes.rbegin() - *sizes.begin(), 1) << k;
  }
}

TEST(Folds, AreDrawnByTheSeedAndAnewInEachRepeat) {
  const Task task = drawn_task(60, 2, 0);
  const auto one = make_folds(task, {.folds = 4, .repeats = 2}, 7),
             same = make_folds(task, {.folds = 4, .repeats = 2}, 7),
             other = make_folds(task, {.folds = 4, .repeats = 2}, 8);
  ASSERT_EQ(one->size(), 8u);
  for (std::size_t f = 0; f < 8; ++f) EXPECT_EQ((*one)[f].held, (*same)[f].held);
  EXPECT_NE((*one)[0].held, (*other)[0].held);
  EXPECT_NE((*one)[0].held, (*one)[4].held);
}

TEST(Folds, KeepGroupsWholeAndOfLikeSize) {
  const Task task = drawn_task(200, 3, 2);
  FoldOptions how{.folds = 4};
  for (Row r = 0; r < 200; ++r) how.group.push_back(r * r % 23);
  const auto folds = make_folds(task, how, 1);
  ASSERT_TRUE(folds);
  expect_division(*folds, 200);
  for (const Fold& fold : *folds) {
    std::set<std::uint32_t> held, train;
    for (const Row r : fold.held) held.insert(how.group[r]);
    for (const Row r : fold.train) train.insert(how.group[r]);
    for (const std::uint32_t g : held) EXPECT_FALSE(train.contains(g));
  }
}

TEST(Folds, PredictTheFutureFromThePast) {
  const Task task = drawn_task(50, 4, 0);
  FoldOptions how{.folds = 4};
  for (Row r = 0; r < 50; ++r) how.time.push_back((r * 7) % 50 / 2);  // two rows a time
  const auto folds = make_folds(task, how, 1);
  ASSERT_EQ(folds->size(), 4u);
  for (const Fold& fold : *folds) {
    std::uint32_t latest = 0, earliest = 1000;
    for (const Row r : fold.train) latest = std::max(latest, how.time[r]);
    for (const Row r : fold.held) earliest = std::min(earliest, how.time[r]);
    EXPECT_LT(latest, earliest);
  }
}

TEST(Folds, RefuseWhatWouldLeaveAPartEmpty) {
  const Task task = drawn_task(4, 5, 2);
  EXPECT_FALSE(make_folds(task, {.folds = 5}, 1));
  EXPECT_FALSE(make_folds(task, {.folds = 1}, 1));
  EXPECT_FALSE(make_folds(task, {.folds = 2, .group = {0, 0, 0, 0}}, 1));
}

TEST(Validation, GivesTheMeasuresOfModelsFittedByHand) {
  const Task task = drawn_task(90, 6, 2);
  const auto folds = make_folds(task, {.folds = 3}, 1);
  const auto found = cross_validate("cart", task, {{"max-depth", "2"}}, *folds);
  ASSERT_TRUE(found) << found.error().message;
  for (std::size_t f = 0; f < 3; ++f) {
    const auto model = fit("cart", take_rows(task, (*folds)[f].train), {{"max-depth", "2"}});
    const Task held = take_rows(task, (*folds)[f].held);
    const auto by_hand = measure(model->schema, *predict(*model, held.x), held.y);
    EXPECT_EQ(found->of("accuracy")[f], by_hand.find("accuracy")->value);
  }
}

TEST(Validation, OfSingleRowsIsMeasuredOnAllTogether) {
  const Task task = drawn_task(30, 7, 2);
  const auto folds = make_folds(task, {.folds = 30}, 1);
  const auto found = cross_validate("cart", task, {{"max-depth", "1"}}, *folds);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->measures.size(), 1u);
  EXPECT_EQ(found->measures[0].rows, 30u);
  EXPECT_FALSE(std::isnan(found->of("auc")[0]));
}

TEST(Validation, NamesItsMeasuresBeforehand) {
  for (const int classes : {0, 2, 3}) {
    const Task task = drawn_task(40, 8, classes);
    const auto found = cross_validate("cart", task, {}, *make_folds(task, {.folds = 2}, 1));
    std::vector<std::string> names;
    for (const Measure& m : found->measures[0].list) names.push_back(m.name);
    EXPECT_EQ(names, measure_names(task));
  }
}

// By the formula of Nadeau and Bengio (2003), worked by hand: mean 2, variance 1, error sqrt(1/3 + 1/2).
TEST(Paired, EnlargesTheVarianceByTheRowsHeldOut) {
  const std::vector<double> a{2, 4, 6}, b{1, 2, 3};
  const Paired test = compare_paired(a, b, 0.5);
  EXPECT_DOUBLE_EQ(test.difference, 2);
  EXPECT_DOUBLE_EQ(test.error, std::sqrt(1.0 / 3 + 0.5));
  EXPECT_DOUBLE_EQ(test.t, 2 / std::sqrt(1.0 / 3 + 0.5));
  EXPECT_EQ(test.freedom, 2);
  EXPECT_EQ(compare_paired(a, a, 0.25).p, 1);
}

}  // namespace
}  // namespace wald
