// Models and tables for tests: two made by hand, any number drawn at random.
#pragma once
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/random.h"
#include "wald/model.h"
#include "wald/table.h"

namespace wald::sample {

inline Field number(std::string name) { return {std::move(name), ColumnType::Number, {}}; }
inline Field category(std::string name, std::vector<std::string> level) {
  return {std::move(name), ColumnType::Category, std::move(level)};
}
inline std::vector<std::string> postcodes() {
  std::vector<std::string> all;
  for (int i = 0; i < 70; ++i) all.push_back("p" + std::to_string(100 + i));
  return all;
}

// Every kind of test, sets of two words, both ways of missing values, names beyond ASCII, three classes, two trees.
// The golden file v1_cart_classes.wald holds it: never change it.
inline Model classes() {
  Forest forest;
  forest.outputs = 3;
  forest.base = {0.125, 0, -0.125};
  forest.cuts = {{-1.5, 0.1, 40}, {}, {}};
  forest.first = std::vector<std::uint64_t>{0, 8, 11};
  forest.nodes = std::vector<Node>{{0, 1, 2, 1, Test::Threshold},                   // age <= 40
                                   {2, 3, 0, 0, Test::Set},                         // postcode in the first set
                                   {1, 5, 3, kMissingEverywhere, Test::EachLevel},  // größe
                                   {},
                                   {},
                                   {},
                                   {},
                                   {},
                                   {2, 1, 2, kMissingEverywhere, Test::Set},  // postcode in the second set
                                   {},
                                   {}};
  std::vector<double> values, cover{20, 12, 8, 9, 3, 4, 3, 1, 20, 15, 5}, gain{3, 1, 0.5, 0, 0, 0, 0, 0, 0.75, 0, 0};
  for (int k = 0; k < 11; ++k)
    for (int o = 0; o < 3; ++o) values.push_back((k * 7 + o * 3) % 11 / 16.0 + 0.1 * o);
  forest.values = values;
  forest.cover = cover;
  forest.gain = gain;
  forest.sets = std::vector<std::uint64_t>{0x8000'0000'0000'0001, 0x21, 0xFF, 0};
  return {
      .schema = {{number("age"), category("größe", {"klein", "mittel", "groß 😀"}), category("postcode", postcodes())},
                 category("claim, yes?", {"no", "yes", "東京"})},
      .body = forest,
      .link = Link::Probabilities,
      .made = {"0.1.0", "cart", {{"max-depth", "6"}, {"bins", "255"}}, 7, 20, "00112233445566778899aabbccddeeff"}};
}

// A target of numbers, no cover and no gain, thresholds at the edges of the doubles. In v1_numbers.wald: never change.
inline Model numbers() {
  constexpr double kLowest = -std::numeric_limits<double>::infinity(), kLargest = std::numeric_limits<double>::max();
  Forest forest;
  forest.base = {1e-3};
  forest.cuts = {{kLowest, -0.0, std::numeric_limits<double>::denorm_min(), kLargest}, {2.5}};
  forest.first = std::vector<std::uint64_t>{0, 7, 8};
  forest.nodes = std::vector<Node>{
      {0, 1, 1, 0, Test::Threshold}, {0, 3, 0, 1, Test::Threshold}, {1, 5, 0, 1, Test::Threshold}, {}, {}, {}, {}, {}};
  forest.values = std::vector<double>{0, -1, 1, -10.5, -0.1, 0.3, kLargest / 2, -1e-300};
  return {.schema = {{number(""), number("a b\n\"c\"")}, number("price")},
          .body = forest,
          .link = Link::Identity,
          .made = {"0.1.0", "cart", {}, 1, 0xFFFF'FFFE, ""}};
}

// A stream of draws for tests.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed, Purpose::Sample) {}
  std::uint64_t below(std::uint64_t n) { return random_.below(n, at_++); }
  double unit() { return random_.unit(at_++); }
  bool chance(double p) { return unit() < p; }

 private:
  Random random_;
  std::uint64_t at_ = 0;
};

inline Schema random_schema(Draws& draw) {
  Schema schema;
  const std::uint64_t columns = 1 + draw.below(6);
  for (std::uint64_t c = 0; c < columns; ++c) {
    if (draw.chance(0.5)) schema.columns.push_back(number("n" + std::to_string(c)));
    else {
      std::vector<std::string> level;
      for (std::uint64_t k = 1 + draw.below(draw.chance(0.3) ? 200 : 5); k > 0; --k)
        level.push_back("l" + std::to_string(k));
      schema.columns.push_back(category("c" + std::to_string(c), level));
    }
  }
  schema.target = number("y");
  if (draw.chance(0.5)) {
    schema.target = category("y", {"only"});
    for (std::uint64_t k = draw.below(4); k > 0; --k) schema.target.level.push_back(std::to_string(k));
  }
  return schema;
}

// A random test on a random column. Missing values go everywhere only where there is a cover.
inline Node random_node(Draws& draw, const Schema& schema, const Forest& forest, std::vector<std::uint64_t>& sets,
                        bool cover) {
  Node node{.column = static_cast<std::uint32_t>(draw.below(schema.columns.size()))};
  const Field& field = schema.columns[node.column];
  if (field.type == ColumnType::Number) {
    if (forest.cuts[node.column].empty()) return {};
    node.test = Test::Threshold;
    node.ref = static_cast<std::uint32_t>(draw.below(forest.cuts[node.column].size()));
  } else if (draw.chance(0.5)) {
    node.test = Test::Set;
    node.ref = static_cast<std::uint32_t>(sets.size());
    for (std::size_t left = field.level.size(); left > 0; left -= std::min<std::size_t>(left, 64))
      sets.push_back(draw.below(~0ull) & (left >= 64 ? ~0ull : (1ull << left) - 1));
  } else {
    node.test = Test::EachLevel;
    node.ref = static_cast<std::uint32_t>(field.level.size());
  }
  node.missing = static_cast<std::uint16_t>(draw.below(node.ways()));
  if (cover && draw.chance(0.3)) node.missing = kMissingEverywhere;
  return node;
}

inline Model random_model(std::uint64_t seed) {
  Draws draw(seed);
  Model model{.schema = random_schema(draw)};
  Forest forest;
  std::vector<std::uint64_t> first{0}, sets;
  std::vector<Node> nodes;
  std::vector<double> values, cover, gain;
  const bool with_cover = draw.chance(0.7);
  forest.outputs = model.schema.classifies() ? static_cast<int>(model.schema.target.level.size())
                                             : 1 + static_cast<int>(draw.below(2));
  for (int o = 0; o < forest.outputs; ++o) forest.base.push_back(draw.unit() - 0.5);
  for (const Field& field : model.schema.columns) {
    std::vector<double> cuts;
    if (field.type == ColumnType::Number)
      for (std::uint64_t k = draw.below(6); k > 0; --k)
        cuts.push_back((cuts.empty() ? -1 : cuts.back()) + 0.01 + draw.unit());
    forest.cuts.push_back(cuts);
  }
  for (std::uint64_t t = draw.below(5); t > 0; --t) {
    std::vector<Node> tree(1);
    for (std::size_t k = 0; k < tree.size() && tree.size() < 300; ++k) {
      if (draw.chance(k == 0 ? 0.1 : 0.4)) continue;
      Node node = random_node(draw, model.schema, forest, sets, with_cover);
      if (node.test != Test::Leaf) node.child = static_cast<std::uint32_t>(tree.size());
      tree[k] = node;
      tree.resize(tree.size() + node.ways());
    }
    nodes.insert(nodes.end(), tree.begin(), tree.end());
    first.push_back(nodes.size());
  }
  for (std::size_t i = 0; i < nodes.size() * static_cast<std::size_t>(forest.outputs); ++i)
    values.push_back(draw.unit());
  for (std::size_t i = 0; with_cover && i < nodes.size(); ++i)
    cover.push_back(draw.chance(0.1) ? 0 : 100 * draw.unit()), gain.push_back(draw.unit());
  forest.first = first, forest.nodes = nodes, forest.values = values, forest.cover = cover, forest.gain = gain,
  forest.sets = sets;
  model.body = forest;
  model.link = model.schema.classifies() ? Link::Probabilities : Link::Identity;
  model.made = {"0.1.0", "random", {{"seed", std::to_string(seed)}}, seed, draw.below(1000), "f"};
  return model;
}

// Rows for a model: every level, unseen ones, missing cells, numbers around and exactly at its thresholds.
inline Table random_table(const Model& model, Row rows, std::uint64_t seed) {
  Draws draw(seed);
  Table table{.rows = rows, .source = "rows.csv"};
  for (std::size_t c = model.schema.columns.size(); c-- > 0;) {
    const Field& field = model.schema.columns[c];
    const std::vector<double>& cuts = model.forest().cuts[c];
    std::vector<double> doubles;
    Categories words{{}, field.level};
    words.level.push_back("zz unseen");
    for (Row row = 0; row < rows; ++row) {
      const bool missing = draw.chance(0.2);
      words.code.push_back(missing ? -1 : static_cast<std::int32_t>(draw.below(words.level.size())));
      const double near = cuts.empty() || draw.chance(0.5) ? 4 * draw.unit() - 2 : cuts[draw.below(cuts.size())];
      doubles.push_back(missing ? kMissing : near);
    }
    if (field.type == ColumnType::Number) table.columns.push_back({field.name, Numbers(doubles)});
    else table.columns.push_back({field.name, words});
  }
  return table;
}

}  // namespace wald::sample
