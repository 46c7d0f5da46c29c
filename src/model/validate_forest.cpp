// The rules of a forest: sizes, numbers, tests, and that the nodes form trees.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/parallel.h"
#include "core/text.h"
#include "model/validate.h"

namespace wald {
namespace {

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

std::string outputs_flaw(const Forest& forest) {
  if (forest.outputs < 1) return fmt::format("it has {} outputs", forest.outputs);
  const auto outputs = static_cast<std::size_t>(forest.outputs);
  if (forest.base.size() != outputs)
    return fmt::format("it has {} base scores for {} outputs", forest.base.size(), outputs);
  if (!forest.output.empty() && forest.output.size() != forest.trees())
    return fmt::format("it names the outputs of {} trees of {}", forest.output.size(), forest.trees());
  for (const std::uint32_t output : forest.output)
    if (output >= outputs) return fmt::format("one of its trees speaks for output {} of {}", output, outputs);
  return {};
}

std::string trees_size_flaw(const Forest& forest) {
  const std::size_t nodes = forest.nodes.size();
  if (forest.first.empty()) return nodes == 0 ? "" : "it has nodes but no tree";
  if (forest.first[0] != 0) return "tree 0 does not begin at node 0";
  for (std::size_t t = 0; t < forest.trees(); ++t)
    if (forest.first[t] >= forest.first[t + 1]) return fmt::format("tree {} has no nodes", t);
  if (forest.first[forest.trees()] != nodes) return "its last tree does not end at its last node";
  return {};
}

std::string vectors_flaw(const Forest& forest) {
  const std::size_t vectors = forest.values.size() / forest.width();
  if (forest.values.size() % forest.width() != 0 || vectors > std::numeric_limits<std::int32_t>::max())
    return fmt::format("it has {} values for vectors of {}", forest.values.size(), forest.width());
  const auto inner =
      static_cast<std::size_t>(std::ranges::count_if(forest.nodes, [](const Node& node) { return !node.is_leaf(); }));
  if (!forest.gain.empty() && forest.gain.size() != inner)
    return fmt::format("it has {} gains for {} splits", forest.gain.size(), inner);
  if (forest.term_first.empty()) return forest.terms.empty() ? "" : "it has linear terms that belong to no leaf";
  if (forest.terms.empty() || forest.term_first.size() != vectors + 1)
    return fmt::format("it has places of linear terms for {} vectors of {}", forest.term_first.size() - 1, vectors);
  if (forest.term_first[0] != 0 || forest.term_first[vectors] != forest.terms.size() ||
      !std::ranges::is_sorted(forest.term_first))
    return "the places of its linear terms are not in order";
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
  if (const auto i = at(forest.gain, [](float x) { return !std::isnan(x); }); i < forest.gain.size())
    return fmt::format("gain {} is not a number", i);
  return {};
}

std::string terms_flaw(const Schema& schema, const Forest& forest) {
  for (std::size_t i = 0; i < forest.terms.size(); ++i) {
    const Term& term = forest.terms[i];
    const auto at = [&](std::string_view what) { return fmt::format("linear term {}: {}", i, what); };
    if (term.column >= schema.columns.size())
      return at(fmt::format("it reads column {}, the model has {}", term.column, schema.columns.size()));
    if (schema.columns[term.column].type != ColumnType::Number)
      return at(fmt::format("column '{}' holds no numbers", printable(schema.columns[term.column].name)));
    if (term.output >= forest.width()) return at(fmt::format("it is added to value {}", term.output));
    if (!finite(term.slope) || !finite(term.centre) || !finite(term.low) || !finite(term.high))
      return at("it is not finite");
    if (term.low > term.high) return at("its range is empty");
  }
  return {};
}

std::string surrogates_size_flaw(const Forest& forest) {
  const auto& first = forest.surrogate_first;
  if (first.empty()) return forest.surrogates.empty() ? "" : "it has surrogates that belong to no node";
  if (forest.surrogates.empty() || first.size() != forest.nodes.size() + 1)
    return fmt::format("it has places of surrogates for {} nodes of {}", first.size() - 1, forest.nodes.size());
  if (first[0] != 0 || first[forest.nodes.size()] != forest.surrogates.size() || !std::ranges::is_sorted(first))
    return "the places of its surrogates are not in order";
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

std::string leaf_flaw(const Forest& forest, const Node& node) {
  constexpr std::uint32_t kInfinity = 0x7F80'0000;  // the bits of greater floats, and of negative ones, are greater
  if (node.what != 0) return "it is a leaf, yet tests a column";
  if (!forest.surrogates_of(node).empty()) return "it is a leaf, yet has surrogates";
  if (node.ref >= forest.values.size() / forest.width())
    return fmt::format("it says value {} of {}", node.ref, forest.values.size() / forest.width());
  if (!forest.covered) return node.child == 0 ? "" : "it has a cover, in a model that keeps none";
  return node.child < kInfinity ? "" : "its cover is not a finite number of at least 0";
}

// Of a node or a surrogate.
template <class Asks>
std::string test_flaw(const Schema& schema, const Forest& forest, const Asks& node) {
  const std::uint32_t column = node.column();
  if (column >= schema.columns.size())
    return fmt::format("it tests column {}, the model has {}", column, schema.columns.size());
  const Field& field = schema.columns[column];
  if ((node.test() == Test::Threshold) != (field.type == ColumnType::Number))
    return fmt::format("its kind of test does not fit column '{}'", printable(field.name));
  if (node.test() == Test::Threshold && node.ref >= forest.cuts[column].size())
    return fmt::format("it uses threshold {} of column '{}', which has {}", node.ref, printable(field.name),
                       forest.cuts[column].size());
  if (node.test() == Test::Set) return set_flaw(forest, node.ref, field.level.size());
  return {};
}

std::string levels_flaw(const Schema& schema, const Node& node) {
  const Field& field = schema.columns[node.column()];
  if (node.test() == Test::EachLevel && (node.ways() != field.level.size() || node.ways() < 1))
    return fmt::format("it has {} children for the {} levels of column '{}'", node.ways(), field.level.size(),
                       printable(field.name));
  return {};
}

// At least one that asks, then one that does not.
std::string surrogates_flaw(const Schema& schema, const Forest& forest, const Node& node,
                            std::span<const Surrogate> asked) {
  if (node.missing() != kMissingAsks) return "it has surrogates and asks none";
  if (asked.empty()) return "it asks surrogates and has none";
  if (node.test() == Test::Set && schema.columns[node.column()].level.empty()) return "its column has no levels";
  if (asked.size() < 2 || !asked.back().is_last()) return "its surrogates have no end";
  for (std::size_t i = 0; i + 1 < asked.size(); ++i) {
    const Surrogate& s = asked[i];
    if (s.is_last() || s.test() == Test::EachLevel || s.what >> 31 != 0)
      return fmt::format("its surrogate {} is no test", i);
    if (std::string found = test_flaw(schema, forest, s); !found.empty())
      return fmt::format("its surrogate {}: {}", i, found);
    if (s.column() == node.column()) return fmt::format("its surrogate {} asks the same column", i);
    if (!(s.agreement >= 0 && s.agreement <= 1)) return fmt::format("its surrogate {} agrees in no share of rows", i);
  }
  const Surrogate& last = asked.back();
  return last == Surrogate::last(last.ref) && last.ref < 2 ? "" : "its last surrogate names no child";
}

std::string node_flaw(const Schema& schema, const Forest& forest, const Node& node) {
  if (node.is_leaf()) return leaf_flaw(forest, node);
  if (std::string found = test_flaw(schema, forest, node); !found.empty()) return found;
  if (std::string found = levels_flaw(schema, node); !found.empty()) return found;
  if (node.test() == Test::EachLevel && node.what >> 30 > 0) return "its upper bits are not those of a test";
  if (const auto asked = forest.surrogates_of(node); !asked.empty() || node.missing() == kMissingAsks)
    return surrogates_flaw(schema, forest, node, asked);
  if (node.missing() == kMissingEverywhere)
    return forest.covered ? "" : "it spreads missing values by cover, which the model lacks";
  if (node.missing() >= node.ways())
    return fmt::format("it sends missing values to child {} of {}", node.missing(), node.ways());
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
    if (node.is_leaf()) continue;
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

// Of the first tree that has one.
std::string trees_flaw(const Schema& schema, const Forest& forest) {
  constexpr std::size_t kTreesAtOnce = 16;
  std::string found;
  std::size_t of = forest.trees();
  std::mutex telling;
  parallel_for(forest.trees(), kTreesAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<bool> has_parent;
    std::string flaw;
    for (std::size_t t = begin; t < end && flaw.empty(); ++t) {
      flaw = tree_flaw(schema, forest, t, has_parent);
      const std::lock_guard lock(telling);
      if (!flaw.empty() && t < of) found = flaw, of = t;
    }
  });
  return found;
}

// Linear terms belong to one leaf, so that no file makes a row read the same ones over and over.
std::string sharing_flaw(const Forest& forest) {
  if (forest.terms.empty()) return {};
  std::vector<bool> taken(forest.values.size() / forest.width());
  for (const Node& node : forest.nodes) {
    if (!node.is_leaf() || forest.terms_of(node).empty()) continue;
    if (taken[node.ref]) return fmt::format("two leaves share the linear terms of value {}", node.ref);
    taken[node.ref] = true;
  }
  return {};
}

}  // namespace

std::string forest_flaw(const Schema& schema, const Forest& forest) {
  std::string found = cuts_flaw(schema, forest);
  if (found.empty()) found = outputs_flaw(forest);
  if (found.empty()) found = trees_size_flaw(forest);
  if (found.empty()) found = vectors_flaw(forest);
  if (found.empty()) found = numbers_flaw(forest);
  if (found.empty()) found = terms_flaw(schema, forest);
  if (found.empty()) found = surrogates_size_flaw(forest);
  if (found.empty()) found = trees_flaw(schema, forest);
  if (found.empty()) found = sharing_flaw(forest);
  return found;
}

}  // namespace wald
