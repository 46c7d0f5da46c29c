// Forests and rows for the tests of explanations: numbers, sets, a child a level, missing values both ways.
#pragma once
#include <string>
#include <vector>

#include "model/sample_test.h"

namespace wald::sample {

struct Shape {
  int columns = 6;
  int trees = 3;
  int max_depth = 5;
  int outputs = 1;
  bool cover = true;
  double missing_everywhere = 0.3;
  double zero_cover = 0.1;
  bool one_output = false;  // each tree speaks for one
  bool linear = false;
  double surrogates = 0.3;
};

class Maker {
 public:
  Maker(const Shape& shape, std::uint64_t seed) : shape_(shape), draw_(seed) {}

  Model make() {
    model_.schema.target = number("y");
    for (int c = 0; c < shape_.columns; ++c) {
      forest_.cuts.emplace_back();
      if (c % 3 != 2) {
        model_.schema.columns.push_back(number("n" + std::to_string(c)));
        for (double cut = -1.5; cut < 1.6; cut += 0.5) forest_.cuts.back().push_back(cut);
      } else {
        model_.schema.columns.push_back(category("c" + std::to_string(c), {"a", "b", "c", "d", "e"}));
      }
    }
    forest_.outputs = shape_.outputs;
    for (int o = 0; o < shape_.outputs; ++o) forest_.base.push_back(draw_.unit());
    forest_.first = {0};
    for (int t = 0; t < shape_.trees; ++t) {
      grow();
      if (shape_.one_output) forest_.output.push_back(static_cast<std::uint32_t>(t % shape_.outputs));
    }
    if (shape_.linear) random_terms(draw_, model_.schema, width(), forest_);
    if (!shape_.cover) forest_.cover.clear();
    else forest_.gain.assign(forest_.nodes.size(), 1.0);
    model_.body = packed(forest_);
    add_surrogates(draw_, shape_.surrogates, model_);
    return model_;
  }

 private:
  std::size_t width() const { return shape_.one_output ? 1 : static_cast<std::size_t>(shape_.outputs); }
  void grow() {
    std::vector<TreeNode> tree(1);
    std::vector<int> depth{0};
    for (std::size_t k = 0; k < tree.size(); ++k) {
      if (depth[k] == shape_.max_depth || (k > 0 && draw_.chance(0.15)) || tree.size() > 120) continue;
      TreeNode node = random_node(draw_, model_.schema, forest_, false);
      if (shape_.cover && draw_.chance(shape_.missing_everywhere)) node.missing = kMissingEverywhere;
      node.child = static_cast<std::uint32_t>(tree.size());
      tree[k] = node;
      tree.resize(tree.size() + node.ways());
      depth.resize(tree.size(), depth[k] + 1);
    }
    forest_.nodes.insert(forest_.nodes.end(), tree.begin(), tree.end());
    forest_.first.push_back(forest_.nodes.size());
    for (std::size_t k = 0; k < tree.size(); ++k) {
      for (std::size_t o = 0; o < width(); ++o) forest_.values.push_back(draw_.unit() * 4 - 2);
      forest_.cover.push_back(draw_.chance(shape_.zero_cover) ? 0 : 100 * draw_.unit());
    }
  }

  Shape shape_;
  Draws draw_;
  Model model_;
  Parts forest_;
};

inline Model forest(const Shape& shape, std::uint64_t seed) { return Maker(shape, seed).make(); }

}  // namespace wald::sample
