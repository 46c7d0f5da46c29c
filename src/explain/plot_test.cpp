#include "explain/plot.h"

#include <gtest/gtest.h>

#include <cmath>

#include "explain/letters.h"
#include "explain/plot_canvas.h"
#include "explain/shap_sample_test.h"
#include "wald/task.h"

namespace wald {
namespace {

// Enough of XML to find what a careless picture gets wrong: unbalanced tags, bare marks, numbers that are none.
void expect_sound(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < svg.size(); ++at) {
    ASSERT_TRUE(svg[at] != '&' || svg.find(';', at) != std::string::npos);
    if (svg[at] != '<') continue;
    const std::size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    ASSERT_EQ(tag.find('<'), std::string::npos) << tag;
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(tag.substr(1), open.back());
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

std::vector<std::string> all_pictures(const Model& model, const Table& table) {
  const auto e = explain(model, table);
  std::vector<std::string> out{beeswarm_svg(model, table, *e, 0), waterfall_svg(model, table, *e, 0, 0)};
  for (std::size_t c = 0; c < model.schema.columns.size(); ++c) {
    out.push_back(scatter_svg(model, table, *e, c, 0));
    if (const auto d = dependence(model, table, model.schema.columns[c].name, {}))
      out.push_back(dependence_svg(model, *d));
  }
  return out;
}

TEST(Pictures, AreSoundForAnyForestAndRows) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const Row rows : {1u, 2u, 100u}) {
      const Model model =
          sample::forest({.columns = 1 + static_cast<int>(seed), .trees = static_cast<int>(seed % 3)}, seed);
      for (const std::string& svg : all_pictures(model, sample::random_table(model, rows, seed))) expect_sound(svg);
    }
}

TEST(Pictures, EscapeEveryNameAndLevel) {
  Model model = sample::forest({.columns = 3}, 4);
  for (Field& field : model.schema.columns) field.name += "<script>&\"\x01";
  model.schema.columns[2].level[0] = "</svg>";
  Table table = sample::random_table(model, 30, 4);
  for (const std::string& svg : all_pictures(model, table)) {
    expect_sound(svg);
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_EQ(svg.find('\x01'), std::string::npos);
  }
  expect_sound(bar_svg("<b>", "a & b", std::vector<Bar>{{"<i>", 1, 0.5, 1.5}, {"x", -1}, {"zero", 0}}));
}

TEST(Pictures, WithoutBarsSaySo) {
  const std::string svg = bar_svg("none", "", {});
  expect_sound(svg);
  EXPECT_NE(svg.find("no column matters"), std::string::npos);
  EXPECT_NE(bar_svg("some", "", std::vector<Bar>{{"a", 1}}, 3).find("3 more columns"), std::string::npos);
}

// A category of `levels` levels, the higher the rarer, with missing cells.
struct Levels {
  Model model;
  Table table;
};
Levels many_levels(std::size_t levels) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < levels; ++k) names.push_back("level number " + std::to_string(1000 + k));
  Levels out{.model = {.schema = {{sample::category("c", names)}, sample::number("y")}}};
  Parts forest{.base = {1}, .cuts = {{}}, .first = {0, 1}, .nodes = std::vector<TreeNode>(1)};
  forest.values = {2}, forest.cover = {1};
  out.model.body = packed(forest);
  Categories cells{.level = names};
  for (std::size_t k = 0; k < levels; ++k)
    for (std::size_t i = k; i < levels; ++i) cells.code.push_back(static_cast<std::int32_t>(k));
  cells.code.push_back(-1);
  out.table = {.columns = {{"c", cells}}, .rows = static_cast<Row>(cells.code.size())};
  return out;
}

