// Models and tables for tests: two made by hand, any number drawn at random.
#pragma once
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/random.h"
#include "model/parts_test.h"
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
  Parts forest;
  forest.outputs = 3;
  forest.base = {0.125, 0, -0.125};
  forest.cuts = {{-1.5, 0.1, 40}, {}, {}};
  forest.first = {0, 8, 11};
  forest.nodes = {{0, 1, 2, 1, Test::Threshold},                   // age <= 40
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
  forest.cover = {20, 12, 8, 9, 3, 4, 3, 1, 20, 15, 5};
  forest.gain = {3, 1, 0.5, 0, 0, 0, 0, 0, 0.75, 0, 0};
  for (int k = 0; k < 11; ++k)
    for (int o = 0; o < 3; ++o) forest.values.push_back((k * 7 + o * 3) % 11 / 16.0 + 0.1 * o);
  forest.sets = {0x8000'0000'0000'0001, 0x21, 0xFF, 0};
  return {
      .schema = {{number("age"), category("größe", {"klein", "mittel", "groß 😀"}), category("postcode", postcodes())},
                 category("claim, yes?", {"no", "yes", "東京"})},
      .body = packed(forest),
      .link = Link::Probabilities,
      .made = {"0.1.0", "cart", {{"max-depth", "6"}, {"bins", "255"}}, 7, 20, "00112233445566778899aabbccddeeff"}};
}

// A target of numbers, no cover and no gain, thresholds at the edges of the doubles. In v1_numbers.wald: never change.
inline Model numbers() {
  constexpr double kLowest = -std::numeric_limits<double>::infinity(), kLargest = std::numeric_limits<double>::max();
  Parts forest;
  forest.base = {1e-3};
  forest.cuts = {{kLowest, -0.0, std::numeric_limits<double>::denorm_min(), kLargest}, {2.5}};
  forest.first = {0, 7, 8};
  forest.nodes = {
      {0, 1, 1, 0, Test::Threshold}, {0, 3, 0, 1, Test::Threshold}, {1, 5, 0, 1, Test::Threshold}, {}, {}, {}, {}, {}};
  forest.values = {0, -1, 1, -10.5, -0.1, 0.3, kLargest / 2, -1e-300};
  return {.schema = {{number(""), number("a b\n\"c\"")}, number("price")},
          .body = packed(forest),
          .link = Link::Identity,
          .made = {"0.1.0", "cart", {}, 1, 0xFFFF'FFFE, ""}};
}

// Scores of three classes from trees of one output each, linear leaves, a learning curve. In v1_linear_scores.wald:
// never change.
inline Model scores() {
  Parts forest;
  forest.outputs = 3;
  forest.base = {0.5, -0.5, 0};
  forest.cuts = {{1, 2.5}, {}};
  forest.first = {0, 3, 4, 9};
  forest.nodes = {{0, 1, 1, 0, Test::Threshold}, {}, {}, {}, {1, 1, 0, 1, Test::Set}, {},
                  {0, 3, 0, 1, Test::Threshold}, {}, {}};
  forest.values = {0, 0.25, -0.25, 1.5, 0, 0.25, 0, 2, -2};
  forest.cover = {12, 8, 4, 12, 12, 2.5, 9.5, 6, 3.5};
  forest.gain = {7, 0, 0, 0, 4, 0, 1.5, 0, 0};
  forest.sets = {0b101};
  forest.output = {0, 2, 1};
  forest.terms = {{1, {0, 0, 0.5, 1.25, 0, 2.5}}, {8, {0, 0, -3, 4, 1, 9}}, {8, {0, 0, 0.125, 0, -1, 1}}};
  return {.schema = {{number("x"), category("c", {"p", "q", "r"})}, category("y", {"a", "b", "c"})},
          .body = packed(forest),
          .link = Link::Softmax,
          .made = {"0.1.0", "boost", {{"rounds", "1"}}, 1, 12, "00112233445566778899aabbccddeeff"},
          .curve = {"log_loss", {1.0, 0.75}, {1.0, 0.8125}, 2}};
}

// Two tests with surrogates of either kind, straight and turned around. In v1_surrogates.wald: never change.
inline Model surrogates() {
  Parts parts;
  parts.base = {0};
  parts.cuts = {{1, 2.5}, {}, {-0.5}};
  parts.first = {0, 5};
  parts.nodes = {{0, 1, 1, 0, Test::Threshold}, {1, 3, 0, 0, Test::Set}, {}, {}, {}};
  parts.values = {0, 0, 3, -1, 1};
  parts.cover = {20, 12, 8, 7, 5};
  parts.gain = {4, 2, 0, 0, 0};
  parts.sets = {0b011, 0b101};
  Forest forest = packed(parts);
  std::vector<Node> nodes(forest.nodes.begin(), forest.nodes.end());
  for (Node* node : {&nodes[0], &nodes[1]})
    *node = Node::binary(node->test(), node->column(), node->child, node->ref, kMissingAsks);
  forest.nodes = std::move(nodes);
  forest.surrogate_first = std::vector<std::uint64_t>{0, 3, 5, 5, 5, 5};
  forest.surrogates = std::vector<Surrogate>{Surrogate::asks(Test::Set, 1, 1, true, 0.875F),
                                             Surrogate::asks(Test::Threshold, 2, 0, false, 0.75F), Surrogate::last(0),
                                             Surrogate::asks(Test::Threshold, 2, 0, true, 0.625F), Surrogate::last(1)};
  return {.schema = {{number("x"), category("c", {"p", "q", "r"}), number("z")}, number("y")},
          .body = forest,
          .made = {"0.1.0", "cart", {{"missing", "surrogates"}}, 1, 20, "00112233445566778899aabbccddeeff"}};
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
  } else if (draw.chance(0.2)) {
    schema.quantiles = {0.1 + 0.3 * draw.unit(), 0.5, 0.6 + 0.3 * draw.unit()};
  }
  return schema;
}

// A random test on a random column. Missing values go everywhere only where there is a cover.
inline TreeNode random_node(Draws& draw, const Schema& schema, Parts& forest, bool cover) {
  TreeNode node{.column = static_cast<std::uint32_t>(draw.below(schema.columns.size()))};
  const Field& field = schema.columns[node.column];
  if (field.type == ColumnType::Number) {
    if (forest.cuts[node.column].empty()) return {};
    node.test = Test::Threshold;
    node.ref = static_cast<std::uint32_t>(draw.below(forest.cuts[node.column].size()));
  } else if (draw.chance(0.5)) {
    node.test = Test::Set;
    node.ref = static_cast<std::uint32_t>(forest.sets.size());
    for (std::size_t left = field.level.size(); left > 0; left -= std::min<std::size_t>(left, 64))
      forest.sets.push_back(draw.below(~0ull) & (left >= 64 ? ~0ull : (1ull << left) - 1));
  } else {
    node.test = Test::EachLevel;
    node.ref = static_cast<std::uint32_t>(field.level.size());
  }
  node.missing = static_cast<std::uint16_t>(draw.below(node.ways()));
  if (cover && draw.chance(0.3)) node.missing = kMissingEverywhere;
  return node;
}

inline void random_tree(Draws& draw, const Schema& schema, bool cover, Parts& forest) {
  std::vector<TreeNode> tree(1);
  for (std::size_t k = 0; k < tree.size() && tree.size() < 300; ++k) {
    if (draw.chance(k == 0 ? 0.1 : 0.4)) continue;
    TreeNode node = random_node(draw, schema, forest, cover);
    if (node.test != Test::Leaf) node.child = static_cast<std::uint32_t>(tree.size());
    tree[k] = node;
    tree.resize(tree.size() + node.ways());
  }
  forest.nodes.insert(forest.nodes.end(), tree.begin(), tree.end());
  forest.first.push_back(forest.nodes.size());
}

inline Link random_link(Draws& draw, const Schema& schema) {
  if (!schema.quantiles.empty()) return Link::Ordered;
  if (!schema.classifies()) return draw.chance(0.3) ? Link::Exponential : Link::Identity;
  if (schema.target.level.size() == 2 && draw.chance(0.5)) return Link::Logistic;
  return draw.chance(0.5) ? Link::Softmax : Link::Probabilities;
}

// Slopes and ranges for some leaves, on columns of numbers.
inline void random_terms(Draws& draw, const Schema& schema, std::size_t width, Parts& forest) {
  for (std::uint32_t k = 0; k < forest.nodes.size(); ++k) {
    if (forest.nodes[k].test != Test::Leaf || draw.chance(0.5)) continue;
    for (std::uint64_t times = draw.below(4); times > 0; --times) {
      const auto column = static_cast<std::uint32_t>(draw.below(schema.columns.size()));
      if (schema.columns[column].type != ColumnType::Number) continue;
      const double low = 2 * draw.unit() - 1;
      forest.terms.push_back({k,
                              {column, static_cast<std::uint32_t>(draw.below(width)), 2 * draw.unit() - 1,
                               draw.unit() - 0.5, low, low + draw.unit()}});
    }
  }
}

// Tests that stand in for a node's; on other columns, if there are any.
inline std::vector<Surrogate> random_surrogates(Draws& draw, const Model& model, const Node& node,
                                                std::vector<std::uint64_t>& sets) {
  std::vector<Surrogate> out;
  for (std::uint64_t times = 1 + draw.below(3); times > 0; --times) {
    const auto column = static_cast<std::uint32_t>(draw.below(model.schema.columns.size()));
    const Field& field = model.schema.columns[column];
    const bool number = field.type == ColumnType::Number;
    if (column == node.column() || (number && model.forest().cuts[column].empty())) continue;
    const auto ref = static_cast<std::uint32_t>(number ? draw.below(model.forest().cuts[column].size()) : sets.size());
    for (std::size_t left = number ? 0 : field.level.size(); left > 0; left -= std::min<std::size_t>(left, 64))
      sets.push_back(draw.below(~0ull) & (left >= 64 ? ~0ull : (1ull << left) - 1));
    out.push_back(Surrogate::asks(number ? Test::Threshold : Test::Set, column, ref, draw.chance(0.5),
                                  static_cast<float>(draw.unit())));
  }
  if (!out.empty()) out.push_back(Surrogate::last(static_cast<std::uint32_t>(draw.below(2))));
  return out;
}

// Some nodes with one way for missing values ask surrogates instead.
inline void add_surrogates(Draws& draw, double chance, Model& model) {
  Forest forest = model.forest();
  std::vector<Node> nodes(forest.nodes.begin(), forest.nodes.end());
  std::vector<std::uint64_t> sets(forest.sets.begin(), forest.sets.end()), first{0};
  std::vector<Surrogate> all;
  for (Node& node : nodes) {
    const bool may = !node.is_leaf() && node.test() != Test::EachLevel && node.missing() < 2;
    if (may && draw.chance(chance))
      if (const auto own = random_surrogates(draw, model, node, sets); !own.empty()) {
        all.insert(all.end(), own.begin(), own.end());
        node = Node::binary(node.test(), node.column(), node.child, node.ref, kMissingAsks);
      }
    first.push_back(all.size());
  }
  if (all.empty()) return;
  forest.nodes = std::move(nodes), forest.sets = std::move(sets);
  forest.surrogate_first = std::move(first), forest.surrogates = std::move(all);
  model.body = std::move(forest);
}

// Forests of every kind: any test, link and number of outputs, trees of one output or of all, linear leaves or not.
inline Model random_model(std::uint64_t seed) {
  Draws draw(seed);
  Model model{.schema = random_schema(draw)};
  const Schema& schema = model.schema;
  model.link = random_link(draw, schema);
  Parts forest;
  forest.first = {0};
  const bool cover = draw.chance(0.7), one_output = draw.chance(0.3);
  if (model.link == Link::Logistic) forest.outputs = 1;
  else if (model.link == Link::Ordered) forest.outputs = static_cast<int>(schema.quantiles.size());
  else
    forest.outputs =
        schema.classifies() ? static_cast<int>(schema.target.level.size()) : 1 + static_cast<int>(draw.below(2));
  for (int o = 0; o < forest.outputs; ++o) forest.base.push_back(draw.unit() - 0.5);
  for (const Field& field : schema.columns) {
    std::vector<double> cuts;
    if (field.type == ColumnType::Number)
      for (std::uint64_t k = draw.below(6); k > 0; --k)
        cuts.push_back((cuts.empty() ? -1 : cuts.back()) + 0.01 + draw.unit());
    forest.cuts.push_back(cuts);
  }
  for (std::uint64_t t = draw.below(5); t > 0; --t) {
    random_tree(draw, schema, cover, forest);
    if (one_output) forest.output.push_back(static_cast<std::uint32_t>(draw.below(forest.outputs)));
  }
  const std::size_t width = forest.output.empty() ? static_cast<std::size_t>(forest.outputs) : 1;
  for (std::size_t i = 0; i < forest.nodes.size() * width; ++i)
    forest.values.push_back(draw.chance(0.2) ? 0.5 : draw.unit());
  for (std::size_t i = 0; cover && i < forest.nodes.size(); ++i)
    forest.cover.push_back(draw.chance(0.1) ? 0 : 100 * draw.unit()), forest.gain.push_back(draw.unit());
  if (draw.chance(0.4)) random_terms(draw, schema, width, forest);
  model.body = packed(forest);
  model.made = {"0.1.0", "random", {{"seed", std::to_string(seed)}}, seed, draw.below(1000), "f"};
  if (draw.chance(0.3)) model.curve = {"log_loss", {0.5, 0.25, 0.125}, {0.5, 0.375, 0.4375}, 2};
  if (schema.target.level.size() == 2 && draw.chance(0.5)) model.threshold = draw.unit();
  if (draw.chance(0.3)) add_surrogates(draw, 0.5, model);
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
