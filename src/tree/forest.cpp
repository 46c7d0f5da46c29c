#include <algorithm>
#include <limits>
#include <numeric>

#include "core/check.h"
#include "core/parallel.h"
#include "tree/assembler.h"

namespace wald {

std::uint32_t way_of_missing(std::span<const StandIn> surrogates, const Binned& x, Row row, std::uint32_t otherwise) {
  for (const StandIn& s : surrogates)
    if (const int code = x.columns[s.column].at(row); code != 0) return s.child(code);
  return otherwise;
}

std::uint32_t way_of(const Tree& tree, const Binned& x, std::uint32_t at, Row row) {
  const TreeNode& node = tree.nodes[at];
  const int code = x.columns[node.column].at(row), level = code - 1;
  WALD_CHECK(code != 0 || node.missing < node.ways());
  if (code == 0)
    return tree.surrogates.empty() ? node.missing : way_of_missing(tree.surrogates[at], x, row, node.missing);
  if (node.test == Test::Threshold) return static_cast<std::uint32_t>(code) > node.ref;
  if (node.test == Test::Set) return !(tree.sets[node.ref + level / 64] >> (level % 64) & 1);
  return static_cast<std::uint32_t>(level);
}

std::uint32_t child_of(const Tree& tree, const Binned& x, std::uint32_t at, Row row) {
  return tree.nodes[at].child + way_of(tree, x, at, row);
}

std::uint32_t leaf_of(const Tree& tree, const Binned& x, Row row) {
  std::uint32_t at = 0;
  while (tree.nodes[at].test != Test::Leaf) at = child_of(tree, x, at, row);
  return at;
}

// --- assembling -----------------------------------------------------------------------------------------------------

namespace {

// A float holds counts up to 2^24 exactly; beyond its range it says "very much".
float narrow(double x) { return static_cast<float>(std::min<double>(x, std::numeric_limits<float>::max())); }

}  // namespace

Assembler::Assembler(std::vector<double> base, std::size_t columns) : cuts_(columns) {
  WALD_CHECK(columns <= kMostColumns);
  out_.outputs = static_cast<int>(base.size());
  out_.base = std::move(base);
}

void Assembler::add(const Tree& tree) {
  const bool one = tree.output != kAllOutputs;
  if (first_.size() == 1) {
    width_ = one ? 1 : static_cast<std::size_t>(out_.outputs);
    values_ = Pool(width_);
    out_.covered = !tree.cover.empty();
  }
  WALD_CHECK(static_cast<std::size_t>(tree.outputs) == width_ && out_.covered == !tree.cover.empty());
  WALD_CHECK(output_.size() == (one ? first_.size() - 1 : 0));
  if (first_.size() == 1) {
    const std::size_t nodes = std::max(expected_, tree.nodes.size());
    nodes_.reserve(nodes), gain_.reserve(tree.gain.empty() ? 0 : nodes / 2);
    if (width_ == 1) values_.reserve(nodes / 2 + 1);  // numbers differ from leaf to leaf, shares seldom do
  }
  std::vector<std::uint32_t> vectors;  // of the leaves, in their order
  const std::size_t first = nodes_.size();
  nodes_.resize(first + tree.nodes.size());
  constexpr std::size_t kAlone = 1024;  // nodes that one thread deals with
  parallel_for(2, tree.nodes.size() <= kAlone ? 2 : 1, [&](std::size_t begin, std::size_t end) {
    if (begin == 0) vectors = add_vectors(tree);
    if (end == 2) add_nodes(tree, nodes_.data() + first);
  });
  auto vector = vectors.cbegin();
  for (Node& node : std::span(nodes_).subspan(first))
    if (node.is_leaf()) node.ref = *vector++;
  sets_.insert(sets_.end(), tree.sets.begin(), tree.sets.end());
  add_surrogates(tree);
  if (one) output_.push_back(tree.output);
  first_.push_back(nodes_.size());
}

void Assembler::add_surrogates(const Tree& tree) {
  WALD_CHECK(tree.surrogates.empty() || tree.surrogates.size() == tree.nodes.size());
  WALD_CHECK(first_.size() == 1 || tree.surrogates.empty() == (surrogate_first_.size() == 1));
  for (std::size_t n = 0; n < tree.surrogates.size(); ++n) {
    for (const StandIn& s : tree.surrogates[n]) {
      const double cut = s.threshold == 0 ? 0.0 : s.threshold;  // one zero, not two
      const std::uint32_t ref =
          s.set.empty() ? cuts_[s.column].put({&cut, 1}) : static_cast<std::uint32_t>(sets_.size());
      sets_.insert(sets_.end(), s.set.begin(), s.set.end());
      surrogates_.push_back(Surrogate::asks(s.set.empty() ? Test::Threshold : Test::Set, s.column, ref, s.turned,
                                            static_cast<float>(s.agreement)));
    }
    if (!tree.surrogates[n].empty()) surrogates_.push_back(Surrogate::last(tree.nodes[n].missing));
    surrogate_first_.push_back(surrogates_.size());
  }
}

std::vector<std::uint32_t> Assembler::add_vectors(const Tree& tree) {
  std::vector<std::uint32_t> out;
  out.reserve(tree.nodes.size() / 2 + 1);
  std::span<const LeafTerm> terms(tree.terms);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    if (tree.nodes[n].test != Test::Leaf) continue;
    std::size_t own = 0;
    while (own < terms.size() && terms[own].node == n) ++own;
    out.push_back(vector_of(std::span(tree.values).subspan(n * width_, width_), terms.first(own)));
    terms = terms.subspan(own);
  }
  WALD_CHECK(terms.empty());
  return out;
}

