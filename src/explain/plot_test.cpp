#include "explain/plot.h"

#include <gtest/gtest.h>

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

TEST(Pictures, WithoutBarsAreStillPictures) { expect_sound(bar_svg("none", "", {})); }

TEST(Axes, HaveRoundNumbersInsideTheirRange) {
  EXPECT_EQ(ticks(0, 1, 5).size(), 6u);
  EXPECT_DOUBLE_EQ(ticks(-0.13, 0.41, 6)[0], -0.1);
  EXPECT_EQ(tick_text(0.30000000000000004, 0.1), "0.3");
  EXPECT_EQ(tick_text(1500, 500), "1500");
  EXPECT_EQ(tick_text(1e-20, 0.5), "0");
}

TEST(Rows, TheLargestComeFirstAndEqualOnesInOrder) {
  EXPECT_EQ(largest(std::vector<double>{1, -3, 1, 2}, 3), (std::vector<std::size_t>{1, 3, 0}));
}

}  // namespace
}  // namespace wald
