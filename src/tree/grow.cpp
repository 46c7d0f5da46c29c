#include "tree/grow.h"

#include "core/check.h"
#include "tree/grow_tree.h"

namespace wald {

GrowSpace::GrowSpace() = default;
GrowSpace::~GrowSpace() = default;

namespace growing {
namespace {

std::uint32_t set_words(const Binned& x, const TreeNode& node) {
  return node.test == Test::Set ? static_cast<std::uint32_t>(x.columns[node.column].codes - 1 + 63) / 64 : 0;
}

// Nodes that are neighbours in a level: of a subtree all, of the trunk one.
struct Stretch {
  const Grown* grown = nullptr;
  std::span<const std::uint32_t> nodes;
  std::uint32_t number = 0, child = 0, set = 0;  // of the first node; of the first child; of the first set

  void write(const Binned& x, Tree& out, std::vector<Range>* range) const {
    const auto outputs = static_cast<std::size_t>(out.outputs);
    std::uint32_t at = number, next = child, word = set;
    for (const std::uint32_t n : nodes) {
      const Grown::Node& from = grown->nodes[n];
      TreeNode& node = out.nodes[at] = from.node;
      if (node.test != Test::Leaf) node.child = std::exchange(next, next + node.ways());
      if (node.test == Test::Set) {
        const std::uint32_t words = set_words(x, node);
        std::copy_n(grown->sets.data() + node.ref, words, out.sets.data() + word);
        node.ref = std::exchange(word, word + words);
      }
      out.threshold[at] = from.threshold, out.cover[at] = from.cover, out.gain[at] = from.gain;
      for (std::size_t k = 0; k < outputs; ++k) out.values[at * outputs + k] = grown->values[n * outputs + k];
      if (!out.surrogates.empty()) out.surrogates[at] = grown->surrogates[n];
      if (range != nullptr) (*range)[at] = {from.first, from.last};
      ++at;
    }
  }
};

// The stretches of a tree in the order of their numbers. In each level, those of the next lie below: a level of a
// subtree below the one before it.
class Stretches {
 public:
  Stretches(const Binned& x, const Grown& trunk, std::span<const Subtree> subtrees)
      : x_(x), trunk_(trunk), instead_(trunk.nodes.size()) {
    for (const Subtree& s : subtrees) instead_[s.instead] = &s;
    own_.reserve(trunk.nodes.size());
    std::size_t most = trunk.nodes.size();
    for (const Subtree& s : subtrees) most += s.level.size();
    all.reserve(most);
    std::vector<Begun> level, below;
    level.reserve(subtrees.size() + 1), below.reserve(subtrees.size() + 1);
    put(0, level);
    nodes = 1;
    for (; !level.empty(); level.swap(below), below.clear())
      for (const Begun& begun : level) add(begun, below);
  }
  std::vector<Stretch> all;
  std::uint32_t nodes = 0, words = 0;

 private:
  struct Begun {
    const Subtree* subtree = nullptr;  // nullptr: a node of the trunk
    std::uint32_t at = 0;              // its level; or the node
  };
  void put(std::uint32_t node, std::vector<Begun>& into) const {
    into.push_back(instead_[node] != nullptr ? Begun{instead_[node], 0} : Begun{nullptr, node});
  }
  void add(const Begun& begun, std::vector<Begun>& below) {
    Stretch made{.number = numbered_, .child = nodes, .set = words};
    if (const Subtree* s = begun.subtree; s != nullptr) {
      const auto [first, word] = s->level[begun.at];
      const auto [end, last_word] = s->level[begun.at + 1];
      made.grown = s->grown, made.nodes = std::span(s->nodes).subspan(first, end - first);
      words += last_word - word;
      if (begun.at + 2 < s->level.size())
        below.push_back({s, begun.at + 1}), nodes += s->level[begun.at + 2].nodes - end;
    } else {
      own_.push_back(begun.at);
      made.grown = &trunk_, made.nodes = std::span(own_).last(1);
      const TreeNode& node = trunk_.nodes[begun.at].node;
      words += set_words(x_, node), nodes += node.ways();
      for (std::uint32_t k = 0; k < node.ways(); ++k) put(node.child + k, below);
    }
    numbered_ += static_cast<std::uint32_t>(made.nodes.size());
    all.push_back(made);
  }

  const Binned& x_;
  const Grown& trunk_;
  std::vector<const Subtree*> instead_;  // of each node of the trunk
  std::vector<std::uint32_t> own_;       // the trunk's, one a stretch
  std::uint32_t numbered_ = 0;
};

}  // namespace

std::size_t checked_rows(const GrowSpace& work) {
  WALD_CHECK(!work.rows.empty());
  return work.rows.size();
}

Subtree::Subtree(const Binned& x, std::uint32_t of_trunk, const Grown& by, std::uint32_t root)
    : instead(of_trunk), grown(&by) {
  constexpr std::size_t kLevels = 32;  // of most trees
  nodes.reserve(by.nodes.size() - root), level.reserve(kLevels);
  nodes.push_back(root), level.emplace_back();
  std::uint32_t words = 0;
  for (std::size_t at = 0, end = 1; at < end; end = nodes.size()) {
    for (; at < end; ++at) {
      const TreeNode& node = by.nodes[nodes[at]].node;
      words += set_words(x, node);
      for (std::uint32_t k = 0; k < node.ways(); ++k) nodes.push_back(node.child + k);
    }
    level.push_back({static_cast<std::uint32_t>(end), words});
  }
}

Tree number(const Binned& x, const Grown& trunk, std::span<const Subtree> subtrees, std::vector<Range>* range) {
  const Stretches stretches(x, trunk, subtrees);
  const std::size_t nodes = stretches.nodes;
  Tree out{.outputs = trunk.outputs};
  out.nodes.resize(nodes), out.threshold.resize(nodes), out.cover.resize(nodes), out.gain.resize(nodes);
  out.values.resize(nodes * static_cast<std::size_t>(out.outputs)), out.sets.resize(stretches.words);
  if (!trunk.surrogates.empty()) out.surrogates.resize(nodes);
  if (range != nullptr) range->resize(nodes);
  std::vector<const Grown*> by;  // whoever has grown some of it: the nodes lie in the cache of its thread
  for (const Stretch& s : stretches.all)
    if (std::ranges::find(by, s.grown) == by.end()) by.push_back(s.grown);
  parallel_for(by.size(), 1, [&](std::size_t i, std::size_t) {
    for (const Stretch& s : stretches.all)
      if (s.grown == by[i]) s.write(x, out, range);
  });
  return out;
}

}  // namespace growing
}  // namespace wald
