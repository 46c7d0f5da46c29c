#include "model/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/text.h"

namespace wald {
namespace {

// Names, levels and options travel in one FlatBuffer, which ends at 2 GB; this leaves room for its offsets.
constexpr std::size_t kMaxText = std::size_t{1} << 30, kMaxStrings = std::size_t{1} << 26;

// --- text -----------------------------------------------------------------------------------------------------------

std::string text_flaw(const std::vector<std::string_view>& all) {
  std::size_t bytes = 0;
  for (const std::string_view text : all) {
    if (!valid_utf8(text)) return fmt::format("the text '{}' is not valid UTF-8", printable(text));
    bytes += text.size();
  }
  if (bytes > kMaxText || all.size() > kMaxStrings) return "its names and levels take more than 1 GB";
  return {};
}

std::optional<std::string_view> doubled(std::vector<std::string_view> words) {
  std::ranges::sort(words);
  const auto found = std::ranges::adjacent_find(words);
  return found == words.end() ? std::nullopt : std::optional(*found);
}

std::string field_flaw(const Field& field) {
  if (field.type == ColumnType::Number)
    return field.level.empty() ? "" : fmt::format("column '{}' holds numbers but lists levels", printable(field.name));
  if (field.level.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    return fmt::format("column '{}' has too many levels", printable(field.name));
  if (const auto level = doubled({field.level.begin(), field.level.end()}))
    return fmt::format("column '{}' lists the level '{}' twice", printable(field.name), printable(*level));
  return {};
}

std::string schema_flaw(const Schema& schema) {
  std::vector<std::string_view> names{schema.target.name};
  for (const Field& field : schema.columns) names.push_back(field.name);
  if (const auto name = doubled(std::move(names))) return fmt::format("two columns are named '{}'", printable(*name));
  for (const Field& field : schema.columns)
    if (std::string found = field_flaw(field); !found.empty()) return found;
  return field_flaw(schema.target);
}

std::vector<std::string_view> all_text(const Model& model) {
  std::vector<std::string_view> all{model.made.version, model.made.learner, model.made.fingerprint};
  const auto add = [&all](const Field& field) {
    all.push_back(field.name);
    all.insert(all.end(), field.level.begin(), field.level.end());
  };
  for (const Field& field : model.schema.columns) add(field);
  add(model.schema.target);
  all.insert(all.end(), model.schema.missing.begin(), model.schema.missing.end());
  for (const auto& [name, value] : model.made.options) all.insert(all.end(), {name, value});
  return all;
}

// --- numbers --------------------------------------------------------------------------------------------------------

bool finite(double x) { return std::isfinite(x); }

std::string cuts_flaw(const Schema& schema, const Forest& forest) {
  if (forest.cuts.size() != schema.columns.size())
    return fmt::format("it has thresholds for {} columns of {}", forest.cuts.size(), schema.columns.size());
  for (std::size_t c = 0; c < forest.cuts.size(); ++c) {
    const std::vector<double>& cuts = forest.cuts[c];
    const std::string name = cuts.empty() ? "" : printable(schema.columns[c].name);
    if (!cuts.empty() && schema.columns[c].type != ColumnType::Number)
      return fmt::format("column '{}' holds categories but has thresholds", name);
    // Infinities divide too: minus infinity itself from the rest, plus infinity all numbers from missing values.
    for (std::size_t i = 0; i < cuts.size(); ++i)
      if (std::isnan(cuts[i]) || (i > 0 && !(cuts[i - 1] < cuts[i])))
        return fmt::format("threshold {} of column '{}' is {}, not a number above the one before it", i, name,
                           exact_text(cuts[i]));
  }
  return {};
}

std::string sizes_flaw(const Forest& forest) {
  const std::size_t nodes = forest.nodes.size();
  if (forest.outputs < 1) return fmt::format("it has {} outputs", forest.outputs);
  const auto outputs = static_cast<std::size_t>(forest.outputs);
  if (forest.base.size() != outputs)
    return fmt::format("it has {} base scores for {} outputs", forest.base.size(), outputs);
  if (forest.values.size() % outputs != 0 || forest.values.size() / outputs != nodes)
    return fmt::format("it has {} values for {} nodes of {} outputs", forest.values.size(), nodes, outputs);
  if (!forest.cover.empty() && forest.cover.size() != nodes)
    return fmt::format("it has {} covers for {} nodes", forest.cover.size(), nodes);
  if (!forest.gain.empty() && forest.gain.size() != nodes)
    return fmt::format("it has {} gains for {} nodes", forest.gain.size(), nodes);
  if (forest.first.empty()) return nodes == 0 ? "" : "it has nodes but no tree";
  if (forest.first[0] != 0) return "tree 0 does not begin at node 0";
  for (std::size_t t = 0; t < forest.trees(); ++t)
    if (forest.first[t] >= forest.first[t + 1]) return fmt::format("tree {} has no nodes", t);
  if (forest.first[forest.trees()] != nodes) return "its last tree does not end at its last node";
  return {};
}

std::string numbers_flaw(const Forest& forest) {
  const auto at = [](const auto& all, const auto& sound) {
    return static_cast<std::size_t>(std::ranges::find_if_not(all, sound) - all.begin());
  };
  if (const auto i = at(forest.base, finite); i < forest.base.size())
    return fmt::format("base score {} is not finite", i);
  if (const auto i = at(forest.values, finite); i < forest.values.size())
    return fmt::format("value {} is not finite", i);
  if (const auto i = at(forest.cover, [](double x) { return finite(x) && x >= 0; }); i < forest.cover.size())
    return fmt::format("cover {} is not a finite number of at least 0", i);
  if (const auto i = at(forest.gain, [](double x) { return !std::isnan(x); }); i < forest.gain.size())
    return fmt::format("gain {} is not a number", i);
  return {};
}

// --- trees ----------------------------------------------------------------------------------------------------------

std::string set_flaw(const Forest& forest, std::uint32_t ref, std::size_t levels) {
  const std::size_t words = (levels + 63) / 64;
  if (ref > forest.sets.size() || words > forest.sets.size() - ref)
    return fmt::format("its set at {} ends beyond the {} words of all sets", ref, forest.sets.size());
  if (levels % 64 != 0 && forest.sets[ref + words - 1] >> (levels % 64) != 0)
    return fmt::format("its set at {} holds more levels than the column has", ref);
  return {};
}

std::string test_flaw(const Schema& schema, const Forest& forest, const Node& node) {
  if (node.test > Test::EachLevel)
    return fmt::format("it has the unknown kind of test {}", static_cast<int>(node.test));
  if (node.column >= schema.columns.size())
    return fmt::format("it tests column {}, the model has {}", node.column, schema.columns.size());
  const Field& field = schema.columns[node.column];
  if ((node.test == Test::Threshold) != (field.type == ColumnType::Number))
    return fmt::format("its kind of test does not fit column '{}'", printable(field.name));
  if (node.test == Test::Threshold && node.ref >= forest.cuts[node.column].size())
    return fmt::format("it uses threshold {} of column '{}', which has {}", node.ref, printable(field.name),
                       forest.cuts[node.column].size());
  if (node.test == Test::Set) return set_flaw(forest, node.ref, field.level.size());
  if (node.test == Test::EachLevel && (node.ref != field.level.size() || node.ref < 1 || node.ref > 65535))
    return fmt::format("it has {} children for the {} levels of column '{}'", node.ref, field.level.size(),
                       printable(field.name));
  return {};
}

std::string node_flaw(const Schema& schema, const Forest& forest, const Node& node) {
  if (node.reserved != 0) return "its reserved byte is not zero";
  if (node.test == Test::Leaf) return node == Node{} ? "" : "it is a leaf, yet has a column, a child or a threshold";
  if (std::string found = test_flaw(schema, forest, node); !found.empty()) return found;
  if (node.missing == kMissingEverywhere)
    return forest.cover.empty() ? "it spreads missing values by cover, which the model lacks" : "";
  if (node.missing >= node.ways())
    return fmt::format("it sends missing values to child {} of {}", node.missing, node.ways());
  return {};
}

// Children lie after their parent, so there are no cycles; every node but the first is the child of exactly one.
std::string tree_flaw(const Schema& schema, const Forest& forest, std::size_t t, std::vector<bool>& has_parent) {
  const std::span<const Node> nodes = forest.tree(t).nodes;
  has_parent.assign(nodes.size(), false);
  std::size_t children = 0;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto at = [&](std::string_view what) { return fmt::format("tree {}, node {}: {}", t, k, what); };
    const Node& node = nodes[k];
    if (const std::string found = node_flaw(schema, forest, node); !found.empty()) return at(found);
    if (node.test == Test::Leaf) continue;
    if (node.child <= k || node.child > nodes.size() || node.ways() > nodes.size() - node.child)
      return at(fmt::format("its children {} to {} are not all between it and the tree's end, {}", node.child,
                            std::uint64_t{node.child} + node.ways() - 1, nodes.size()));
    for (std::size_t child = node.child; child < node.child + std::size_t{node.ways()}; ++child) {
      if (has_parent[child]) return at(fmt::format("its child {} has another parent", child));
      has_parent[child] = true;
    }
    children += node.ways();
  }
  if (children + 1 == nodes.size()) return {};
  const auto orphan = std::find(has_parent.begin() + 1, has_parent.end(), false) - has_parent.begin();
  return fmt::format("tree {}, node {}: it is the child of no node", t, orphan);
}

std::string link_flaw(const Model& model) {
  const std::size_t classes = model.schema.target.level.size();
  if (model.link > Link::Probabilities) return fmt::format("it has the unknown link {}", static_cast<int>(model.link));
  if ((model.link == Link::Probabilities) != model.schema.classifies())
    return "its scores are linked to another kind of target than it has";
  if (model.schema.classifies() && (classes < 1 || classes != static_cast<std::size_t>(model.forest().outputs)))
    return fmt::format("it has {} outputs for {} classes", model.forest().outputs, classes);
  return {};
}

std::string trees_flaw(const Schema& schema, const Forest& forest) {
  std::vector<bool> has_parent;
  for (std::size_t t = 0; t < forest.trees(); ++t)
    if (std::string found = tree_flaw(schema, forest, t, has_parent); !found.empty()) return found;
  return {};
}

}  // namespace

std::string flaw(const Model& model) {
  const Forest& forest = model.forest();
  std::string found = text_flaw(all_text(model));
  if (found.empty()) found = schema_flaw(model.schema);
  if (found.empty()) found = cuts_flaw(model.schema, forest);
  if (found.empty()) found = sizes_flaw(forest);
  if (found.empty()) found = numbers_flaw(forest);
  if (found.empty()) found = link_flaw(model);
  if (found.empty()) found = trees_flaw(model.schema, forest);
  return found;
}

}  // namespace wald
