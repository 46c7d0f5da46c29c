#include "learn/quinlan.h"
#include "learn/fitting_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "core/parallel.h"
#include "tree/figures.h"
#include "wald/wald.h"

namespace wald {
namespace {

using namespace testing;

// "column=level column=level -> class" for each leaf, in the order of the nodes.
std::vector<std::string> leaves_of(const Model& model) {
  const TreeView tree = model.forest().tree(0);
  std::vector<std::string> path(tree.nodes.size()), out;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const Node& node = tree.nodes[n];
    for (std::uint32_t k = 0; k < node.ways(); ++k)
      path[node.child + k] =
          path[n] + model.schema.columns[node.column()].name + "=" + model.schema.columns[node.column()].level[k] + " ";
    if (!node.is_leaf()) continue;
    const auto values = model.forest().values_of(node);
    out.push_back(path[n] + "-> " + model.schema.target.level[std::ranges::max_element(values) - values.begin()]);
  }
  return out;
}

// Quinlan 1986, figure 2.
TEST(Id3, PlayTennisGivesQuinlansTree) {
  EXPECT_EQ(leaves_of(must_fit("id3", task_of("play_tennis", "play"))),
            (std::vector<std::string>{"outlook=overcast -> yes", "outlook=rainy windy=FALSE -> yes",
                                      "outlook=rainy windy=TRUE -> no", "outlook=sunny humidity=high -> no",
                                      "outlook=sunny humidity=normal -> yes"}));
}

// The tree of Cendrowska's table as Witten and Frank print it (Data Mining, 1999): tear production, astigmatism, then
// age on one side and prescription on the other.
TEST(Id3, ContactLensesGiveTheirPublishedTree) {
  const Task task = task_of("contact_lenses", "contact-lenses");
  const Model model = must_fit("id3", task);
  const std::string soft = "tear-prod-rate=normal astigmatism=no ", hard = "tear-prod-rate=normal astigmatism=yes ";
  EXPECT_EQ(leaves_of(model),
            (std::vector<std::string>{"tear-prod-rate=reduced -> none", soft + "age=pre-presbyopic -> soft",
                                      soft + "age=young -> soft", hard + "spectacle-prescrip=myope -> hard",
                                      soft + "age=presbyopic spectacle-prescrip=hypermetrope -> soft",
                                      soft + "age=presbyopic spectacle-prescrip=myope -> none",
                                      hard + "spectacle-prescrip=hypermetrope age=pre-presbyopic -> none",
                                      hard + "spectacle-prescrip=hypermetrope age=presbyopic -> none",
                                      hard + "spectacle-prescrip=hypermetrope age=young -> hard"}));
  EXPECT_EQ(predict(model, task.x)->label, task.classes().code);
}

TEST(Id3, XorIsLearnedAndContradictionsStop) {
  Table table;
  table.rows = 6;
  table.columns.push_back({"a", Categories{{0, 0, 1, 1, 1, 1}, {"0", "1"}}});
  table.columns.push_back({"b", Categories{{0, 1, 0, 1, 1, 1}, {"0", "1"}}});
  table.columns.push_back({"y", Categories{{0, 1, 1, 0, 0, 1}, {"no", "yes"}}});
  const auto task = make_task(table, {.target = "y"});
  ASSERT_TRUE(task);
  EXPECT_EQ(predict(must_fit("id3", *task), table)->label, (std::vector<std::int32_t>{0, 1, 1, 0, 0, 0}));
}

TEST(Id3, NumbersAreRefusedWithAWayOut) {
  const auto model = fit("id3", task_of("golf", "play"), {});
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().kind, ErrorKind::Usage);
  EXPECT_NE(model.error().cure.find("c45"), std::string::npos);
  EXPECT_FALSE(fit("id3", task_of("auto_mpg", "mpg", TaskKind::Numbers), {}));
}

TEST(Id3, ASmallPValueStopsSplitsThatChanceExplains) {
  const Task task = task_of("play_tennis", "play");
  EXPECT_EQ(must_fit("id3", task, {{"max-p", "0.05"}}).forest().nodes.size(), 1u);  // 14 rows prove nothing
  EXPECT_EQ(must_fit("id3", task, {{"max-p", "1"}}).forest(), must_fit("id3", task).forest());
  const Task votes = task_of("house_votes_84", "Class");
  EXPECT_LT(must_fit("id3", votes, {{"max-p", "0.01"}}).forest().nodes.size(),
            must_fit("id3", votes).forest().nodes.size());
}

struct Size {
  int leaves = 0, nodes = 0;
  double wrong = 0;
  bool operator==(const Size&) const = default;
};
Size size_of(const Model& model, const Task& task) {
  const TreeView tree = model.forest().tree(0);
  const auto p = predict(model, task.x);
  Size out{.nodes = static_cast<int>(tree.nodes.size())};
  for (const Node& node : tree.nodes) out.leaves += node.is_leaf();
  for (Row r = 0; r < task.x.rows; ++r) out.wrong += p->label[r] != task.classes().code[r];
  return out;
}

