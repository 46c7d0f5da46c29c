#include "tree/grow.h"

#include <atomic>
#include <deque>
#include <mutex>

#include "core/check.h"
#include "tree/grower.h"
#include "tree/newton.h"

namespace wald {
namespace {

using growing::Grower, growing::Open, growing::Team;

// Rows whose leaf is known, told to whoever watches.
class Settled {
 public:
  Settled(const Run& run, std::uint64_t total) : run_(run), total_(total), step_(total / 500 + 1) {}
  void add(std::uint64_t rows) {
    if (!run_.progress) return;
    const std::uint64_t now = done_ += rows;
    if (now / step_ == (now - rows) / step_ && now != total_) return;
    const std::lock_guard lock(mutex_);
    run_.progress({.stage = "growing", .done = now, .total = total_});
  }

 private:
  const Run& run_;
  std::uint64_t total_, step_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
};

// Which open node is split first.
bool before(const Open& a, const Open& b, Order order) {
  if (order == Order::Level && a.depth != b.depth) return a.depth < b.depth;
  if (order == Order::Best && a.split->gain != b.split->gain) return a.split->gain > b.split->gain;
  return order == Order::Depth ? a.first < b.first : a.node < b.node;
}

// Splits open nodes one at a time, by rank, until the leaves are used up.
template <Criterion C>
void grow_ranked(Grower<C>& grower, Open root, const GrowOptions& how, const Run& run, std::vector<Scratch>& scratch,
                 Settled& settled) {
  std::vector<Open> open;
  const auto push = [&](Open node) {
    grower.look(node, scratch);
    if (!node.split) return settled.add(node.rows());
    if (!grower.may_keep(open.size())) node.histogram = {};
    open.push_back(std::move(node));
    std::ranges::push_heap(open, [&](const Open& a, const Open& b) { return before(b, a, how.order); });
  };
  push(std::move(root));
  for (std::int64_t leaves = 1; !open.empty() && leaves < how.max_leaves && !run.stopped(); ++leaves) {
    std::ranges::pop_heap(open, [&](const Open& a, const Open& b) { return before(b, a, how.order); });
    Open node = std::move(open.back());
    open.pop_back();
    auto [left, right] = grower.divide(node);
    push(std::move(left));
    push(std::move(right));
  }
}

// Grows everything below `root`, except that nodes for which `aside` holds are set aside.
template <Criterion C, class Aside>
void grow_all(Grower<C>& grower, Open root, const Run& run, std::vector<Scratch>& scratch, Settled& settled,
              Aside aside) {
  std::vector<Open> open;
  open.push_back(std::move(root));
  while (!open.empty() && !run.stopped()) {
    Open node = std::move(open.back());
    open.pop_back();
    if (aside(node)) continue;
    grower.look(node, scratch);
    if (!node.split) {
      settled.add(node.rows());
      continue;
    }
    auto [left, right] = grower.divide(node);
    if (!grower.may_keep(open.size())) right.histogram = {};
    open.push_back(std::move(right));
    open.push_back(std::move(left));
  }
}

// Where a grown node lies: in the trunk, or in the subtree grown in its place.
struct Place {
  const Tree* tree;
  std::uint32_t node;
};

// Numbers the nodes of trunk and subtrees level by level.
Tree number(const Binned& x, const Tree& trunk, const std::vector<Open>& aside, const std::vector<Tree>& subtrees) {
  std::vector<const Tree*> instead(trunk.nodes.size(), nullptr);
  for (std::size_t i = 0; i < aside.size(); ++i) instead[aside[i].node] = &subtrees[i];
  const auto find = [&](const Tree* tree, std::uint32_t node) -> Place {
    return tree == &trunk && instead[node] != nullptr ? Place{instead[node], 0} : Place{tree, node};
  };
  Tree out{.outputs = trunk.outputs};
  const auto outputs = static_cast<std::size_t>(trunk.outputs);
  std::deque<Place> queue{find(&trunk, 0)};
  for (std::uint32_t made = 1; !queue.empty(); queue.pop_front()) {
    const auto [tree, n] = queue.front();
    Node node = tree->nodes[n];
    for (std::uint32_t k = 0; k < node.ways(); ++k) queue.push_back(find(tree, node.child + k));
    if (node.test != Test::Leaf) node.child = std::exchange(made, made + node.ways());
    if (node.test == Test::Set) {
      const auto from = tree->sets.begin() + std::exchange(node.ref, static_cast<std::uint32_t>(out.sets.size()));
      out.sets.insert(out.sets.end(), from, from + (x.columns[node.column].codes - 1 + 63) / 64);
    }
    out.nodes.push_back(node);
    out.threshold.push_back(tree->threshold[n]);
    out.cover.push_back(tree->cover[n]);
    out.gain.push_back(tree->gain[n]);
    out.values.insert(out.values.end(), tree->values.begin() + static_cast<std::ptrdiff_t>(n * outputs),
                      tree->values.begin() + static_cast<std::ptrdiff_t>((n + 1) * outputs));
  }
  return out;
}

}  // namespace

template <Criterion C>
Tree grow(const Binned& x, std::vector<Row> rows, const C& criterion, const GrowOptions& how, const Run& run) {
  WALD_CHECK(!rows.empty());
  std::vector<Row> spare(rows.size());
  std::vector<std::int64_t> total(static_cast<std::size_t>(criterion.width()));
  for (const Row r : rows) criterion.add(criterion.part(r), total.data());
  const double all = criterion.weight(total);
  Settled settled(run, rows.size());
  Grower<C> trunk(x, rows, spare, criterion, how, run.seed, all, Team::All);
  std::vector<Scratch> scratch(static_cast<std::size_t>(thread_count()));
  for (Scratch& s : scratch) s = trunk.new_scratch();
  Open root{.node = trunk.add_node(total), .last = rows.size(), .total = std::move(total)};
  if (how.max_leaves > 0) {
    grow_ranked(trunk, std::move(root), how, run, scratch, settled);
    return number(x, trunk.tree(), {}, {});
  }
  std::vector<Open> aside;
  grow_all(trunk, std::move(root), run, scratch, settled, [&](Open& node) {
    const bool small = node.rows() <= growing::kSmall;
    if (small) node.histogram = {}, aside.push_back(std::move(node));
    return small;
  });
  std::vector<Tree> subtrees(aside.size());
  parallel_for(aside.size(), 1, [&](std::size_t i, std::size_t) {
    std::vector<Scratch> mine;
    mine.push_back(std::move(scratch[static_cast<std::size_t>(thread_index())]));
    Grower<C> grower(x, rows, spare, criterion, how, run.seed, all, Team::One);
    Open sub = std::move(aside[i]);
    aside[i].node = std::exchange(sub.node, grower.add_node(sub.total));
    grow_all(grower, std::move(sub), run, mine, settled, [](const Open&) { return false; });
    subtrees[i] = grower.take();
    scratch[static_cast<std::size_t>(thread_index())] = std::move(mine[0]);
  });
  return number(x, trunk.tree(), aside, subtrees);
}

template Tree grow(const Binned&, std::vector<Row>, const Gini&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const Entropy&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const Minority&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const SqrtGini&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const Variance&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const Newton&, const GrowOptions&, const Run&);

}  // namespace wald
