#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tree/figures.h"
#include "wald/wald.h"

namespace wald {
namespace {

using nlohmann::json;

// Cell (row i, column j) is missing where (7 i + 13 j) % 10 == 0, as in make_rpart_surrogates.R.
Task task_with_gaps(const std::string& table, const std::string& target, TaskKind kind = TaskKind::Infer) {
  auto read = read_table(std::string(WALD_DATA) + "/" + table + ".csv");
  EXPECT_TRUE(read) << read.error().message;
  std::size_t j = 0;
  for (Column& column : read->columns) {
    if (column.name == target) continue;
    if (column.type() == ColumnType::Number) {
      std::vector<double> cells;
      for (Row i = 0; i < read->rows; ++i) cells.push_back((7 * i + 13 * j) % 10 == 0 ? kMissing : column.numbers()[i]);
      column.data = Numbers(cells);
    } else {
      Categories cells = column.categories();
      for (Row i = 0; i < read->rows; ++i)
        if ((7 * i + 13 * j) % 10 == 0) cells.code[i] = -1;
      column.data = cells;
    }
    ++j;
  }
  auto task = make_task(std::move(*read), {.target = target, .kind = kind});
  EXPECT_TRUE(task) << task.error().message;
  return std::move(*task);
}

Model fit_surrogates(const Task& task, Settings settings) {
  settings["missing"] = "surrogates";
  auto model = fit("cart", task, settings);
  EXPECT_TRUE(model) << model.error().message;
  return std::move(*model);
}

using Found = std::tuple<int, int, double>;  // rows, column and threshold of a split
std::map<Found, std::vector<Surrogate>> splits_of(const Forest& forest) {
  std::map<Found, std::vector<Surrogate>> out;
  const TreeView tree = forest.tree(0);
  const std::vector<double> cover = covers(tree);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const Node& node = tree.nodes[n];
    if (node.is_leaf()) continue;
    const auto own = forest.surrogates_of(node);
    out[{static_cast<int>(cover[n]), static_cast<int>(node.column()), forest.cuts[node.column()][node.ref]}] = {
        own.begin(), own.end()};
  }
  return out;
}

TEST(Surrogates, TreesAreThoseOfRpart) {
  std::ifstream file(std::string(WALD_TESTS) + "/expected/rpart_surrogates.json");
  for (const json& want : json::parse(file)) {
    const std::string table = want["table"];
    const Task task = task_with_gaps(table, want["target"]);
    const std::string least = std::to_string(want["min_leaf"].get<int>());
    const Model model = fit_surrogates(task, {{"bins", "exact"}, {"min-leaf", least}});
    const auto splits = splits_of(model.forest());
    ASSERT_EQ(splits.size(), want["nodes"].size()) << table;
    for (const json& node : want["nodes"]) {
      const Found key{node["rows"], node["column"], node["threshold"]};
      const auto near = std::ranges::find_if(splits, [&](const auto& entry) {
        return std::get<0>(entry.first) == std::get<0>(key) && std::get<1>(entry.first) == std::get<1>(key) &&
               std::fabs(std::get<2>(entry.first) - std::get<2>(key)) < 1e-9;
      });
      ASSERT_NE(near, splits.end()) << table << " lacks " << node;
      ASSERT_EQ(near->second.size(), node["surrogates"].size() + 1) << table << node;
      for (std::size_t k = 0; k < node["surrogates"].size(); ++k) {
        const json& s = node["surrogates"][k];
        const Surrogate& got = near->second[k];
        EXPECT_EQ(got.column(), s["column"].get<std::uint32_t>()) << table << node;
        EXPECT_NEAR(model.forest().cuts[got.column()][got.ref], s["threshold"].get<double>(), 1e-9) << table << node;
        EXPECT_NEAR(got.agreement, s["agreement"].get<double>(), 1e-6) << table << node;
      }
    }
    const auto says = predict(model, task.x);
    ASSERT_TRUE(says);
    ASSERT_EQ(says->value.size(), want["says"].size());
    for (std::size_t i = 0; i < says->value.size(); ++i)
      ASSERT_NEAR(says->value[i], want["says"][i].get<double>(), 1e-9) << table << " row " << i;
  }
}

TEST(Surrogates, APredictionOfATrainingRowIsThatOfItsLeaf) {
  for (const char* criterion : {"gini", "entropy", "chi-square", "sqrt-gini"}) {
    const Task task = task_with_gaps("penguins", "species");
    const Model model = fit_surrogates(task, {{"criterion", criterion}, {"min-leaf", "4"}});
    const auto p = predict(model, task.x);
    std::map<std::vector<double>, std::map<std::int32_t, double>> rows;  // of each leaf by what it says
    for (Row r = 0; r < task.x.rows; ++r) {
      const auto says = std::span(p->value).subspan(r * 3, 3);
      ++rows[{says.begin(), says.end()}][task.classes().code[r]];
    }
    for (const auto& [says, counts] : rows) {
      double all = 0;
      for (const auto& [k, n] : counts) all += n;
      for (const auto& [k, n] : counts) EXPECT_NEAR(says[k], n / all, 1e-12) << criterion;
    }
  }
}

TEST(Surrogates, EveryPruningAndLeafKeepsThem) {
  const Task classes = task_with_gaps("glass", "Type", TaskKind::Classes), numbers = task_with_gaps("auto_mpg", "mpg");
  for (const Settings& settings : {Settings{{"prune", "cost"}, {"prune-rule", "least"}},
                                   {{"prune", "reduced"}},
                                   {{"prune", "pessimistic"}},
                                   {{"merge-leaves", "yes"}}}) {
    const Model model = fit_surrogates(classes, settings);
    EXPECT_FALSE(model.forest().surrogates.empty());
    const std::string bytes = to_bytes(model);
    EXPECT_EQ(*from_bytes(std::as_bytes(std::span(bytes)), "memory"), model);
  }
  for (const Settings& settings : {Settings{{"criterion", "absolute"}, {"min-leaf", "5"}},
                                   {{"leaf", "linear"}, {"min-leaf", "20"}},
                                   {{"leaf", "median"}}}) {
    const Model model = fit_surrogates(numbers, settings);
    EXPECT_FALSE(model.forest().surrogates.empty());
    EXPECT_TRUE(predict(model, numbers.x));
  }
}

TEST(Surrogates, ATableWithoutGapsGivesTheSamePredictions) {
  auto read = read_table(std::string(WALD_DATA) + "/diabetes_progression.csv");
  const auto task = make_task(std::move(*read), {.target = "progression"});
  const Model with = fit_surrogates(*task, {{"min-leaf", "5"}}), without = *fit("cart", *task, {{"min-leaf", "5"}});
  EXPECT_EQ(predict(with, task->x)->value, predict(without, task->x)->value);
  EXPECT_EQ(with.forest().values, without.forest().values);
}

}  // namespace
}  // namespace wald
