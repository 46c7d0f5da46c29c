#include <algorithm>
#include <limits>
#include <numeric>

#include "core/check.h"
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
    nodes_.reserve(tree.nodes.size()), gain_.reserve(tree.gain.size() / 2);
    if (width_ == 1) values_.reserve(tree.nodes.size() / 2 + 1);  // numbers differ from leaf to leaf, shares seldom do
  }
  std::span<const LeafTerm> terms(tree.terms);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    nodes_.push_back(node_of(tree, n, terms));
    if (!tree.gain.empty() && tree.nodes[n].test != Test::Leaf) gain_.push_back(narrow(tree.gain[n]));
  }
  WALD_CHECK(terms.empty());
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

Node Assembler::node_of(const Tree& tree, std::size_t n, std::span<const LeafTerm>& terms) {
  const TreeNode& node = tree.nodes[n];
  const bool asks = !tree.surrogates.empty() && !tree.surrogates[n].empty();
  const std::uint32_t missing = asks ? kMissingAsks : node.missing;
  switch (node.test) {
    case Test::Leaf: {
      std::size_t own = 0;
      while (own < terms.size() && terms[own].node == n) ++own;
      const std::uint32_t vector = vector_of(std::span(tree.values).subspan(n * width_, width_), terms.first(own));
      terms = terms.subspan(own);
      return Node::leaf(vector, tree.cover.empty() ? 0 : narrow(tree.cover[n]));
    }
    case Test::EachLevel:
      return Node::each_level(node.column, node.child, node.ref, node.missing);
    case Test::Set:
      return Node::binary(node.test, node.column, node.child, node.ref + static_cast<std::uint32_t>(sets_.size()),
                          missing);
    default: {
      const double cut = tree.threshold[n] == 0 ? 0.0 : tree.threshold[n];  // one zero, not two
      return Node::binary(node.test, node.column, node.child, cuts_[node.column].put({&cut, 1}), missing);
    }
  }
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
  for (const Tree& tree : trees) into.add(tree);
  return std::move(into).finish();
}

}  // namespace wald
