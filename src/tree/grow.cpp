#include "tree/grow.h"

#include <atomic>
#include <mutex>

#include "core/check.h"
#include "tree/chi_square.h"
#include "tree/deviation.h"
#include "tree/grower.h"
#include "tree/many_targets.h"
#include "tree/newton.h"

namespace wald {
namespace {

using growing::Grower, growing::Grown, growing::Open;

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
void grow_ranked(Grower<C>& grower, Open root, const GrowOptions& how, const Run& run, Settled& settled) {
  std::vector<Open> open;
  const auto push = [&](Open node) {
    grower.look(node);
    if (!node.split) return settled.add(node.rows());
    if (!grower.may_keep(open.size())) grower.forget(node);
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
void grow_all(Grower<C>& grower, Open root, const Run& run, Settled& settled, Aside aside) {
  std::vector<Open> open;
  open.push_back(std::move(root));
  while (!open.empty() && !run.stopped()) {
    Open node = std::move(open.back());
    open.pop_back();
    if (aside(node)) continue;
    grower.look(node);
    if (!node.split) {
      settled.add(node.rows());
      continue;
    }
    auto [left, right] = grower.divide(node);
    if (!grower.may_keep(open.size())) grower.forget(right);
    open.push_back(std::move(right));
    open.push_back(std::move(left));
  }
}

// Where a grown node lies: in the trunk, or in the subtree grown in its place.
struct Place {
  const Grown* grown;
  std::uint32_t node;
};

// Numbers the nodes of trunk and subtrees level by level.
Tree number(const Binned& x, const Grown& trunk, const std::vector<Open>& aside, const std::vector<Grown>& subtrees,
            std::vector<Range>& range) {
  std::vector<const Grown*> instead(trunk.tree.nodes.size(), nullptr);
  for (std::size_t i = 0; i < aside.size(); ++i) instead[aside[i].node] = &subtrees[i];
  const auto find = [&](const Grown* grown, std::uint32_t node) -> Place {
    return grown == &trunk && instead[node] != nullptr ? Place{instead[node], 0} : Place{grown, node};
  };
  Tree out{.outputs = trunk.tree.outputs};
  range.clear();
  const auto outputs = static_cast<std::size_t>(out.outputs);
  std::vector<Place> queue{find(&trunk, 0)};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const auto [grown, n] = queue[at];
    const Tree& tree = grown->tree;
    TreeNode node = tree.nodes[n];
    const auto made = static_cast<std::uint32_t>(queue.size());
    for (std::uint32_t k = 0; k < node.ways(); ++k) queue.push_back(find(grown, node.child + k));
    if (node.test != Test::Leaf) node.child = made;
    if (node.test == Test::Set) {
      const auto from = tree.sets.begin() + std::exchange(node.ref, static_cast<std::uint32_t>(out.sets.size()));
      out.sets.insert(out.sets.end(), from, from + (x.columns[node.column].codes - 1 + 63) / 64);
    }
    out.nodes.push_back(node);
    out.threshold.push_back(tree.threshold[n]);
    out.cover.push_back(tree.cover[n]);
    out.gain.push_back(tree.gain[n]);
    out.values.insert(out.values.end(), tree.values.begin() + static_cast<std::ptrdiff_t>(n * outputs),
                      tree.values.begin() + static_cast<std::ptrdiff_t>((n + 1) * outputs));
    range.push_back(grown->range[n]);
  }
  return out;
}

template <Criterion C>
std::vector<std::int64_t> total_of(const C& criterion, std::span<const Row> rows) {
  std::vector<std::int64_t> total(static_cast<std::size_t>(criterion.width()));
  std::mutex adding;
  parallel_for(rows.size(), 1u << 16, [&](std::size_t begin, std::size_t end) {
    std::vector<std::int64_t> some(total.size());
    for (std::size_t i = begin; i < end; ++i) criterion.add(criterion.part(rows[i]), some.data());
    const std::lock_guard lock(adding);
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += some[k];
  });
  return total;
}

}  // namespace

template <Criterion C>
Tree grow(const Binned& x, GrowSpace& work, const C& criterion, const GrowOptions& how, const Run& run) {
  WALD_CHECK(!work.rows.empty());
  const std::size_t rows = work.rows.size();
  const Layout layout(x);
  work.spare.resize(rows);
  work.scratch.resize(static_cast<std::size_t>(thread_count()));
  for (Scratch& s : work.scratch) s.fit(layout, x, static_cast<std::size_t>(criterion.width()));
  Open root{.last = rows, .total = total_of(criterion, work.rows)};
  root.groups = growing::Meeting(how.together, x.columns.size()).everywhere();
  const double all = criterion.weight(root.total);
  Settled settled(run, rows);
  Grower<C> trunk(x, layout, work, criterion, how, run.seed, all, Team::All);
  trunk.add_node(root);
  if (how.max_leaves > 0) {
    grow_ranked(trunk, std::move(root), how, run, settled);
    return number(x, trunk.grown(), {}, {}, work.range);
  }
  // Few enough that the histograms of all subtrees to be grown can be kept, many enough to keep all threads busy.
  const std::size_t small = std::max(growing::kSmall, rows / (8 * work.scratch.size()));
  std::vector<Open> aside;
  grow_all(trunk, std::move(root), run, settled, [&](Open& node) {
    if (node.rows() > small) return false;
    if (!trunk.may_keep(aside.size())) trunk.forget(node);
    aside.push_back(std::move(node));
    return true;
  });
  std::vector<Grown> subtrees(aside.size());
  parallel_for(aside.size(), 1, [&](std::size_t i, std::size_t) {
    Grower<C> grower(x, layout, work, criterion, how, run.seed, all, Team::One);
    Open sub = std::move(aside[i]);
    aside[i].node = std::exchange(sub.node, grower.add_node(sub));
    grow_all(grower, std::move(sub), run, settled, [](const Open&) { return false; });
    subtrees[i] = grower.take();
  });
  return number(x, trunk.grown(), aside, subtrees, work.range);
}

template <Criterion C>
Tree grow(const Binned& x, std::vector<Row> rows, const C& criterion, const GrowOptions& how, const Run& run) {
  GrowSpace work;
  work.rows = std::move(rows);
  return grow(x, work, criterion, how, run);
}

template Tree grow(const Binned&, std::vector<Row>, const Gini&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const Entropy&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const Minority&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const SqrtGini&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const Variance&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const ChiSquare&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const Deviation&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const ManyTargets&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const Newton&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, GrowSpace&, const Newton&, const GrowOptions&, const Run&);

}  // namespace wald
