#include <atomic>
#include <limits>
#include <memory>

#include "core/huge.h"
#include "core/parallel.h"
#include "tree/pool.h"
#include "tree/sapling.h"
#include "tree/threshold.h"

namespace wald {
namespace {

// The cuts in use of each column, and the number of each gap among them. No branch depends on what a node is: nobody
// could foresee it.
struct UsedCuts {
  std::vector<std::vector<double>> cuts;
  std::vector<std::uint32_t> first;   // of a column: where its gaps begin
  std::vector<std::uint32_t> number;  // of gap g at [g] from there; one at [0] for nodes that have none

  std::uint32_t& of(const Node& node) {
    return number[(first[node.column()] + node.ref) & all_ones(node, Test::Threshold)];
  }
  static std::uint32_t all_ones(const Node& node, Test test) { return 0u - std::uint32_t{node.test() == test}; }
};

UsedCuts used_cuts(const Binned& x, const std::vector<Sapling>& trees) {
  UsedCuts out{std::vector<std::vector<double>>(x.columns.size()), {}, {1}};
  for (const BinnedColumn& c : x.columns) {
    out.first.push_back(static_cast<std::uint32_t>(out.number.size()));
    out.number.resize(out.number.size() + static_cast<std::size_t>(c.codes));
  }
  out.first.push_back(0);  // a leaf names a column, if there is none
  parallel_for(trees.size(), 1, [&](std::size_t t, std::size_t) {
    for (const Node& node : trees[t].nodes) {
      const std::atomic_ref used(out.of(node));
      if (used.load(std::memory_order_relaxed) == 0) used.store(1, std::memory_order_relaxed);
    }
  });
  for (std::size_t c = 0; c < x.columns.size(); ++c) {
    const BinnedColumn& column = x.columns[c];
    std::uint32_t* const number = out.number.data() + out.first[c];
    for (std::size_t g = 0; g < static_cast<std::size_t>(column.codes); ++g) {
      if (number[g] == 0) continue;
      number[g] = static_cast<std::uint32_t>(out.cuts[c].size());
      out.cuts[c].push_back(g < column.lowest.size() ? threshold_between(column.highest[g - 1], column.lowest[g])
                                                     : std::numeric_limits<double>::infinity());
    }
  }
  return out;
}

// What the trees bring along, one after the other. It is first written by those who fill it, all threads together.
template <class T>
class Joined {
 public:
  template <class Size>
  Joined(const std::vector<Sapling>& trees, Size size) : before_{0} {
    for (const Sapling& tree : trees) before_.push_back(before_.back() + size(tree));
    room_ = std::make_shared<UnsetHugeVector<std::byte>>(before_.back() * sizeof(T));
  }
  const std::vector<std::uint64_t>& before() const { return before_; }
  T* of(std::size_t tree) { return reinterpret_cast<T*>(room_->data()) + before_[tree]; }
  Array<T> take() {
    const T* const first = of(0);
    return {std::span(first, before_.back()), std::move(room_)};
  }

 private:
  std::vector<std::uint64_t> before_;
  std::shared_ptr<UnsetHugeVector<std::byte>> room_;
};

}  // namespace

Forest assemble(std::vector<double> base, const Binned& x, std::vector<Sapling> trees) {
  UsedCuts used = used_cuts(x, trees);
  const std::size_t width = base.size();
  Forest out{
      .outputs = static_cast<int>(width), .base = std::move(base), .cuts = std::move(used.cuts), .covered = true};
  std::vector<std::vector<std::uint32_t>> vector_of(trees.size());  // of a tree's own ones
  Pool pool(width);
  for (std::size_t t = 0; t < trees.size(); ++t)
    for (std::size_t at = 0; at < trees[t].values.size(); at += width)
      vector_of[t].push_back(pool.put(std::span(trees[t].values).subspan(at, width)));
  Joined<Node> nodes(trees, [](const Sapling& tree) { return tree.nodes.size(); });
  Joined<float> gain(trees, [](const Sapling& tree) { return tree.gain.size(); });
  Joined<std::uint64_t> sets(trees, [](const Sapling& tree) { return tree.sets.size(); });
  parallel_for(trees.size(), 1, [&](std::size_t t, std::size_t) {
    Node* to = nodes.of(t);
    const auto before = static_cast<std::uint32_t>(sets.before()[t]);
    for (Node node : trees[t].nodes) {
      const std::uint32_t leaf = used.all_ones(node, Test::Leaf), set = used.all_ones(node, Test::Set);
      node.ref = (vector_of[t][node.ref & leaf] & leaf) | ((node.ref + before) & set) | (used.of(node) & ~leaf & ~set);
      std::construct_at(to++, node);
    }
    std::ranges::uninitialized_copy(trees[t].gain, std::span(gain.of(t), trees[t].gain.size()));
    std::ranges::uninitialized_copy(trees[t].sets, std::span(sets.of(t), trees[t].sets.size()));
    trees[t] = {};
  });
  if (!trees.empty()) out.first = nodes.before();
  out.nodes = nodes.take(), out.gain = gain.take(), out.sets = sets.take(), out.values = pool.take();
  return out;
}

}  // namespace wald
