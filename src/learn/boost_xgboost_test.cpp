// The same trees as XGBoost grows on the same bins: tools/make_xgboost_trees.py wrote what is expected.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "tree/figures.h"
#include "wald/wald.h"

namespace wald {
namespace {

struct Expected {
  double cover, gain, leaf;
  std::string column;
};
using ExpectedTree = std::map<std::string, Expected>;                              // by way from the root
using ExpectedTrees = std::map<std::string, std::map<std::size_t, ExpectedTree>>;  // by table and round

ExpectedTrees read_expected() {
  std::ifstream file(std::string(WALD_TESTS) + "/data/xgboost_trees.tsv");
  ExpectedTrees out;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.starts_with("table")) continue;
    std::istringstream cells(line);
    std::string table, round, path, cover, column, missing, gain, leaf;
    cells >> table >> round >> path >> cover >> column >> missing >> gain >> leaf;
    out[table][std::stoul(round)][path] = {std::stod(cover), std::stod(gain), std::stod(leaf), column};
  }
  return out;
}

Task numbers_of(const std::string& name, const std::string& target) {
  auto table = read_table(std::string(WALD_DATA) + "/" + name + ".csv");
  EXPECT_TRUE(table);
  Roles roles{.target = target};
  for (const Column& c : table->columns)
    if (c.type() == ColumnType::Category && c.name != target) roles.ignore.push_back(c.name);
    else if (c.name != target) roles.keep.push_back(c.name);
  auto task = make_task(std::move(*table), roles);
  EXPECT_TRUE(task);
  return std::move(*task);
}

TEST(BoostAgainstXGBoost, TreesAreTheSameNodeByNode) {
  const ExpectedTrees expected = read_expected();
  ASSERT_EQ(expected.size(), 3u);
  const std::map<std::string, std::string> targets{
      {"auto_mpg", "mpg"}, {"diabetes_progression", "progression"}, {"claims", "claim"}};
  for (const auto& [table, rounds] : expected) {
    const auto model = fit("boost", numbers_of(table, targets.at(table)),
                           {{"trees", std::to_string(rounds.size())},
                            {"early-stop", "none"},
                            {"learning-rate", "0.3"},
                            {"max-depth", "4"},
                            {"max-leaves", "none"},
                            {"l2", "1.5"},
                            {"l1", "0.5"},
                            {"min-hessian", "4"},
                            {"rows", "1"},
                            {"columns-per-node", "all"},
                            {"bins", "exact"},
                            {"gradient-bits", "30"}});
    ASSERT_TRUE(model) << model.error().message;
    for (const auto& [round, nodes] : rounds) {
      const TreeView tree = model->forest().tree(round);
      const Figures known = figures(model->forest(), round);
      EXPECT_EQ(tree.nodes.size(), nodes.size()) << table << " " << round;
      std::vector<std::string> path(tree.nodes.size());
      path[0] = ".";
      for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
        const auto want = nodes.find(path[n]);
        ASSERT_NE(want, nodes.end()) << table << " " << round << " has no node at " << path[n];
        const Node& node = tree.nodes[n];
        EXPECT_NEAR(known.cover[n], want->second.cover, 1e-4 * want->second.cover);
        ASSERT_EQ(node.is_leaf() ? "-" : model->schema.columns[node.column()].name, want->second.column)
            << table << " " << round << " " << path[n];
        if (node.is_leaf()) {
          EXPECT_NEAR(known.value[n], want->second.leaf, 1e-4 * std::fabs(want->second.leaf) + 1e-6);
          continue;
        }
        EXPECT_NEAR(2 * known.gain[n], want->second.gain, 1e-3 * want->second.gain);  // XGBoost leaves out the half
        path[node.child] = path[n] + "l", path[node.child + 1] = path[n] + "r";
      }
    }
  }
}

}  // namespace
}  // namespace wald
