#include "learn/several.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "wald/wald.h"

namespace wald {
namespace {

Table planted(Row rows) {
  const Random random(21, Purpose::Sample);
  std::vector<double> x, z, a, b;
  for (std::uint64_t i = 0; i < rows; ++i) {
    x.push_back(random.unit(4 * i)), z.push_back(random.unit(4 * i + 1));
    a.push_back((x[i] > 0.4 ? 3 : 1) + 0.1 * random.unit(4 * i + 2));
    b.push_back(1000 * (z[i] > 0.7 ? -5 : 5) + 100 * random.unit(4 * i + 3));
  }
  Table table;
  table.rows = rows;
  table.columns = {{"x", Numbers(x)}, {"z", Numbers(z)}, {"a", Numbers(a)}, {"b", Numbers(b)}};
  return table;
}

Task targets_of(const Table& table, std::vector<std::string> targets) {
  auto task = make_task(table, {.target = targets[0], .more_targets = {targets.begin() + 1, targets.end()}});
  EXPECT_TRUE(task) << task.error().message;
  return std::move(*task);
}

TEST(Several, OneTreePredictsBothTargets) {
  const Table table = planted(400);
  const Task task = targets_of(table, {"a", "b"});
  EXPECT_EQ(task.x.columns.size(), 2u);
  const auto model = fit("cart", task, {{"max-leaves", "4"}, {"bins", "exact"}});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->forest().outputs, 2);
  const auto p = predict(*model, table);
  for (Row r = 0; r < 400; ++r) {
    EXPECT_NEAR(p->value[2 * r], task.numbers()[r], 0.11);
    EXPECT_NEAR(p->value[2 * r + 1], task.more_y[0][r], 110);
  }
}

TEST(Several, IdenticalTargetsGiveTheTreeOfOne) {
  Table table = planted(300);
  Column copy = table.columns[2];
  copy.name = "again";
  const auto one = fit("cart",
                       targets_of(
                           [&] {
                             Table t = table;
                             t.columns.erase(t.columns.begin() + 3);
                             return t;
                           }(),
                           {"a"}),
                       {{"prune", "cost"}});
  table.columns[3] = copy;
  const auto two = fit("cart", targets_of(table, {"a", "again"}), {{"prune", "cost"}});
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->forest().cuts, two->forest().cuts);
  EXPECT_EQ(one->forest().nodes.size(), two->forest().nodes.size());
  const auto p = predict(*one, table), q = predict(*two, table);
  for (Row r = 0; r < 300; ++r)
    for (std::size_t t = 0; t < 2; ++t) EXPECT_NEAR(q->value[2 * r + t], p->value[r], 1e-9);
}

TEST(Several, TheUnitOfATargetDoesNotMatter) {
  Table table = planted(300);
  const auto first = fit("cart", targets_of(table, {"a", "b"}), {{"max-leaves", "6"}});
  std::vector<double> b = table.columns[3].numbers().to_doubles();
  for (double& v : b) v *= 0x1p-20;
  table.columns[3].data = Numbers(b);
  EXPECT_EQ(fit("cart", targets_of(table, {"a", "b"}), {{"max-leaves", "6"}})->forest().cuts, first->forest().cuts);
}

TEST(Several, TheModelSurvivesItsFile) {
  const auto model = fit("cart", targets_of(planted(100), {"a", "b"}), {});
  const std::string bytes = to_bytes(*model);
  const auto again = from_bytes(std::as_bytes(std::span(bytes)), "memory");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *model);
  EXPECT_EQ(again->schema.target_names(), (std::vector<std::string>{"a", "b"}));
}

TEST(Several, MeasuresAreTheMeanAndEachTargetsOwn) {
  const Table table = planted(200);
  const Task task = targets_of(table, {"a", "b"});
  const auto model = fit("cart", task, {{"max-leaves", "2"}});
  const Measures m = measure(model->schema, *predict(*model, table), task.y, {}, task.more_y);
  ASSERT_NE(m.find("rmse(a)"), nullptr);
  EXPECT_DOUBLE_EQ(m.find("rmse")->value, (m.find("rmse(a)")->value + m.find("rmse(b)")->value) / 2);
}

TEST(Several, WordsOtherLearnersAndDoubleNamesAreRefused) {
  Table table = planted(50);
  EXPECT_FALSE(fit("c45", targets_of(table, {"a", "b"}), {}));
  EXPECT_FALSE(fit("cart", targets_of(table, {"a", "b"}), {{"leaf", "median"}}));
  EXPECT_FALSE(make_task(table, {.target = "a", .more_targets = {"a"}}));
  EXPECT_FALSE(make_task(table, {.target = "a", .more_targets = {"nobody"}}));
  table.columns.push_back({"w", Categories{std::vector<std::int32_t>(50, 0), {"word"}}});
  EXPECT_FALSE(make_task(table, {.target = "a", .more_targets = {"w"}}));
}

}  // namespace
}  // namespace wald
