// An XGBoost model (its JSON file) as a model of Wald, for comparing explanations of identical trees: numbers only, one
// output, no categories.
#pragma once
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/parts_test.h"
#include "wald/model.h"

namespace wald::xgboost {

// XGBoost asks x < t of 32-bit floats, Wald x <= t: the float below t.
inline double at_most(float below) { return std::nextafterf(below, -std::numeric_limits<float>::infinity()); }

inline std::uint32_t place_of(const std::vector<double>& cuts, double cut) {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(cuts, cut) - cuts.begin());
}

// Nodes in breadth-first order, so that children are consecutive.
inline void add_tree(const nlohmann::json& tree, Parts& out) {
  const auto& left = tree["left_children"];
  const auto& right = tree["right_children"];
  std::vector<std::size_t> order{0};
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t n = order[k];
    TreeNode node;
    if (left[n].get<int>() >= 0) {
      node.column = tree["split_indices"][n].get<std::uint32_t>();
      node.child = static_cast<std::uint32_t>(order.size());
      node.ref = place_of(out.cuts[node.column], at_most(tree["split_conditions"][n].get<float>()));
      node.missing = tree["default_left"][n].get<int>() != 0 ? 0 : 1;
      node.test = wald::Test::Threshold;
      order.push_back(left[n].get<std::size_t>());
      order.push_back(right[n].get<std::size_t>());
    }
    out.nodes.push_back(node);
    out.values.push_back(node.test == wald::Test::Leaf ? tree["split_conditions"][n].get<float>() : 0.0);
    out.cover.push_back(tree["sum_hessian"][n].get<float>());
    out.gain.push_back(node.test == wald::Test::Leaf ? 0.0 : tree["loss_changes"][n].get<double>());
  }
}

inline Model model_of(const nlohmann::json& file) {
  const auto& learner = file["learner"];
  const auto& trees = learner["gradient_booster"]["model"]["trees"];
  const auto columns = std::stoul(learner["learner_model_param"]["num_feature"].get<std::string>());
  Model model{.schema = {{}, {"y", ColumnType::Number, {}}}};
  Parts forest;
  for (std::size_t c = 0; c < columns; ++c)
    model.schema.columns.push_back({"f" + std::to_string(c), ColumnType::Number, {}});
  forest.cuts.resize(columns);
  for (const auto& tree : trees)
    for (std::size_t n = 0; n < tree["left_children"].size(); ++n)
      if (tree["left_children"][n].get<int>() >= 0)
        forest.cuts[tree["split_indices"][n].get<std::size_t>()].push_back(
            at_most(tree["split_conditions"][n].get<float>()));
  for (auto& cuts : forest.cuts) {
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  }
  const double base = std::stod(learner["learner_model_param"]["base_score"].get<std::string>());
  const bool logistic = learner["objective"]["name"] == "binary:logistic";
  forest.base = {logistic ? std::log(base / (1 - base)) : base};
  forest.first = {0};
  for (const auto& tree : trees) {
    add_tree(tree, forest);
    forest.first.push_back(forest.nodes.size());
  }
  model.body = packed(forest);
  return model;
}

}  // namespace wald::xgboost