void Assembler::add_nodes(const Tree& tree, Node* to) {
  Pool* const cuts = cuts_.data();  // copies: where these lie, the other thread writes
  const auto sets = static_cast<std::uint32_t>(sets_.size());
  std::vector<float> gain = std::move(gain_);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const TreeNode& node = tree.nodes[n];
    if (node.test == Test::Leaf) {
      to[n] = Node::leaf(0, tree.cover.empty() ? 0 : narrow(tree.cover[n]));
      continue;
    }
    if (!tree.gain.empty()) gain.push_back(narrow(tree.gain[n]));
    if (node.test == Test::EachLevel) {
      to[n] = Node::each_level(node.column, node.child, node.ref, node.missing);
      continue;
    }
    const bool asks = !tree.surrogates.empty() && !tree.surrogates[n].empty();
    const double cut = tree.threshold[n] == 0 ? 0.0 : tree.threshold[n];  // one zero, not two
    const std::uint32_t ref = node.test == Test::Set ? node.ref + sets : cuts[node.column].put({&cut, 1});
    to[n] = Node::binary(node.test, node.column, node.child, ref, asks ? kMissingAsks : node.missing);
  }
  gain_ = std::move(gain);
}

std::uint32_t Assembler::vector_of(std::span<const double> values, std::span<const LeafTerm> terms) {
  const std::uint32_t vector = terms.empty() ? values_.put(values) : values_.append(values);
  for (const LeafTerm& leaf : terms) terms_.push_back(leaf.term);
  if (term_first_.size() < values_.size() + 1) term_first_.push_back(terms_.size());
  return vector;
}

// The nodes know their thresholds by order of appearance; here they learn their places in ascending order.
void Assembler::sort_cuts() {
  std::vector<std::vector<std::uint32_t>> place(cuts_.size());
  for (std::size_t c = 0; c < cuts_.size(); ++c) {
    const std::vector<double>& cuts = cuts_[c].values();
    std::vector<std::uint32_t> order(cuts.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return cuts[i]; });
    place[c].resize(cuts.size());
    out_.cuts.emplace_back();
    for (std::uint32_t k = 0; k < order.size(); ++k) {
      place[c][order[k]] = k;
      out_.cuts.back().push_back(cuts[order[k]]);
    }
  }
  for (Node& node : nodes_)
    if (node.test() == Test::Threshold) node.ref = place[node.column()][node.ref];
  for (Surrogate& s : surrogates_)
    if (s.test() == Test::Threshold) s.ref = place[s.column()][s.ref];
}

Forest Assembler::finish() && {
  sort_cuts();
  if (first_.size() > 1) out_.first = std::move(first_);
  out_.nodes = std::move(nodes_), out_.gain = std::move(gain_), out_.sets = std::move(sets_);
  out_.output = std::move(output_);
  out_.values = values_.take();
  if (!terms_.empty()) out_.term_first = std::move(term_first_), out_.terms = std::move(terms_);
  if (!surrogates_.empty())
    out_.surrogate_first = std::move(surrogate_first_), out_.surrogates = std::move(surrogates_);
  return std::move(out_);
}

Forest assemble(std::vector<double> base, std::size_t columns, std::span<const Tree> trees) {
  Assembler into(std::move(base), columns);
  std::size_t nodes = 0;
  for (const Tree& tree : trees) nodes += tree.nodes.size();
  into.expect(nodes);
  for (const Tree& tree : trees) into.add(tree);
  return std::move(into).finish();
}

}  // namespace wald
