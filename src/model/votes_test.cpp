#include "model/votes.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace wald {
namespace {

// Trees of one leaf each: all that is asked of them is what their vectors say.
Forest forest_saying(std::vector<double> values, std::size_t outputs, std::size_t trees) {
  Forest out;
  out.outputs = static_cast<int>(outputs);
  out.base.assign(outputs, -0.0);
  out.base[0] = 0.3;
  out.values = std::move(values);
  std::vector<std::uint64_t> first(trees + 1);
  for (std::size_t t = 0; t <= trees; ++t) first[t] = t;
  out.first = std::move(first);
  return out;
}

std::vector<double> one_class_each(std::size_t vectors, std::size_t outputs) {
  std::vector<double> out(vectors * outputs);
  for (std::size_t v = 0; v < vectors; ++v) out[v * outputs + (v * 5 + 1) % outputs] = 0.1 + static_cast<double>(v);
  return out;
}

TEST(VoteCounts, AreTheSumsInTheOrderOfTrees) {
  for (const std::size_t trees : {1, 100, 255, 256, 700})
    for (const std::size_t vectors : {1, 2, 7, 8, 9, 26}) {
      const std::size_t outputs = 26, stride = 96, rows = VoteCounts::kRows - trees % 7;
      const Forest forest = forest_saying(one_class_each(vectors, outputs), outputs, trees);
      const VoteCounts votes(forest);
      ASSERT_TRUE(votes.exact());
      const Random random(trees * vectors, Purpose::Sample);
      std::vector<std::uint8_t> found(trees * stride);
      for (std::size_t i = 0; i < found.size(); ++i) found[i] = static_cast<std::uint8_t>(random.below(vectors, i));
      std::vector<double> score(VoteCounts::kRows * outputs, 7), sum(score);
      votes.score(found.data(), stride, rows, score.data());
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t o = 0; o < outputs; ++o) {
          double& s = sum[row * outputs + o] = forest.base[o];
          for (std::size_t t = 0; t < trees; ++t) s += forest.values[found[t * stride + row] * outputs + o];
        }
      EXPECT_EQ(score, sum) << trees << " trees, " << vectors << " vectors";
    }
}

TEST(VoteCounts, AreNotCountedWhereALeafNamesTwoClassesOrTwoLeavesTheSame) {
  EXPECT_TRUE(VoteCounts(forest_saying({1, 0, 0, 1}, 2, 3)).exact());
  EXPECT_FALSE(VoteCounts(forest_saying({1, 0, 0.5, 0.5}, 2, 3)).exact());
  EXPECT_FALSE(VoteCounts(forest_saying({1, 0, 0.5, 0}, 2, 3)).exact());
  EXPECT_FALSE(VoteCounts(forest_saying({1, 0, 0, 0}, 2, 3)).exact());
  Forest shared = forest_saying({1, 2}, 2, 2);  // a tree an output
  shared.output = std::vector<std::uint32_t>{0, 1};
  EXPECT_FALSE(VoteCounts(shared).exact());
}

}  // namespace
}  // namespace wald