TEST(Pictures, OfManyLevelsDrawTheMostFrequentAndSayHowManyThereAre) {
  const auto [model, table] = many_levels(60);
  const auto e = explain(model, table);
  const std::string scatter = scatter_svg(model, table, *e, 0, 0);
  const auto d = dependence(model, table, "c", {.points = 25});
  const std::string lines = dependence_svg(model, *d);
  expect_sound(scatter);
  expect_sound(lines);
  EXPECT_NE(scatter.find("the 40 most frequent of 60 levels"), std::string::npos);
  EXPECT_NE(scatter.find("level number 1039<"), std::string::npos);
  EXPECT_EQ(scatter.find("level number 1040<"), std::string::npos);
  EXPECT_NE(lines.find("the 25 most frequent of 60 levels"), std::string::npos);
  for (const std::string* svg : {&scatter, &lines}) EXPECT_NE(svg->find(">missing<"), std::string::npos);
  EXPECT_EQ(d->grid.size(), 26u);
  EXPECT_TRUE(std::isnan(d->grid.back()));
}

// The labels of a picture and where they end, by the rough width of their letters.
TEST(Pictures, LabelsStayInsideThePicture) {
  Model model = sample::forest({.columns = 4}, 4);
  for (Field& field : model.schema.columns)
    field.name = "a very long name of a column, longer than any room " + field.name;
  for (std::string& level : model.schema.columns[2].level) level = "a level that is rather long as well " + level;
  const Table table = sample::random_table(model, 60, 4);
  std::vector<std::string> all = all_pictures(model, table);
  all.push_back(bar_svg("b", "increase of the root mean squared error when the column is shuffled, with 95 % intervals",
                        std::vector<Bar>{{std::string(60, 'm'), 123456789012}, {"x", 1}}));
  for (const std::string& svg : all) {
    const auto number = [&](std::size_t from, const std::string& name) {
      const std::size_t at = svg.find(name + "=\"", from);
      return std::stod(svg.substr(at + name.size() + 2));
    };
    const double width = number(0, " width");
    for (std::size_t at = svg.find("<text "); at != std::string::npos; at = svg.find("<text ", at + 1)) {
      const std::size_t open = svg.find('>', at), close = svg.find("</text>", at);
      const std::string tag = svg.substr(at, open - at), words = svg.substr(open + 1, close - open - 1);
      if (tag.find("rotate") != std::string::npos || tag.find("font-size") != std::string::npos) continue;
      const double x = number(at, " x"), size = text_width(words);
      const double left = tag.find("\"end\"") != std::string::npos      ? x - size
                          : tag.find("\"middle\"") != std::string::npos ? x - size / 2
                                                                        : x;
      EXPECT_GE(left, 0) << words;
      EXPECT_LE(left + size, width) << words;
    }
  }
}

TEST(Axes, HaveRoundNumbersInsideTheirRange) {
  EXPECT_EQ(ticks(0, 1, 5).size(), 6u);
  EXPECT_DOUBLE_EQ(ticks(-0.13, 0.41, 6)[0], -0.1);
}

TEST(Axes, NumbersAreWrittenInOneWay) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(tick_texts({0.1, 0.2, 0.30000000000000004}), (Texts{"0.1", "0.2", "0.3"}));
  EXPECT_EQ(tick_texts({-500, 1e-20, 500}), (Texts{"-500", "0", "500"}));
  EXPECT_EQ(tick_texts({0, 5e11, 1e12, 1.5e12}), (Texts{"0", "5e+11", "1e+12", "1.5e+12"}));
  EXPECT_EQ(tick_texts({1e9, 1000000000.5, 1000000001}), (Texts{"1000000000.0", "1000000000.5", "1000000001.0"}));
  EXPECT_EQ(tick_texts({2e-10, 4e-10}), (Texts{"2e-10", "4e-10"}));
}

TEST(Axes, ANumberBesideASmallChangeKeepsItsDigits) {
  EXPECT_EQ(text_beside(1000000000.25, 0.5), "1000000000.25");
  EXPECT_EQ(text_beside(0.82352941, 0.4), "0.8235");
  EXPECT_EQ(text_beside(0, 1), "0");
  EXPECT_EQ(text_beside(3, 0), "3");
}

TEST(Rows, TheLargestComeFirstAndEqualOnesInOrder) {
  EXPECT_EQ(largest(std::vector<double>{1, -3, 1, 2}, 3), (std::vector<std::size_t>{1, 3, 0}));
}

}  // namespace
}  // namespace wald
