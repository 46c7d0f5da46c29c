#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "tree/assembler.h"
#include "tree/figures.h"
#include "tree/naive_test.h"

namespace wald {
namespace {

using wald::testing::all_rows, wald::testing::Data, wald::testing::random_data;

struct Grown {
  Data data = random_data(7, 800, 3, 2, 6, 2);
  Binned x = *bin(data.table, 255);
  std::vector<Tree> trees;
  Grown() {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      Gini criterion;
      criterion.label = data.label, criterion.classes = 2;
      wald::Run run;
      run.seed = seed;
      trees.push_back(grow(x, all_rows(800), criterion, {.columns_per_node = 2}, run));
    }
  }
  // The leaf a row of raw values reaches in tree t of the forest.
  Node walked(const Forest& forest, std::size_t t, Row row) const {
    const TreeView tree = forest.tree(t);
    Node node = tree.nodes[0];
    while (!node.is_leaf()) {
      const Column& column = data.table.columns[node.column()];
      std::uint32_t to = node.missing();
      if (column.type() == ColumnType::Number) {
        const double value = column.numbers()[row];
        if (!std::isnan(value)) to = !(value <= forest.cuts[node.column()][node.ref]);
      } else if (column.categories().code[row] >= 0) {
        to = !forest.set_has(node.ref, column.categories().code[row]);
      }
      node = tree.nodes[node.child + to];
    }
    return node;
  }
};

TEST(Assemble, RowsReachTheSameLeavesWithTheSameValuesAndCovers) {
  const Grown grown;
  const Forest forest = assemble({0, 0}, grown.x.columns.size(), grown.trees);
  for (std::size_t t = 0; t < 3; ++t)
    for (Row row = 0; row < 800; ++row) {
      const std::uint32_t want = leaf_of(grown.trees[t], grown.x, row);
      const Node leaf = grown.walked(forest, t, row);
      EXPECT_EQ(forest.values_of(leaf)[1], grown.trees[t].values[2 * want + 1]);
      EXPECT_EQ(leaf.cover(), grown.trees[t].cover[want]);
    }
}

TEST(Assemble, ThresholdsAscendAndEqualVectorsAreStoredOnce) {
  const Grown grown;
  const Forest forest = assemble({0, 0}, grown.x.columns.size(), grown.trees);
  for (const auto& cuts : forest.cuts)
    for (std::size_t k = 1; k < cuts.size(); ++k) EXPECT_LT(cuts[k - 1], cuts[k]);
  std::set<std::pair<double, double>> seen;
  for (std::size_t k = 0; k < forest.values.size(); k += 2)
    EXPECT_TRUE(seen.emplace(forest.values[k], forest.values[k + 1]).second);
  std::size_t leaves = 0;
  for (std::size_t t = 0; t < 3; ++t) leaves += leaves_of(forest.tree(t));
  EXPECT_LT(seen.size(), leaves / 2);
}

TEST(Assemble, FiguresAreThoseOfTheGrownNodes) {
  const Grown grown;
  const Forest forest = assemble({0, 0}, grown.x.columns.size(), grown.trees);
  for (std::size_t t = 0; t < 3; ++t) {
    const Figures got = figures(forest, t);
    for (std::size_t n = 0; n < grown.trees[t].nodes.size(); ++n) {
      EXPECT_EQ(got.cover[n], grown.trees[t].cover[n]);
      EXPECT_NEAR(got.values_of(n)[0], grown.trees[t].values[2 * n], 1e-12);
      EXPECT_EQ(got.gain[n], static_cast<float>(grown.trees[t].gain[n]));
    }
  }
}

TEST(Assemble, ZerosOfBothSignsAreOneThreshold) {
  Tree tree{.nodes = {{0, 1, 1, 0, wald::Test::Threshold}, {}, {0, 3, 1, 0, wald::Test::Threshold}, {}, {}},
            .threshold = {0.0, 0, -0.0, 0, 0},
            .values = {0, 1, 2, 3, 4}};
  const Forest forest = assemble({0}, 1, std::span(&tree, 1));
  EXPECT_EQ(forest.cuts[0], std::vector<double>{0.0});
  EXPECT_FALSE(forest.covered);
  EXPECT_TRUE(forest.gain.empty());
  EXPECT_EQ(figures(forest, 0).values_of(0)[0], (1 + 3.5) / 2) << "without covers all children count alike";
}

TEST(Assemble, TreesOfOneOutputAndLinearLeavesKeepTheirPlaces) {
  const Term term{.column = 0, .slope = 2, .centre = 1, .low = 0, .high = 4};
  Tree tree{.output = 1,
            .nodes = {{0, 1, 1, 0, wald::Test::Threshold}, {}, {}},
            .threshold = {5, 0, 0},
            .values = {0, 7, 7},
            .cover = {3, 1, 2},
            .terms = {{2, term}}};
  Tree plain = tree;
  plain.output = 0, plain.terms.clear();
  const Forest forest = assemble({0, 0, 0}, 1, std::vector{tree, plain});
  EXPECT_EQ(forest.width(), 1u);
  EXPECT_EQ(forest.tree(0).output, 1u);
  EXPECT_EQ(forest.tree(1).output, 0u);
  EXPECT_TRUE(forest.terms_of(forest.nodes[1]).empty());
  ASSERT_EQ(forest.terms_of(forest.nodes[2]).size(), 1u);
  EXPECT_EQ(forest.terms_of(forest.nodes[2])[0], term);
  EXPECT_EQ(forest.nodes[4].ref, forest.nodes[1].ref) << "plain leaves share a vector, never with a linear one";
  EXPECT_EQ(forest.nodes[5].ref, forest.nodes[1].ref);
  EXPECT_EQ(term.at(9), 6);
  EXPECT_EQ(term.at(-9), -2);
  EXPECT_EQ(term.at(kMissing), 0);
}

TEST(Node, HoldsEveryKindOfTestInTwelveBytes) {
  const Node last = Node::binary(wald::Test::Set, kMostColumns - 1, 9, 11, 1);
  EXPECT_EQ(last.test(), wald::Test::Set);
  EXPECT_EQ(last.column(), kMostColumns - 1);
  EXPECT_EQ(last.missing(), 1u);
  EXPECT_EQ(last.ways(), 2u);
  EXPECT_EQ(Node::binary(wald::Test::Threshold, 3, 1, 0, kMissingEverywhere).missing(), kMissingEverywhere);
  const Node wide = Node::each_level(5, 1, 65535, 65534), every = Node::each_level(5, 1, 3, kMissingEverywhere);
  EXPECT_EQ(wide.ways(), 65535u);
  EXPECT_EQ(wide.missing(), 65534u);
  EXPECT_EQ(every.ways(), 3u);
  EXPECT_EQ(every.missing(), kMissingEverywhere);
  EXPECT_EQ(Node::leaf(4, 2.5f).cover(), 2.5f);
}

}  // namespace
}  // namespace wald
