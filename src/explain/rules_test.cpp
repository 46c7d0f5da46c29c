#include "explain/rules.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "explain/example_test.h"
#include "explain/path.h"
#include "explain/words.h"

namespace wald {
namespace {

// The cells of one row as the model codes them.
struct Cells {
  std::vector<double> number;
  std::vector<std::int32_t> level;
};

bool fires(const Rule& rule, const Model& model, const Cells& row) {
  for (const Condition& c : rule.when) {
    const bool number = model.schema.columns[c.column].type == ColumnType::Number;
    if (!(number ? c.holds(row.number[c.column]) : c.holds(row.level[c.column]))) return false;
  }
  return true;
}

Table one_row(const Model& model, const Cells& cells) {
  Table table{.rows = 1, .source = "t"};
  for (std::size_t i = 0; i < model.schema.columns.size(); ++i) {
    const Field& field = model.schema.columns[i];
    if (field.type == ColumnType::Number) table.columns.push_back({field.name, Numbers({cells.number[i]})});
    else table.columns.push_back({field.name, Categories{{cells.level[i]}, field.level}});
  }
  return table;
}

// A random tree over two numbers and a category, asking the same columns again and again.
Model drawn_model(std::uint64_t seed) {
  const Random random(seed, Purpose::Sample);
  std::uint64_t counter = 0;
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random.below(n, counter++)); };
  Model model;
  model.schema.columns = {{"a", ColumnType::Number, {}},
                          {"b", ColumnType::Number, {}},
                          {"c", ColumnType::Category, {"p", "q", "r", "s", "t"}}};
  model.schema.target = {"y", ColumnType::Number, {}};
  Parts forest;
  forest.base = {0};
  forest.cuts = {{-HUGE_VAL, 0, 1, HUGE_VAL}, {0.5, 1.5}, {}};
  std::vector<TreeNode> nodes(1);
  std::vector<std::uint64_t> sets;
  for (std::uint32_t i = 0; i < nodes.size() && nodes.size() < 60; ++i) {
    if (i > 8 && below(4) == 0) continue;
    TreeNode node{.column = below(3), .child = static_cast<std::uint32_t>(nodes.size())};
    node.test = node.column < 2 ? Test::Threshold : below(3) == 0 ? Test::EachLevel : Test::Set;
    node.ref = node.column < 2 ? below(forest.cuts[node.column].size()) : 5;
    if (node.test == Test::Set) {
      node.ref = static_cast<std::uint32_t>(sets.size());
      sets.push_back(below(32));
    }
    node.missing = static_cast<std::uint16_t>(below(node.ways()));
    nodes[i] = node;
    nodes.resize(nodes.size() + node.ways());
  }
  std::vector<double> values(nodes.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  forest.first = {0, nodes.size()};
  forest.nodes = std::move(nodes), forest.values = std::move(values), forest.sets = std::move(sets);
  model.body = packed(forest);
  return model;
}

TEST(Rules, ExactlyOneRuleFiresAndItIsTheLeafTheTreeReaches) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model model = drawn_model(seed);
    const std::vector<Rule> rules = tree_rules(model, 0);
    for (double a : {-HUGE_VAL, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, HUGE_VAL, kMissing})
      for (double b : {0.5, 1.0, 1.5, 7.0, kMissing})
        for (std::int32_t c = -1; c < 5; ++c) {
          const Cells row{{a, b, 0}, {0, 0, c}};
          const RowPath path = row_path(model, 0, one_row(model, row), 0);
          std::vector<std::uint32_t> fired;
          for (const Rule& rule : rules)
            if (fires(rule, model, row)) fired.push_back(rule.leaf);
          ASSERT_EQ(fired, std::vector<std::uint32_t>{path.end}) << "seed " << seed << " row " << a << b << c;
        }
  }
}

TEST(Rules, AreOneLineALeafWithTheTestsOfAColumnMerged) {
  EXPECT_EQ(rules_text(example_model(), 0),
            "if (age ≤ 41 or missing) and region in {east, west} then claim = no   (10.0 % yes, n=30)\n"
            "if (age ≤ 41 or missing) and (region in {north, south} or missing) then claim = yes   (60.0 % yes, n=30)\n"
            "if age > 41 and smoker = no then claim = no   (0.0 % yes, n=16)\n"
            "if age > 41 and (smoker = yes or missing) then claim = yes   (100.0 % yes, n=24)\n");
  EXPECT_EQ(rules_text(number_model(), 0),
            "if x ≤ 0.30000000000000004 then price = 85   (n=3)\n"
            "if 0.30000000000000004 < x ≤ 2.5 then price = 95   (n=3)\n"
            "if (x > 2.5 or missing) then price = 120   (n=3)\n");
}

TEST(Rules, AThresholdOfInfinityAsksWhetherThereIsAValue) {
  Model model = number_model();
  Forest forest = model.forest();
  forest.cuts[0][1] = HUGE_VAL;
  model.body = forest;
  EXPECT_EQ(rules_text(model, 0),
            "if x ≤ 0.30000000000000004 then price = 85   (n=3)\n"
            "if x > 0.30000000000000004 then price = 95   (n=3)\n"
            "if x is missing then price = 120   (n=3)\n");
  EXPECT_EQ(branch_text(model, model.forest().nodes[0], 0), "x is known");
  EXPECT_EQ(branch_text(model, model.forest().nodes[0], 1), "x is missing");
}

TEST(Path, TellsEveryQuestionAndTheRowsAnswer) {
  const Model model = example_model();
  Table table{.rows = 2, .source = "t"};
  table.columns = {{"age", Numbers({57, kMissing})},
                   {"region", Categories{{0, 1}, {"north", "north-west"}}},
                   {"smoker", Categories{{0, -1}, {"yes"}}}};
  EXPECT_EQ(path_text(model, 0, row_path(model, 0, table, 0)),
            "start                                       45.0 % yes  n=100\n"
            "age is 57      so age > 41                  60.0 % yes  n=40\n"
            "smoker is yes  so smoker = yes or missing  100.0 % yes  n=24\n");
  EXPECT_EQ(path_text(model, 0, row_path(model, 0, table, 1)),
            "start                                                                              45.0 % yes  n=100\n"
            "age is missing                             so age ≤ 41 or missing                  35.0 % yes  n=60\n"
            "region is north-west (unseen in training)  so region in {north, south} or missing  60.0 % yes  n=30\n");
}

TEST(Path, StopsWhereAMissingValueFollowsEveryBranch) {
  Model model = example_model();
  Forest forest = model.forest();
  std::vector<Node> nodes(forest.nodes.begin(), forest.nodes.end());
  nodes[0].what |= 2u << 30;
  forest.nodes = Array<Node>(std::move(nodes));
  model.body = forest;
  const Cells row{{kMissing, 0, 0}, {0, 0, 0}};
  const RowPath path = row_path(model, 0, one_row(model, row), 0);
  EXPECT_TRUE(path.spreads);
  EXPECT_NE(path_text(model, 0, path).find("age is missing: the row follows every branch"), std::string::npos);
  for (const Rule& rule : tree_rules(model, 0)) EXPECT_FALSE(fires(rule, model, row));
}

}  // namespace
}  // namespace wald
