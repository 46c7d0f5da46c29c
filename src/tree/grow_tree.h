// The loop over open nodes, for grow_*.cpp to instantiate, a file for each kind of target.
#pragma once
#include <atomic>
#include <mutex>

#include "core/check.h"
#include "tree/grow.h"
#include "tree/grower.h"

namespace wald {
namespace growing {

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
inline bool before(const Open& a, const Open& b, Order order) {
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

// Numbers the nodes of trunk and subtrees level by level.
Tree number(const Binned& x, const Grown& trunk, const std::vector<Open>& aside, const std::vector<Grown>& subtrees,
            std::vector<Range>& range);

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

}  // namespace growing

template <Criterion C>
Tree grow(const Binned& x, GrowSpace& work, const C& criterion, const GrowOptions& how, const Run& run) {
  WALD_CHECK(!work.rows.empty());
  const std::size_t rows = work.rows.size();
  const Layout layout(x);
  work.spare.resize(rows);
  if (!work.scratch) work.scratch = std::make_unique<GrowScratch>();
  work.scratch->thread.resize(static_cast<std::size_t>(thread_count()));
  for (Scratch& s : work.scratch->thread) s.fit(layout, x, static_cast<std::size_t>(criterion.width()));
  growing::Open root{.last = rows, .total = growing::total_of(criterion, work.rows)};
  root.groups = growing::Meeting(how.together, x.columns.size()).everywhere();
  const double all = criterion.weight(root.total);
  growing::Settled settled(run, rows);
  growing::Grower<C> trunk(x, layout, work, criterion, how, run.seed, all, Team::All);
  trunk.add_node(root);
  if (how.max_leaves > 0) {
    growing::grow_ranked(trunk, std::move(root), how, run, settled);
    return growing::number(x, trunk.grown(), {}, {}, work.range);
  }
  // Few enough that the histograms of all subtrees to be grown can be kept, many enough to keep all threads busy.
  const std::size_t small = std::max(growing::kSmall, rows / (8 * work.scratch->thread.size()));
  std::vector<growing::Open> aside;
  growing::grow_all(trunk, std::move(root), run, settled, [&](growing::Open& node) {
    if (node.rows() > small) return false;
    if (!trunk.may_keep(aside.size())) trunk.forget(node);
    aside.push_back(std::move(node));
    return true;
  });
  std::vector<growing::Grown> subtrees(aside.size());
  parallel_for(aside.size(), 1, [&](std::size_t i, std::size_t) {
    growing::Grower<C> grower(x, layout, work, criterion, how, run.seed, all, Team::One);
    growing::Open sub = std::move(aside[i]);
    aside[i].node = std::exchange(sub.node, grower.add_node(sub));
    growing::grow_all(grower, std::move(sub), run, settled, [](const growing::Open&) { return false; });
    subtrees[i] = grower.take();
  });
  return growing::number(x, trunk.grown(), aside, subtrees, work.range);
}

template <Criterion C>
Tree grow(const Binned& x, std::vector<Row> rows, const C& criterion, const GrowOptions& how, const Run& run) {
  GrowSpace work;
  work.rows = std::move(rows);
  return grow(x, work, criterion, how, run);
}

}  // namespace wald
