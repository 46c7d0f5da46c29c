#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "core/parallel.h"
#include "learn/fitting_test.h"
#include "tree/figures.h"
#include "wald/wald.h"

namespace wald {
namespace {

using namespace testing;

Task numbers_of(const std::string& table, const std::string& target, TaskKind kind = TaskKind::Infer) {
  auto read = read_table(std::string(WALD_DATA) + "/" + table + ".csv");
  EXPECT_TRUE(read) << read.error().message;
  Roles roles{.target = target, .kind = kind};
  for (const Column& c : read->columns)
    if (c.type() == ColumnType::Category && c.name != target) roles.ignore.push_back(c.name);
  auto task = make_task(std::move(*read), roles);
  EXPECT_TRUE(task) << task.error().message;
  return std::move(*task);
}

std::vector<Row> every_second(const Task& task, Row from) {
  std::vector<Row> rows;
  for (Row r = from; r < task.x.rows; r += 2) rows.push_back(r);
  return rows;
}

struct SklearnNode {
  std::string column;
  double threshold, rows, value;
};
using SklearnTree = std::map<std::string, SklearnNode>;  // by path: "." is the root, "l" and "r" lead on

std::map<std::array<std::string, 3>, SklearnTree> read_sklearn() {
  std::ifstream file(std::string(WALD_TESTS) + "/data/sklearn_trees.tsv");
  std::map<std::array<std::string, 3>, SklearnTree> out;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::array<std::string, 8> cell;
    for (std::string& c : cell) std::getline(cells, c, '\t');
    if (line.starts_with('#') || cell[0] == "table") continue;
    out[{cell[0], cell[1], cell[2]}][cell[3]] = {cell[5], std::stod(cell[6]), std::stod(cell[4]),
                                                 cell[7] == "-" ? 0 : std::stod(cell[7])};
  }
  return out;
}

TEST(Cart, TreesAreThoseOfScikitLearnNodeByNode) {
  const auto expected = read_sklearn();
  ASSERT_EQ(expected.size(), 8u);
  for (const auto& [key, nodes] : expected) {
    const Task all =
        numbers_of(key[0], key[1], key[0] == "diabetes_progression" ? TaskKind::Numbers : TaskKind::Classes);
    const Task task = take_rows(all, every_second(all, 0));
    const Model model = fit_cart(task, {{"bins", "exact"}, {"max-depth", key[2]}, {"zero-gain", "yes"}});
    const TreeView tree = model.forest().tree(0);
    EXPECT_EQ(tree.nodes.size(), nodes.size()) << key[0] << " " << key[2];
    const Figures derived = figures(model.forest(), 0);
    std::vector<std::string> path(tree.nodes.size());
    path[0] = ".";
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
      const Node& node = tree.nodes[n];
      const auto want = nodes.find(path[n]);
      ASSERT_NE(want, nodes.end()) << key[0] << " has no node at " << path[n];
      EXPECT_EQ(derived.cover[n], want->second.rows);
      const double value = task.classifies() ? want->second.value : derived.value[n];
      EXPECT_NEAR(value, want->second.value, 1e-9 * std::fabs(value));
      ASSERT_EQ(node.is_leaf() ? "-" : model.schema.columns[node.column()].name, want->second.column)
          << key[0] << " " << path[n];
      if (node.is_leaf()) continue;
      const double threshold = model.forest().cuts[node.column()][node.ref];
      EXPECT_NEAR(threshold, want->second.threshold, 1e-6 * std::fabs(threshold)) << key[0] << " " << path[n];
      path[node.child] = path[n] + "l", path[node.child + 1] = path[n] + "r";
    }
  }
}

// The other rows follow the same tests, so their predictions are the values of scikit-learn's leaves. It rounds values
// to float32, so a value that equals a threshold to that precision falls on an accidental side and says nothing.
TEST(Cart, HeldOutNumbersGetThePredictionsOfScikitLearnsLeaves) {
  const auto nodes = read_sklearn().at({"diabetes_progression", "progression", "1000"});
  const Task all = numbers_of("diabetes_progression", "progression", TaskKind::Numbers);
  const Model model = fit_cart(take_rows(all, every_second(all, 0)), {{"bins", "exact"}, {"zero-gain", "yes"}});
  const Task held_out = take_rows(all, every_second(all, 1));
  const auto predictions = predict(model, held_out.x);
  ASSERT_TRUE(predictions);
  int on_a_threshold = 0;
  for (Row r = 0; r < held_out.x.rows; ++r) {
    std::string path = ".";
    bool accidental = false;
    while (nodes.at(path).column != "-") {
      const double value = held_out.x.find(nodes.at(path).column)->numbers()[r], threshold = nodes.at(path).threshold;
      accidental = accidental || std::fabs(value - threshold) < 1e-6 * std::fabs(threshold);
      path += value <= threshold ? "l" : "r";
    }
    on_a_threshold += accidental;
    if (!accidental) {
      EXPECT_NEAR(predictions->value[r], nodes.at(path).value, 1e-9 * nodes.at(path).value) << "row " << r;
    }
  }
  EXPECT_LE(on_a_threshold, 15) << "of " << held_out.x.rows;
}