TEST(C45, TreesHaveTheSizeAndTheErrorsOfJ48) {
  std::ifstream file(std::string(WALD_TESTS) + "/expected/j48.tsv");
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#') || line.starts_with("table")) continue;
    std::istringstream cells(line);
    std::string table, target, options;
    Size want;
    std::getline(cells, table, '\t'), std::getline(cells, target, '\t'), std::getline(cells, options, '\t');
    cells >> want.leaves >> want.nodes >> want.wrong;
    const Task task = task_of(table, target);
    const Size got = size_of(must_fit("c45", task, {{"prune", options == "pruned" ? "pessimistic" : "none"}}), task);
    EXPECT_EQ(got.leaves, want.leaves) << table << " " << options;
    EXPECT_EQ(got.nodes, want.nodes) << table << " " << options;
    EXPECT_EQ(got.wrong, want.wrong) << table << " " << options;
    ++compared;
  }
  EXPECT_GE(compared, 14);
}

// Quinlan 1993, section 3.2: with the outlook of one row unknown its gain falls to 13/14 of that of the rest, 0.199.
TEST(Id3, AMissingValueCostsItsShareOfTheGainAndFollowsEveryBranch) {
  Task task = task_of("play_tennis", "play");
  Categories& outlook = std::get<Categories>(task.x.columns[0].data);
  const auto row = static_cast<Row>(std::ranges::find(task.classes().code, 1) - task.classes().code.begin());
  ASSERT_EQ(outlook.level[outlook.code[row]], "overcast");
  outlook.code[row] = -1;
  const Model model = must_fit("id3", task);
  const TreeView tree = model.forest().tree(0);
  EXPECT_EQ(tree.nodes[0].column(), 0u);
  const Figures told = figures(model.forest(), 0);
  EXPECT_NEAR(told.gain[0] / 14, 0.199, 5e-4);
  EXPECT_NEAR(told.cover[tree.nodes[0].child], 3 + 3.0 / 13, 1e-6);
  EXPECT_NEAR(told.cover[tree.nodes[0].child + 1], 5 + 5.0 / 13, 1e-6);
  EXPECT_NEAR(told.cover[tree.nodes[0].child + 2], 5 + 5.0 / 13, 1e-6);
}

TEST(C45, FractionsOfARowSumToItAtEveryDepth) {
  const Task task = task_of("house_votes_84", "Class");
  const Model model = must_fit("c45", task, {{"prune", "none"}});
  const TreeView tree = model.forest().tree(0);
  double sum = 0;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n)
    if (tree.nodes[n].is_leaf()) sum += tree.nodes[n].cover();
  EXPECT_NEAR(sum, task.x.rows, 1e-4);
}

TEST(C45, ThresholdsAreValuesOfTheTable) {
  const Task task = task_of("iris", "class");
  const Model model = must_fit("c45", task);
  for (std::size_t c = 0; c < 4; ++c)
    for (const double cut : model.forest().cuts[c]) {
      const auto values = task.x.columns[c].numbers().to_doubles();
      EXPECT_NE(std::ranges::find(values, cut), values.end());
    }
}

TEST(C45, LessConfidencePrunesMoreAndRaisingIsAnOption) {
  const Task task = task_of("glass", "Type");
  const auto nodes = [&](const Settings& settings) { return must_fit("c45", task, settings).forest().nodes.size(); };
  EXPECT_LE(nodes({{"confidence", "0.01"}}), nodes({{"confidence", "0.25"}}));
  EXPECT_LE(nodes({{"confidence", "0.25"}}), nodes({{"prune", "none"}}));
  EXPECT_LE(nodes({{"subtree-raising", "yes"}}), nodes({{"subtree-raising", "no"}}));
}

TEST(C45, TheModelsBytesAreTheSameForAnyThreadsAndOrderOfRows) {
  for (const auto& [table, target] :
       {std::pair{"penguins", "species"}, {"house_votes_84", "Class"}, {"glass", "Type"}}) {
    const Task task = task_of(table, target);
    const std::string first = to_bytes(must_fit("c45", task, {}, {.threads = 1}));
    EXPECT_TRUE(to_bytes(must_fit("c45", task, {}, {.threads = 4})) == first) << table;
    std::vector<Row> backwards;
    for (Row r = task.x.rows; r-- > 0;) backwards.push_back(r);
    EXPECT_EQ(must_fit("c45", take_rows(task, backwards)).forest(), must_fit("c45", task).forest()) << table;
  }
}

}  // namespace
}  // namespace wald
