#include "learn/clusters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/random.h"
#include "tree/figures.h"
#include "wald/wald.h"

namespace wald {
namespace {

// Three groups far apart in two columns; a third column says nothing; a fourth, of words, says it again.
Table blobs(Row rows) {
  const Random random(11, Purpose::Sample);
  std::vector<double> a, b, noise;
  Categories word{.level = {"p", "q", "r"}};
  for (std::uint64_t i = 0; i < rows; ++i) {
    const int group = static_cast<int>(i % 3);
    a.push_back(10 * (group == 1) + random.unit(4 * i)), b.push_back(1000 * (group == 2) + 50 * random.unit(4 * i + 1));
    noise.push_back(random.unit(4 * i + 2)), word.code.push_back(i % 7 == 0 ? -1 : group);
  }
  Table table;
  table.rows = rows;
  table.columns = {{"a", Numbers(a)}, {"b", Numbers(b)}, {"noise", Numbers(noise)}, {"word", word}};
  return table;
}

Model fit_clusters(const Table& table, const Settings& settings = {}, const Run& run = {}) {
  const auto task = make_task(table, {.no_target = true});
  EXPECT_TRUE(task) << task.error().message;
  auto model = fit("clusters", *task, settings, run);
  EXPECT_TRUE(model) << model.error().message;
  return std::move(*model);
}

TEST(Clusters, SeparatedGroupsAreFound) {
  const Table table = blobs(300);
  const Model model = fit_clusters(table, {{"max-leaves", "3"}});
  EXPECT_EQ(model.schema.target.name, "cluster");
  EXPECT_EQ(model.schema.target.level, (std::vector<std::string>{"1", "2", "3"}));
  const auto p = predict(model, table);
  std::map<int, std::map<int, int>> seen;
  for (int r = 0; r < 300; ++r) ++seen[r % 3][p->label[r]];
  for (const auto& [group, labels] : seen) EXPECT_EQ(labels.size(), 1u) << group;
}

TEST(Clusters, TheDissimilarityOfASplitIsWardsAsAShareOfAllVariance) {
  Table table;
  table.rows = 6;
  table.columns = {{"a", Numbers(std::vector<double>{0, 1, 2, 10, 11, 12})},
                   {"b", Numbers(std::vector<double>{5, 5, 6, 9, 8, 9})}};
  const Model model = fit_clusters(table, {{"max-leaves", "2"}, {"min-leaf", "1"}});
  double want = 0;
  for (const Column& column : table.columns) {
    const auto v = column.numbers().to_doubles();
    double mean = 0, left = 0, all = 0;
    for (int i = 0; i < 6; ++i) mean += v[i] / 6, left += i < 3 ? v[i] / 3 : 0;
    for (int i = 0; i < 6; ++i) all += (v[i] - mean) * (v[i] - mean);
    want += 6 * (left - mean) * (left - mean) / all / 2;  // between the halves, over the whole; two columns
  }
  EXPECT_NEAR(figures(model.forest(), 0).gain[0] / 6, want, 1e-6);
}

TEST(Clusters, RescalingAColumnLeavesTheClustersAlone) {
  Table table = blobs(200);
  const auto labels = predict(fit_clusters(table), table)->label;
  std::vector<double> scaled = table.columns[0].numbers().to_doubles();
  for (double& v : scaled) v = 1024 * v + 4096;
  table.columns[0].data = Numbers(scaled);
  EXPECT_EQ(predict(fit_clusters(table), table)->label, labels);
}

TEST(Clusters, NothingToTellApartIsOneCluster) {
  Table table;
  table.rows = 20;
  std::vector<double> v(20);
  for (int i = 0; i < 20; ++i) v[i] = i % 2;
  table.columns = {{"a", Numbers(v)}};
  EXPECT_EQ(fit_clusters(table, {{"min-leaf", "11"}}).schema.target.level.size(), 1u);
}

TEST(Clusters, AColumnNamedClusterStaysAColumn) {
  Table table = blobs(60);
  table.columns[0].name = "cluster";
  EXPECT_EQ(fit_clusters(table).schema.target.name, "cluster_2");
}

TEST(Clusters, ThreadsLeaveEveryBitAlone) {
  const Table table = blobs(4000);
  EXPECT_TRUE(to_bytes(fit_clusters(table, {}, {.threads = 1})) == to_bytes(fit_clusters(table, {}, {.threads = 3})));
}

}  // namespace
}  // namespace wald