TEST(Cart, TheModelsBytesAreTheSameForAnyThreadsAndOrderOfWork) {
  for (const auto& [table, target] : {std::pair{"iris", "class"},
                                      {"penguins", "species"},
                                      {"auto_mpg", "mpg"},
                                      {"house_votes_84", "Class"},
                                      {"tic_tac_toe", "Class"},
                                      {"diabetes_progression", "progression"}}) {
    const Task task = task_of(table, target);
    std::string first;
    for (const int threads : {1, 2, 4, 7})
      for (const std::uint64_t order : {0u, 3u}) {
        shuffle_work(order);
        const std::string bytes = to_bytes(fit_cart(task, {{"columns-per-node", "2"}}, {.threads = threads}));
        shuffle_work(0);
        if (first.empty()) first = bytes;
        EXPECT_TRUE(bytes == first) << table << " with " << threads << " threads";
      }
  }
}

TEST(Cart, TheSeedMattersOnlyWhereSomethingIsDrawn) {
  const Task task = task_of("iris", "class");
  const auto forest = [&](std::uint64_t seed, const Settings& settings) {
    return fit_cart(task, settings, {.seed = seed}).forest();
  };
  EXPECT_EQ(forest(1, {}), forest(2, {}));
  EXPECT_NE(forest(1, {{"columns-per-node", "1"}}), forest(2, {{"columns-per-node", "1"}}));
}

TEST(Cart, AFullyGrownTreeRepeatsItsTrainingRows) {
  for (const auto& [table, target] :
       {std::pair{"iris", "class"}, {"tic_tac_toe", "Class"}, {"contact_lenses", "contact-lenses"}}) {
    const Task task = task_of(table, target);
    const Model model = fit_cart(task, {{"zero-gain", "yes"}});
    const auto predictions = predict(model, task.x);
    ASSERT_TRUE(predictions);
    EXPECT_EQ(predictions->label, task.classes().code) << table;
  }
}

TEST(Cart, CategoriesAndMissingValuesAreLearnedAsTheyAre) {
  const Task task = task_of("penguins", "species");
  const Model model = fit_cart(task, {{"max-depth", "4"}});
  const auto predictions = predict(model, task.x);
  std::size_t right = 0;
  for (Row r = 0; r < task.x.rows; ++r) right += predictions->label[r] == task.classes().code[r];
  EXPECT_GT(static_cast<double>(right), 0.97 * task.x.rows);
}

TEST(Cart, RowsOfWeightZeroAreAsGoodAsAbsent) {
  Task task = task_of("iris", "class");
  task.weight.assign(task.x.rows, 0);
  const auto rows = every_second(task, 0);
  for (const Row r : rows) task.weight[r] = std::int64_t{2} << 30;
  const Task half = take_rows(task_of("iris", "class"), rows);
  const Model weighted = fit_cart(task, {{"bins", "exact"}}), plain = fit_cart(half, {{"bins", "exact"}});
  ASSERT_EQ(weighted.forest().nodes.size(), plain.forest().nodes.size());
  for (std::size_t k = 0; k < plain.forest().nodes.size(); ++k) {
    const Node &a = weighted.forest().nodes[k], &b = plain.forest().nodes[k];
    EXPECT_TRUE(a.what == b.what && a.ref == b.ref && (a.is_leaf() || a.child == b.child)) << "all but the covers";
  }
  EXPECT_EQ(weighted.forest().cuts, plain.forest().cuts);
}

TEST(Cart, AConstantTargetGivesOneLeaf) {
  Table table;
  table.rows = 3;
  table.columns.push_back({"x", Numbers(std::vector<double>{1, 2, 3})});
  table.columns.push_back({"y", Categories{{0, 0, 0}, {"yes"}}});
  const auto task = make_task(table, {.target = "y"});
  ASSERT_TRUE(task) << task.error().message;
  const Model model = fit_cart(*task, {});
  EXPECT_EQ(model.forest().nodes.size(), 1u);
  EXPECT_EQ(predict(model, table)->value, (std::vector<double>{1, 1, 1}));
}

TEST(Cart, TheModelKeepsEveryOptionItWasMadeWith) {
  const Model model = fit_cart(task_of("iris", "class"), {{"max-depth", "3"}, {"bins", "exact"}}, {.seed = 9});
  EXPECT_EQ(model.made.learner, "cart");
  EXPECT_EQ(model.made.seed, 9u);
  EXPECT_EQ(model.made.rows, 150u);
  EXPECT_EQ(model.made.options.at("max-depth"), "3");
  EXPECT_EQ(model.made.options.at("bins"), "exact");
  EXPECT_EQ(model.made.options.at("criterion"), "auto");
  EXPECT_EQ(model.made.options.at("zero-gain"), "no");
  EXPECT_EQ(model.made.options.size(), learners()[0].options.size());
}

TEST(Cart, AnInterruptGivesNoModel) {
  const std::atomic<bool> stop{true};
  const auto model = fit("cart", task_of("iris", "class"), {}, {.stop = &stop});
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().kind, ErrorKind::Interrupted);
}

}  // namespace
}  // namespace wald
