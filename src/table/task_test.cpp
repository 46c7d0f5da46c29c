#include "wald/task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "table/features.h"
#include "table/testing.h"

namespace wald {
namespace {

Task made(std::string_view text, const Roles& roles) {
  auto task = make_task(read(text), roles);
  if (!task) ADD_FAILURE() << task.error().message;
  return task ? *std::move(task) : Task{};
}

Error refused_task(std::string_view text, const Roles& roles) {
  const auto task = make_task(read(text), roles);
  EXPECT_FALSE(task);
  return task ? Error{} : task.error();
}

bool noted(const Task& task, std::string_view part) {
  return std::ranges::any_of(task.notes, [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

// A column of numbers and a target column of the given cells.
std::string with_target(const std::vector<std::string>& cells) {
  std::string text = "x,y\n";
  for (std::size_t i = 0; i < cells.size(); ++i) text += std::to_string(i * 7 % 5) + "," + cells[i] + "\n";
  return text;
}

TEST(Task, TheSummarySaysWhatWasInferred) {
  const Task task = made("age,smoker,claim\n34,no,no\n,yes,yes\n45,,yes\n", {.target = "claim"});
  EXPECT_EQ(task.notes.at(0),
            "3 rows: 1 number and 1 category, 2 missing cells; target 'claim' has 2 classes: no 33.3 %, yes 66.7 %");
  EXPECT_EQ(task.classes().name, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(task.classes().code, (std::vector<std::int32_t>{0, 1, 1}));
}

TEST(Task, AnUnknownColumnIsAUsageErrorWithAGuess) {
  const Error target = refused_task("age,claim\n1,no\n2,yes\n", {.target = "clam"});
  EXPECT_EQ(target.kind, ErrorKind::Usage);
  EXPECT_EQ(target.message, "t.csv has no column 'clam'");
  EXPECT_EQ(target.cure, "did you mean 'claim'?");
  EXPECT_EQ(refused_task("age,claim\n1,no\n2,yes\n", {.target = "zebra"}).cure, "its columns are 'age' and 'claim'");
  for (const Roles& roles : {Roles{.target = "claim", .weight = "w"}, Roles{.target = "claim", .ignore = {"q"}},
                             Roles{.target = "claim", .keep = {"q"}}, Roles{.target = "claim", .ignore = {"claim"}},
                             Roles{.target = "claim", .weight = "claim"}, Roles{}})
    EXPECT_EQ(refused_task("age,claim\n1,no\n2,yes\n", roles).kind, ErrorKind::Usage);
}

TEST(Task, NumbersBecomeClassesOnlyWhenTheyLookLikeLabels) {
  const auto classifies = [](const std::vector<std::string>& cells, TaskKind kind = TaskKind::Infer) {
    return made(with_target(cells), {.target = "y", .kind = kind}).classifies();
  };
  EXPECT_TRUE(classifies({"0.5", "7", "0.5", "7"}));  // two values
  EXPECT_TRUE(classifies({"0", "1", "2", "1"}));      // 0 .. K - 1
  EXPECT_TRUE(classifies({"1", "2", "3", "2"}));      // 1 .. K
  EXPECT_FALSE(classifies({"2", "3", "4", "2"}));     // begins elsewhere
  EXPECT_FALSE(classifies({"0", "1", "2.5", "1"}));   // not whole
  EXPECT_FALSE(classifies({"0", "1", "9", "1"}));     // gaps
  EXPECT_FALSE(classifies({"0", "1", "2"}, TaskKind::Numbers));
  EXPECT_TRUE(classifies({"2.5", "3", "4"}, TaskKind::Classes));
  EXPECT_TRUE(noted(made(with_target({"0", "1", "2"}), {.target = "y"}), "--task numbers"));
}

TEST(Task, AQuerySaysThatTheTargetIsNumbers) {
  const char* graded = "x,q,y\n5,1,0\n3,1,1\n9,2,2\n4,2,0\n";
  EXPECT_TRUE(made(graded, {.target = "y"}).classifies());
  EXPECT_FALSE(made(graded, {.target = "y", .query = "q"}).classifies());
  EXPECT_TRUE(made(graded, {.target = "y", .query = "q", .kind = TaskKind::Classes}).classifies());
}

TEST(Task, ClassesOfNumbersAreNamedAndOrderedByValue) {
  const Task task = made(with_target({"10", "9", "-1.50", "9"}), {.target = "y", .kind = TaskKind::Classes});
  EXPECT_EQ(task.classes().name, (std::vector<std::string>{"-1.5", "9", "10"}));
  EXPECT_EQ(task.classes().code, (std::vector<std::int32_t>{2, 1, 0, 1}));
}

TEST(Task, WordsCannotBeTakenAsNumbers) {
  EXPECT_EQ(refused_task(with_target({"a", "b"}), {.target = "y", .kind = TaskKind::Numbers}).message,
            "t.csv: target 'y' holds words ('a' in row 1 (line 2)), not numbers");
  EXPECT_EQ(refused_task(with_target({"2.5", "much", "7.5"}), {.target = "y", .kind = TaskKind::Numbers}).message,
            "t.csv: target 'y' holds words ('much' in row 2 (line 3)), not numbers");
}

TEST(Task, AMissingTargetIsRefusedOrDropped) {
  const std::string text = with_target({"1.5", "", "NA", "2.5", "4", "", "", "", "", "9"});
  const Error error = refused_task(text, {.target = "y"});
  EXPECT_EQ(error.kind, ErrorKind::BadData);
  EXPECT_EQ(error.message,
            "t.csv: target 'y' is missing in rows 2, 3, 6, 7, 8 and 1 more (lines 3, 4, 7, 8, 9 and 1 more)");
  const Task task = made(text, {.target = "y", .drop_missing_target = true});
  EXPECT_EQ(task.numbers(), (std::vector<double>{1.5, 2.5, 4, 9}));
  EXPECT_EQ(task.x.rows, 4u);
  EXPECT_EQ(task.x.columns[0].numbers(), Numbers({0, 1, 3, 3}));
  EXPECT_TRUE(noted(task, "6 rows without a target were left out"));
  EXPECT_EQ(refused_task("x,y\n1,\n2,\n", {.target = "y", .drop_missing_target = true}).message,
            "t.csv: target 'y' has no values");
}

TEST(Task, InfiniteTargetsAndHugeNumbersOfClassesAreRefused) {
  EXPECT_EQ(refused_task(with_target({"1", "2", "inf", "4"}), {.target = "y"}).message,
            "t.csv: target 'y' is infinite in row 3 (line 4)");
  std::vector<std::string> many;
  for (int i = 0; i < 1001; ++i) many.push_back("w" + std::to_string(i));
  EXPECT_EQ(refused_task(with_target(many), {.target = "y"}).kind, ErrorKind::BadData);
}

TEST(Task, AConstantTargetIsAllowedWithAWarning) {
  EXPECT_TRUE(noted(made(with_target({"a", "a"}), {.target = "y"}), "only one class"));
  EXPECT_TRUE(noted(made(with_target({"5", "5"}), {.target = "y"}), "in every row"));
  EXPECT_TRUE(made(with_target({"1"}), {.target = "y"}).x.rows == 1);
}

TEST(Task, WeightsOfRowsThatCountAverageOneWhateverTheirScale) {
  for (const char* unit : {"", "e300", "e-300"}) {
    std::string text = "x,w,y\n";
    for (int i = 0; i < 9; ++i)
      text += std::to_string(i) + "," + std::to_string(i % 4) + unit + "," + std::to_string(i * 1.5) + "\n";
    const Task task = made(text, {.target = "y", .weight = "w"});
    ASSERT_EQ(task.weight.size(), 9u);
    const std::int64_t sum = std::accumulate(task.weight.begin(), task.weight.end(), std::int64_t{0});
    EXPECT_NEAR(static_cast<double>(sum), 6.0 * (1 << kWeightBits), 9);  // three rows weigh nothing
    EXPECT_EQ(task.weight[0], 0);
    EXPECT_NEAR(static_cast<double>(task.weight[3]), 3.0 * static_cast<double>(task.weight[1]), 3);
    EXPECT_EQ(task.x.find("w"), nullptr);
  }
  EXPECT_TRUE(made("x,w,y\n1,3,1.5\n2,3,4\n", {.target = "y", .weight = "w"}).weight.empty());
}

TEST(Task, WeightsThatAreNoWeightsAreRefusedWithTheirRow) {
  const auto message = [](const char* w) {
    return refused_task("x,w,y\n1,1,1\n2," + std::string(w) + ",4\n", {.target = "y", .weight = "w"}).message;
  };
  EXPECT_EQ(message("-1"), "t.csv: weight 'w' is -1 in row 2 (line 3)");
  EXPECT_EQ(message(""), "t.csv: weight 'w' is missing in row 2 (line 3)");
  EXPECT_EQ(message("inf"), "t.csv: weight 'w' is inf in row 2 (line 3)");
  EXPECT_EQ(refused_task("x,w,y\n1,0,1\n2,0,4\n", {.target = "y", .weight = "w"}).message,
            "t.csv: weight 'w' is 0 in every row");
  EXPECT_EQ(refused_task("x,w,y\n1,a,1\n2,b,4\n", {.target = "y", .weight = "w"}).message,
            "t.csv: weight 'w' holds words ('a' in row 1 (line 2)), not numbers");
}

TEST(Task, ALineIsNamedOnlyWhereEachRowHasOneOfItsOwn) {
  const auto message = [](const char* text) { return refused_task(text, {.target = "y"}).message; };
  EXPECT_EQ(message("\nx,y\n1,2.5\n2,\n"), "t.csv: target 'y' is missing in row 2 (line 4)");
  EXPECT_EQ(message("x,y\n1,2.5\n\n2,\n"), "t.csv: target 'y' is missing in row 2");
  EXPECT_EQ(message("x,y\n\"a\nb\",2.5\nc,\n"), "t.csv: target 'y' is missing in row 2");
  EXPECT_EQ(message("x,y\nc,2.5\n\"a\nb\",\n"), "t.csv: target 'y' is missing in row 2 (line 3)");
}

TEST(Task, IdentifiersAreLeftOutUnlessKept) {
  std::string text = "policy_id,name,seq,x,y\n";
  for (int i = 0; i < 120; ++i)
    text += std::to_string(1000 + i * 7919 % 120) + ",n" + std::to_string(i) + "," + std::to_string(i + 1) + "," +
            std::to_string(i % 9) + "," + std::to_string(i % 2) + "\n";
  const Task task = made(text, {.target = "y"});
  EXPECT_EQ(task.left_out, (std::vector<std::string>{"policy_id", "name", "seq"}));
  EXPECT_EQ(task.x.columns.size(), 1u);
  EXPECT_TRUE(noted(task, "--keep policy_id"));
  const Task kept = made(text, {.target = "y", .ignore = {"x"}, .keep = {"seq", "name"}});
  EXPECT_EQ(kept.left_out, (std::vector<std::string>{"x", "policy_id"}));
}

TEST(Task, TheOnlyColumnIsNeverLeftOut) {
  std::string text = "id,y\n";
  for (int i = 0; i < 120; ++i) text += std::to_string(i) + "," + std::to_string(i % 2) + "\n";
  EXPECT_EQ(made(text, {.target = "y"}).x.columns.size(), 1u);
  EXPECT_TRUE(noted(made("a,b,y\n1,,0\n1,,1\n", {.target = "y"}), "no column varies"));
  const Error none = refused_task("y\n0\n1\n", {.target = "y"});
  EXPECT_EQ(none.kind, ErrorKind::BadData);
  EXPECT_EQ(none.message, "t.csv has no columns to learn 'y' from");
}

TEST(Task, ColumnsThatCannotHelpAreLeftOut) {
  const Task task = made("a,b,c,d,y\n1,,k,m,0\n2,,k,,1\n3,,k,m,1\n", {.target = "y"});
  EXPECT_EQ(task.left_out, (std::vector<std::string>{"b", "c"}));
  EXPECT_NE(task.x.find("d"), nullptr);  // whether it is there may tell something
}

TEST(Task, IdentifierNamesAreKnown) {
  for (const char* name : {"id", "ID", "policy_id", "PassengerId", "customerID", "uuid", "Index", "row number"})
    EXPECT_TRUE(named_like_identifier(name)) << name;
  for (const char* name : {"humid", "paid", "age", "bid", "AID", "width", ""})
    EXPECT_FALSE(named_like_identifier(name)) << name;
}

TEST(Task, TakenRowsKeepTheirOrderAndTheirMeaning) {
  const Task task = made("x,c,w,y\n1.5,a,1,no\n,b,2,yes\n3,,1,no\n2,a,4,maybe\n", {.target = "y", .weight = "w"});
  const std::vector<Row> rows{3, 0, 0, 2};
  const Task taken = take_rows(task, rows);
  EXPECT_EQ(taken.x.rows, 4u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(taken.classes().code[i], task.classes().code[rows[i]]);
    EXPECT_EQ(taken.weight[i], task.weight[rows[i]]);
    EXPECT_EQ(taken.x.columns[1].categories().code[i], task.x.columns[1].categories().code[rows[i]]);
    EXPECT_EQ(taken.x.columns[0].numbers()[i], task.x.columns[0].numbers()[rows[i]]);
  }
  EXPECT_EQ(taken.x.columns[1].categories().level, task.x.columns[1].categories().level);
  EXPECT_EQ(taken.classes().name, task.classes().name);
}

}  // namespace
}  // namespace wald
