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
    std::vector<std::uint64_t> first{0};
    for (int t = 0; t < shape_.trees; ++t) {
      grow();
      first.push_back(nodes_.size());
    }
    forest_.first = first, forest_.nodes = nodes_, forest_.values = values_, forest_.sets = sets_;
    if (shape_.cover) forest_.cover = cover_, forest_.gain = std::vector<double>(nodes_.size(), 1.0);
    model_.body = forest_;
    return model_;
  }

 private:
  void grow() {
    std::vector<Node> tree(1);
    std::vector<int> depth{0};
    for (std::size_t k = 0; k < tree.size(); ++k) {
      if (depth[k] == shape_.max_depth || (k > 0 && draw_.chance(0.15)) || tree.size() > 120) continue;
      Node node = random_node(draw_, model_.schema, forest_, sets_, false);
      if (shape_.cover && draw_.chance(shape_.missing_everywhere)) node.missing = kMissingEverywhere;
      node.child = static_cast<std::uint32_t>(tree.size());
      tree[k] = node;
      tree.resize(tree.size() + node.ways());
      depth.resize(tree.size(), depth[k] + 1);
    }
    nodes_.insert(nodes_.end(), tree.begin(), tree.end());
    for (std::size_t k = 0; k < tree.size(); ++k) {
      for (int o = 0; o < shape_.outputs; ++o) values_.push_back(draw_.unit() * 4 - 2);
      cover_.push_back(draw_.chance(shape_.zero_cover) ? 0 : 100 * draw_.unit());
    }
  }

  Shape shape_;
  Draws draw_;
  Model model_;
  Forest forest_;
  std::vector<Node> nodes_;
  std::vector<double> values_, cover_;
  std::vector<std::uint64_t> sets_;
};

inline Model forest(const Shape& shape, std::uint64_t seed) { return Maker(shape, seed).make(); }

}  // namespace wald::sample
