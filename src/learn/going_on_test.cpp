#include <gtest/gtest.h>

#include "learn/boost_test.h"

namespace wald {
namespace {

using testing::must_fit;

const Settings kFew{{"early-stop", "none"}, {"trees", "3"}, {"min-leaf", "1"}, {"min-level", "1"}};

Table table_of(std::vector<double> age, Categories plan, Categories claim, bool turned = false) {
  Table out{.rows = static_cast<Row>(age.size()), .source = "rows.csv"};
  out.columns.push_back({"age", Numbers(std::move(age))});
  out.columns.push_back({"plan", std::move(plan)});
  out.columns.push_back({"claim", std::move(claim)});
  if (turned) std::ranges::reverse(out.columns);
  return out;
}

std::vector<std::int32_t> turns(std::size_t rows, std::int32_t levels) {
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i < rows; ++i) out.push_back(static_cast<std::int32_t>(i) * 7 % levels);
  return out;
}

struct First {
  std::vector<double> age = std::vector<double>(60);
  Model model;
  First() {
    for (std::size_t i = 0; i < age.size(); ++i) age[i] = static_cast<double>(i * 13 % 47);
    auto task =
        make_task(table_of(age, {turns(60, 3), {"basic", "full", "plus"}}, {turns(60, 3), {"maybe", "no", "yes"}}),
                  {.target = "claim"});
    EXPECT_TRUE(task);
    model = must_fit(*task, kFew);
  }
};

TEST(GoingOn, TheOrderOfColumnsAndLevelsIsFree) {
  const First first;
  const Table same =
      table_of(first.age, {turns(60, 3), {"basic", "full", "plus"}}, {turns(60, 3), {"maybe", "no", "yes"}});
  std::vector<std::int32_t> codes = turns(60, 3);
  for (std::int32_t& c : codes) c = 2 - c;
  const Table other = table_of(first.age, {codes, {"plus", "full", "basic"}}, {codes, {"yes", "no", "maybe"}}, true);
  const auto a = make_task_going_on(first.model, same, {.target = "claim"});
  const auto b = make_task_going_on(first.model, other, {.target = "claim"});
  ASSERT_TRUE(a && b);
  EXPECT_TRUE(a->warnings.empty() && b->warnings.empty());
  EXPECT_EQ(fingerprint(a->task), fingerprint(b->task));
  EXPECT_EQ(fingerprint(a->task), first.model.made.fingerprint);
}

TEST(GoingOn, LevelsAndClassesThatNoRowHasStayAndUnknownLevelsAreMissing) {
  const First first;
  // One class, one level beside an unknown one, and a column that says nothing here.
  const Table rows = table_of(std::vector<double>(20, 5.0), {turns(20, 2), {"full", "gold"}},
                              {std::vector<std::int32_t>(20), {"yes"}}, true);
  const auto made = make_task_going_on(first.model, rows, {.target = "claim"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(
      made->warnings,
      (std::vector<std::string>{
          "column 'plan': 10 rows (50 %) have level 'gold', unseen in training; they follow the missing branch"}));
  ASSERT_EQ(made->task.x.columns.size(), 2u);
  EXPECT_EQ(made->task.x.columns[1].categories().level, (std::vector<std::string>{"basic", "full", "plus"}));
  EXPECT_EQ(made->task.x.columns[1].categories().code[0], 1);
  EXPECT_EQ(made->task.x.columns[1].categories().code[1], -1);
  EXPECT_EQ(made->task.classes().name, (std::vector<std::string>{"maybe", "no", "yes"}));
  EXPECT_EQ(made->task.classes().code[0], 2);
  const Model more = must_fit(made->task, kFew, {}, {.from = &first.model});
  EXPECT_EQ(more.schema, first.model.schema);
  // All these rows are of one class, which becomes more probable.
  EXPECT_GT(testing::predicted(more, rows)[2], testing::predicted(first.model, rows)[2]);
}

TEST(GoingOn, WhatTheModelCannotSayIsRefused) {
  const First first;
  const auto refused = [&](const Table& table) {
    const auto made = make_task_going_on(first.model, table, {.target = "claim"});
    return made ? std::string("taken") : made.error().message;
  };
  const Categories plan{turns(60, 1), {"full"}};
  EXPECT_EQ(refused(table_of(first.age, plan, {turns(60, 2), {"no", "often"}})),
            "target 'claim' has 'often', a class that the model to go on from does not know");
  Table without = table_of(first.age, plan, {turns(60, 2), {"no", "yes"}});
  without.columns.erase(without.columns.begin());
  EXPECT_EQ(refused(without), "rows.csv lacks a column that the model needs: 'age'");
}

}  // namespace
}  // namespace wald
