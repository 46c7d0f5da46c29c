#include "explain/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "core/random.h"
#include "core/text.h"
#include "explain/dot.h"
#include "explain/example_test.h"
#include "explain/letters.h"
#include "explain/rules.h"
#include "explain/svg.h"
#include "explain/words.h"

namespace wald {
namespace {

struct DrawnBox {
  double x, y, width;
};
std::vector<DrawnBox> boxes_of(const std::string& svg) {
  std::vector<DrawnBox> out;
  for (std::size_t at = 0; (at = svg.find("</title><rect x=", at)) != std::string::npos; ++at) {
    DrawnBox box{};
    EXPECT_EQ(
        std::sscanf(svg.c_str() + at, "</title><rect x=\"%lf\" y=\"%lf\" width=\"%lf\"", &box.x, &box.y, &box.width),
        3);
    out.push_back(box);
  }
  return out;
}

TEST(TreeText, ShowsBranchesSharesRowsAndAnswers) {
  EXPECT_EQ(tree_text(example_model(), 0, kAnyDepth),
            "claim                                       45.0 % yes  n=100\n"
            "├─ age ≤ 41 or missing                      35.0 % yes  n=60\n"
            "│  ├─ region in {east, west}                10.0 % yes  n=30   → no\n"
            "│  └─ region in {north, south} or missing   60.0 % yes  n=30   → yes\n"
            "└─ age > 41                                 60.0 % yes  n=40\n"
            "   ├─ smoker = no                            0.0 % yes  n=16   → no\n"
            "   └─ smoker = yes or missing              100.0 % yes  n=24   → yes\n");
}

TEST(TreeText, StopsAtTheDepthAskedForAndSaysWhatIsBelow) {
  EXPECT_EQ(tree_text(example_model(), 0, 1),
            "claim                   45.0 % yes  n=100\n"
            "├─ age ≤ 41 or missing  35.0 % yes  n=60   ... 2 leaves\n"
            "└─ age > 41             60.0 % yes  n=40   ... 2 leaves\n");
  EXPECT_EQ(tree_text(example_model(), 0, 0), "claim  45.0 % yes  n=100  ... 4 leaves\n");
}

TEST(TreeText, NumbersAreThePredictionsOfTheOnlyTree) {
  EXPECT_EQ(tree_text(number_model(), 0, kAnyDepth),
            "price                     100  n=9\n"
            "├─ x ≤ 2.5                 90  n=6\n"
            "│  ├─ x ≤ 0.3 or missing   85  n=3\n"
            "│  └─ x > 0.3              95  n=3\n"
            "└─ x > 2.5 or missing     120  n=3\n");
}

TEST(TreeText, LinearLeavesShowTheirTerms) {
  Model model = number_model();
  model.body = packed(Parts{.base = {100},
                            .cuts = {{2.5}},
                            .first = {0, 3},
                            .nodes = {{.child = 1, .missing = 1, .test = wald::Test::Threshold}, {}, {}},
                            .values = {0, -10, 20},
                            .cover = {9, 6, 3},
                            .terms = {{1, {0, 0, 0.3, 41, 0, 50}}, {2, {0, 0, -2, -1.5, 0, 9}}}});
  const std::string note =
      "in equations a column is held within the range that its leaf saw in training, and a missing value counts as the "
      "mean, which is the number taken from it\n";
  EXPECT_EQ(tree_text(model, 0, kAnyDepth), note +
                                                "price                                  100  n=9\n"
                                                "├─ x ≤ 2.5             90 + 0.3 * (x - 41)  n=6\n"
                                                "└─ x > 2.5 or missing  120 - 2 * (x + 1.5)  n=3\n");
  EXPECT_EQ(rules_text(model, 0), note +
                                      "if x ≤ 2.5 then price = 90 + 0.3 * (x - 41)   (n=6)\n"
                                      "if (x > 2.5 or missing) then price = 120 - 2 * (x + 1.5)   (n=3)\n");
}

TEST(TreeText, TreesOfScoresSayWhatTheyAddTo) {
  Model model = example_model();
  model.link = Link::Softmax;
  model.body = packed(Parts{.outputs = 2,
                            .base = {0, 0},
                            .cuts = {{41}, {}, {}},
                            .first = {0, 1, 4},
                            .nodes = {{}, {.child = 1, .test = wald::Test::Threshold}, {}, {}},
                            .values = {0.5, 0, -1, 1},
                            .cover = {4, 4, 1, 3},
                            .output = {0, 1}});
  EXPECT_EQ(tree_text(model, 1, kAnyDepth),
            "score of yes            0.5  n=4\n"
            "├─ age ≤ 41 or missing   -1  n=1\n"
            "└─ age > 41               1  n=3\n");
  EXPECT_EQ(rules_text(model, 0), "always then score of no += 0.5   (n=4)\n");
}

// A tree that asks twice for the region: the second set holds levels that the first has sent elsewhere.
Model twice_asked(std::uint64_t below) {
  Model model = number_model();
  model.schema.columns = {{"region", ColumnType::Category, {"east", "north", "south", "west"}}};
  model.body = packed(Parts{.base = {0},
                            .cuts = {{}},
                            .first = {0, 5},
                            .nodes = {{.child = 1, .ref = 0, .missing = 0, .test = wald::Test::Set},
                                      {.child = 3, .ref = 1, .missing = 1, .test = wald::Test::Set},
                                      {},
                                      {},
                                      {}},
                            .values = {2.75, 3.5, 2, 3, 4},
                            .sets = {0b1011, below}});
  return model;
}

TEST(TreeText, NamesTheLevelsThatCanComeToANode) {
  EXPECT_EQ(tree_text(twice_asked(0b0010), 0, kAnyDepth),
            "price                                        2.75\n"
            "├─ region in {east, north, west} or missing   3.5\n"
            "│  ├─ region = north                            3\n"
            "│  └─ region in {east, west} or missing         4\n"
            "└─ region = south                               2\n");
  EXPECT_NE(tree_text(twice_asked(0b1011), 0, kAnyDepth).find("└─ region is missing "), std::string::npos);
  EXPECT_NE(tree_dot(twice_asked(0b0010), 0, kAnyDepth).find("\"in {east, west} or missing\""), std::string::npos);
  EXPECT_NE(tree_svg(twice_asked(0b0010), 0, kAnyDepth).find(">region in {east, west} or missing<"), std::string::npos);
}

TEST(TreeText, TermsThatAddOnlyRoundingAreLeftAway) {
  Model model = number_model();
  model.body = packed(Parts{.base = {0},
                            .cuts = {{2.5}},
                            .first = {0, 3},
                            .nodes = {{.child = 1, .missing = 1, .test = wald::Test::Threshold}, {}, {}},
                            .values = {0, -10, 20},
                            .terms = {{1, {0, 0, 1e-17, 41, 0, 50}}, {2, {0, 0, -2, -1.5, 0, 9}}}});
  const std::string text = tree_text(model, 0, kAnyDepth);
  EXPECT_EQ(text.find("e-17"), std::string::npos) << text;
  EXPECT_NE(text.find("20 - 2 * (x + 1.5)"), std::string::npos) << text;
}

TEST(Letters, CapitalsAreWiderThanSmallLettersAndThoseThanNarrowOnes) {
  EXPECT_NEAR(text_width("MALE"), 10.4 + 8.2 + 6.7 + 7.6, 0.2);
  EXPECT_GT(text_width("GENTOO"), text_width("gentoo"));
  EXPECT_GT(text_width("gentoo"), text_width("illitj"));
  EXPECT_GT(bold_width("a"), text_width("a"));
  EXPECT_EQ(text_width("e\u0301"), text_width("e"));
}

TEST(TreeSvg, LabelsOfCapitalsStayInTheirBoxesAndNameAsManyLevelsAsFit) {
  Model model = twice_asked(0b0010);
  model.schema.columns[0].name = "WWWWWWWWWWWWWWWWWWWWWWWW";
  std::string svg = tree_svg(model, 0, kAnyDepth);
  EXPECT_GE(boxes_of(svg)[2].width, bold_width(model.schema.columns[0].name + " = north"));
  model.schema.columns[0].name = "r";
  svg = tree_svg(model, 0, kAnyDepth);
  EXPECT_NE(svg.find(">r in {east, north, west} or missing<"), std::string::npos) << svg;
}

TEST(TreeText, ATreeOfOneLeafIsOneLine) {
  Model model = number_model();
  model.body = packed(Parts{.base = {0}, .first = {0, 1}, .nodes = {{}}, .values = {7}});
  EXPECT_EQ(tree_text(model, 0, kAnyDepth), "price  7\n");
}

TEST(TreeText, AChainOfAHundredThousandLevelsNeedsNoDeepStack) {
  Model model = number_model();
  constexpr std::uint32_t kDepth = 100'000;
  Parts forest;
  forest.base = {0};
  forest.cuts = {{1.0}};
  std::vector<TreeNode> nodes(2 * kDepth + 1);
  for (std::uint32_t i = 0; i < kDepth; ++i) nodes[2 * i] = {.child = 2 * i + 1, .test = wald::Test::Threshold};
  forest.first = {0, nodes.size()};
  forest.values.resize(nodes.size());
  forest.nodes = std::move(nodes);
  model.body = packed(forest);
  const TreeView tree = model.forest().tree(0);
  EXPECT_EQ(leaves_below(tree)[0], kDepth + 1);
  EXPECT_EQ(places(tree).size(), 2 * kDepth + 1);
  EXPECT_EQ(places(tree, 10).back().depth, 10u);
}

TEST(TreeText, ADeepTreeStillFitsAPage) {
  Model model = number_model();
  constexpr std::uint32_t kDepth = 64;
  Parts forest;
  forest.base = {0};
  forest.cuts = {{1.0}};
  forest.nodes.resize(2 * kDepth + 1);
  for (std::uint32_t i = 0; i < kDepth; ++i) forest.nodes[2 * i] = {.child = 2 * i + 1, .test = wald::Test::Threshold};
  forest.first = {0, forest.nodes.size()};
  forest.values.resize(forest.nodes.size());
  model.body = packed(forest);
  const std::string text = tree_text(model, 0, kAnyDepth);
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    EXPECT_LE(display_width(text.substr(at, end - at)), 100u);
}

TEST(Words, AControlCharacterInANameNeverReachesTheTerminal) {
  Model model = example_model();
  model.schema.columns[0].name = "a\x1b[2Jge";
  model.schema.target.level[1] = "y\nes";
  const std::string text = tree_text(model, 0, kAnyDepth);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("y\\nes"), std::string::npos);
}

TEST(Words, LongListsOfLevelsAreShortened) {
  const Field field{"f", ColumnType::Category, {"a", "b", "c", "d", "e", "f", "g"}};
  const std::vector<std::int32_t> all = {0, 1, 2, 3, 4, 5, 6};
  EXPECT_EQ(levels_text(field, all, 5), "{a, b, c, d, ... 3 more}");
  EXPECT_EQ(levels_text(field, all, 7), "{a, b, c, d, e, f, g}");
}

TEST(Words, NumbersAreShortForPeople) {
  EXPECT_EQ(value_text(41.5), "41.5");
  EXPECT_EQ(value_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(value_text(20240131.123456), "20240131");
  EXPECT_EQ(weight_text(1234), "n=1,234");
  EXPECT_EQ(weight_text(12.5), "n=12.5");
}

TEST(TreeDot, HasOneNodeANodeAndEscapesQuotes) {
  Model model = example_model();
  model.schema.target.level[1] = "y\"es";
  const std::string dot = tree_dot(model, 0, kAnyDepth);
  EXPECT_NE(dot.find("n0 -> n1 [label=\"≤ 41 or missing\"]"), std::string::npos) << dot;
  EXPECT_NE(dot.find("n6 [label=\"100.0 % y\\\"es\\nn=24\\n→ y\\\"es\""), std::string::npos) << dot;
}

TEST(TreeSvg, EscapesNamesAndDrawsEveryNode) {
  Model model = example_model();
  model.schema.columns[0].name = "<script>&";
  const std::string svg = tree_svg(model, 0, kAnyDepth);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;&amp; ≤ 41 or missing"), std::string::npos);
  std::size_t boxes = 0;
  for (std::size_t at = 0; (at = svg.find("<g><title>", at)) != std::string::npos; ++at) ++boxes;
  EXPECT_EQ(boxes, 7u);
  EXPECT_EQ(drawn_leaves(model.forest().tree(0), kAnyDepth), 4u);
  EXPECT_EQ(drawn_leaves(model.forest().tree(0), 1), 2u);
}

// A tree of `leaves` leaves grown at places drawn at random: bushy here, a chain there.
Model bushy_model(std::uint64_t seed, std::size_t leaves) {
  const Random random(seed, Purpose::Sample);
  Model model = number_model();
  Parts forest;
  forest.base = {0};
  forest.cuts = {{1.0}};
  std::vector<TreeNode> nodes(1);
  std::vector<std::uint32_t> open = {0};
  for (std::uint64_t draw = 0; open.size() < leaves; ++draw) {
    const std::size_t at = draw % 3 == 0 ? open.size() - 1 : random.below(open.size(), draw);
    const auto child = static_cast<std::uint32_t>(nodes.size());
    nodes[open[at]] = {.child = child, .test = wald::Test::Threshold};
    nodes.resize(nodes.size() + 2);
    open[at] = child;
    open.push_back(child + 1);
  }
  forest.first = {0, nodes.size()};
  forest.values.resize(nodes.size());
  forest.nodes = std::move(nodes);
  model.body = packed(forest);
  return model;
}

TEST(TreeSvg, NoTwoBoxesOverlapAndParentsStandInTheMiddle) {
  constexpr double kHeight = 36;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model model = bushy_model(seed, 60);
    const TreeView tree = model.forest().tree(0);
    const std::vector<DrawnBox> boxes = boxes_of(tree_svg(model, 0, kAnyDepth));
    const std::vector<NodePlace> order = places(tree);
    ASSERT_EQ(boxes.size(), order.size());
    std::vector<double> y(tree.nodes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      y[order[i].node] = boxes[i].y;
      for (std::size_t j = 0; j < i; ++j) {
        const bool beside = boxes[i].x >= boxes[j].x + boxes[j].width || boxes[j].x >= boxes[i].x + boxes[i].width;
        EXPECT_TRUE(beside || std::fabs(boxes[i].y - boxes[j].y) >= kHeight) << "seed " << seed;
      }
    }
    for (std::size_t n = 0; n < tree.nodes.size(); ++n)
      if (!tree.nodes[n].is_leaf()) {
        EXPECT_NEAR(y[n], (y[tree.nodes[n].child] + y[tree.nodes[n].child + 1]) / 2, 0.11);  // one decimal is printed
      }
  }
}

}  // namespace
}  // namespace wald
