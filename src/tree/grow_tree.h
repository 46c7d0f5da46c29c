// The loop over open nodes, for grow_*.cpp to instantiate, a file for each kind of target.
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

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

// A subtree that stands in the place of a node of the trunk. Whoever has grown it lists its nodes, while they are at
// hand.
struct Subtree {
  std::uint32_t instead = 0;
  const Grown* grown = nullptr;
  struct Before {
    std::uint32_t nodes = 0, set_words = 0;
  };
  std::vector<std::uint32_t> nodes;  // level by level, each from left to right
  std::vector<Before> level;         // of the nodes before each level, and of all

  Subtree() = default;
  Subtree(const Binned&, std::uint32_t of_trunk, const Grown&, std::uint32_t root);
};

// Grows everything below `root`, from left to right, except that nodes for which `aside` holds are set aside.
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
    grower.write(node, left, right);
    if (!grower.may_keep(open.size())) grower.forget(right);
    open.push_back(std::move(right));
    open.push_back(std::move(left));
  }
}

template <Criterion C>
class Alone {
 public:
  // `few` and `copies` are taken over from tree to tree.
  Alone(const Grower<C>& trunk, std::unique_ptr<Few>& few, std::unique_ptr<Gathered>& copies, const Run& run,
        Settled& settled)
      : grower_(trunk, Team::One), few_(few), copies_(copies), run_(run), settled_(settled) {
    few_ = grower_.few(std::move(few_));
  }
  void reserve(std::size_t rows) { grower_.reserve(rows); }

  Subtree grow(Open root) {
    const std::uint32_t top = grower_.add_node(root), instead = std::exchange(root.node, top);
    grow_all(grower_, std::move(root), run_, settled_, [&](Open& node) { return grow_few(node) || gather(node); });
    return Subtree(grower_.table(), instead, grower_.grown(), top);
  }

 private:
  // A node of so few rows that there is a faster way.
  bool grow_few(Open& node) {
    if (!few_ || !few_->grows(node.rows(), node.depth)) return false;
    grower_.grow_few(node, *few_);
    settled_.add(node.rows());
    return true;
  }
  // What lies below is grown from copies of the node's rows.
  bool gather(Open& node) {
    if constexpr (GathersRows<C>) {
      if (!grower_.may_gather(node)) return false;
      if (!copies_) copies_ = std::make_unique<Gathered>(grower_.table());
      const C criterion = grower_.gather(node, *copies_);
      const std::size_t first = std::exchange(node.first, 0), rows = node.last -= first;
      Grower<C> inner(grower_, *copies_, criterion, first);
      grow_all(inner, std::move(node), run_, settled_, [&](Open& below) {
        if (!few_ || !few_->grows(below.rows(), below.depth)) return false;
        copies_->put_back(below.last);
        below.first += first, below.last += first;
        return grow_few(below);
      });
      copies_->put_back(rows);
      return true;
    } else {
      return false;
    }
  }

  Grower<C> grower_;
  std::unique_ptr<Few>& few_;
  std::unique_ptr<Gathered>& copies_;
  const Run& run_;
  Settled& settled_;
};

// Which open node is split first.
inline bool before(const Open& a, const Open& b, Order order) {
  if (order == Order::Level && a.depth != b.depth) return a.depth < b.depth;
  if (order == Order::Best && a.split->gain != b.split->gain) return a.split->gain > b.split->gain;
  return order == Order::Depth ? a.first < b.first : a.node < b.node;
}

// Grows by rank until the leaves are used up. Of the open nodes, a few that come next are divided together by all
// threads before it is their turn; one whose turn never comes stays a leaf, as if nothing had been done.
template <Criterion C>
class Ranked {
 public:
  Ranked(Grower<C>& trunk, const GrowOptions& how, const Run& run, Settled& settled)
      : trunk_(trunk), how_(how), run_(run), settled_(settled), alone_(static_cast<std::size_t>(thread_count())) {}

  void grow(Open root) {
    trunk_.look(root);
    push(std::move(root));
    for (std::int64_t leaves = 1; !open_.empty() && leaves < how_.max_leaves && !run_.stopped(); ++leaves) {
      const std::unique_ptr<Node> next = pop();
      if (!next->children) divide_ahead(*next, std::min<std::int64_t>(kAhead, how_.max_leaves - leaves));
      auto& [left, right] = *next->children;
      trunk_.write(next->open, left, right);
      push(std::move(left));
      push(std::move(right));
    }
  }

 private:
  static constexpr std::size_t kShared = 1u << 13;  // fewer rows are not worth sharing
  static constexpr std::int64_t kAhead = 8;  // the same for any number of threads, because it decides the rows' order
  struct Node {
    Open open;
    std::optional<std::pair<Open, Open>> children;
  };
  using Nodes = std::vector<std::unique_ptr<Node>>;

  bool later(const std::unique_ptr<Node>& a, const std::unique_ptr<Node>& b) const {
    return before(b->open, a->open, how_.order);
  }
  void push(Open open) {
    if (!open.split) return settled_.add(open.rows());
    if (!trunk_.may_keep(open_.size())) trunk_.forget(open);
    put(std::make_unique<Node>(std::move(open)));
  }
  void put(std::unique_ptr<Node> node) {
    open_.push_back(std::move(node));
    std::ranges::push_heap(open_, [&](const auto& a, const auto& b) { return later(a, b); });
  }
  std::unique_ptr<Node> pop() {
    std::ranges::pop_heap(open_, [&](const auto& a, const auto& b) { return later(a, b); });
    std::unique_ptr<Node> out = std::move(open_.back());
    open_.pop_back();
    return out;
  }

  void divide_ahead(Node& next, std::int64_t count) {
    Nodes following;
    while (static_cast<std::int64_t>(following.size()) + 1 < count && !open_.empty()) following.push_back(pop());
    std::vector<Node*> waiting{&next};
    for (const auto& node : following)
      if (!node->children) waiting.push_back(node.get());
    divide(waiting);
    for (auto& node : following) put(std::move(node));
  }
  // The largest by all threads together, as long as one thread would still be at it when the others were done with the
  // rest; then a node each.
  void divide(std::vector<Node*>& nodes) {
    const auto rows_of = [](const Node* node) { return node->open.rows(); };
    std::ranges::stable_sort(nodes, std::greater{}, rows_of);
    std::size_t rest = 0, done = 0;
    for (const Node* node : nodes) rest += rows_of(node);
    while (done < nodes.size() && rows_of(nodes[done]) > std::max(kShared, rest / alone_.size()))
      rest -= rows_of(nodes[done]), divide(trunk_, *nodes[done++]);
    std::atomic<std::size_t> following = done;
    parallel_for(std::min(nodes.size() - done, alone_.size()), 1, [&](std::size_t, std::size_t) {
      std::unique_ptr<Grower<C>>& own = alone_[static_cast<std::size_t>(thread_index())];
      if (!own) own = std::make_unique<Grower<C>>(trunk_, Team::One);
      for (std::size_t i; (i = following++) < nodes.size();) divide(*own, *nodes[i]);
    });
  }
  void divide(Grower<C>& grower, Node& node) {
    node.children = grower.divide(node.open);
    grower.look(node.children->first);
    grower.look(node.children->second);
  }

  Grower<C>& trunk_;
  const GrowOptions& how_;
  const Run& run_;
  Settled& settled_;
  std::vector<std::unique_ptr<Grower<C>>> alone_;  // one a thread that has had work
  Nodes open_;                                     // a heap
};

// grow(i) for each subtree, by all threads. A thread that is done takes the next: the largest first, so that none waits
// long for the last.
template <class Grow>
void largest_first(const std::vector<Open>& subtrees, Grow grow) {
  std::vector<std::size_t> order(subtrees.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return subtrees[i].rows(); });
  std::atomic<std::size_t> next{0};
  parallel_for(std::min(order.size(), static_cast<std::size_t>(thread_count())), 1, [&](std::size_t, std::size_t) {
    for (std::size_t i; (i = next++) < order.size();) grow(order[i]);
  });
}

std::size_t checked_rows(const GrowSpace&);  // how many; none is a mistake of the caller

// Numbers the nodes of trunk and subtrees level by level. range: nullptr = nobody asks.
Tree number(const Binned& x, const Grown& trunk, std::span<const Subtree> subtrees, std::vector<Range>* range);

// Sums of nothing. Where it is known beforehand how many there are, they stay in registers while rows are added.
template <Criterion C>
auto no_sums(const C& criterion) {
  if constexpr (requires { std::array<std::int64_t, static_cast<std::size_t>(C::width())>(); })
    return std::array<std::int64_t, static_cast<std::size_t>(C::width())>{};
  else return std::vector<std::int64_t>(static_cast<std::size_t>(criterion.width()));
}

template <Criterion C>
std::vector<std::int64_t> total_of(const C& criterion, std::span<const Row> rows) {
  std::vector<std::int64_t> total(static_cast<std::size_t>(criterion.width()));
  std::mutex adding;
  parallel_for(rows.size(), 1u << 16, [&](std::size_t begin, std::size_t end) {
    auto some = no_sums(criterion);
    for (std::size_t i = begin; i < end; ++i) criterion.add(criterion.part(rows[i]), some.data());
    const std::lock_guard lock(adding);
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += some[k];
  });
  return total;
}

}  // namespace growing

template <Criterion C>
Tree grow(const Binned& x, GrowSpace& work, const C& criterion, const GrowOptions& how, const Run& run) {
  const std::size_t rows = growing::checked_rows(work);
  std::vector<Range>* const range = work.wants_range ? &work.range : nullptr;
  work.spare.resize(rows);
  if (!work.scratch) work.scratch = std::make_unique<GrowScratch>();
  if (!work.scratch->layout) work.scratch->layout.emplace(x);
  const BinLayout& layout = *work.scratch->layout;
  work.scratch->thread.resize(static_cast<std::size_t>(thread_count()));
  work.scratch->few.resize(work.scratch->thread.size()), work.scratch->copies.resize(work.scratch->thread.size());
  for (Scratch& s : work.scratch->thread) s.fit(layout, x, static_cast<std::size_t>(criterion.width()));
  growing::Open root{.last = rows, .total = growing::total_of(criterion, work.rows)};
  root.groups = growing::Meeting(how.together, x.columns.size()).everywhere();
  const double all = criterion.weight(root.total);
  growing::Settled settled(run, rows);
  growing::Grower<C> trunk(x, layout, work, criterion, how, run.seed, all, Team::All);
  root.pure = trunk.is_pure(root);
  trunk.add_node(root);
  // Few enough that the histograms of all subtrees to be grown can be kept, many enough to keep all threads busy.
  const std::size_t small = std::max(growing::kSmall, rows / (4 * work.scratch->thread.size()));
  if (how.max_leaves > 0) {
    growing::Ranked<C>(trunk, how, run, settled).grow(std::move(root));
    return growing::number(x, trunk.grown(), {}, range);
  }
  std::vector<growing::Open> aside;
  growing::grow_all(trunk, std::move(root), run, settled, [&](growing::Open& node) {
    if (node.rows() > small) return false;
    if (!trunk.may_keep(aside.size())) trunk.forget(node);
    aside.push_back(std::move(node));
    return true;
  });
  std::vector<growing::Subtree> subtrees(aside.size());
  std::vector<std::unique_ptr<growing::Alone<C>>> alone(work.scratch->thread.size());  // one a thread that has had work
  growing::largest_first(aside, [&](std::size_t i) {
    const auto thread = static_cast<std::size_t>(thread_index());
    std::unique_ptr<growing::Alone<C>>& mine = alone[thread];
    if (!mine) {
      mine = std::make_unique<growing::Alone<C>>(trunk, work.scratch->few[thread], work.scratch->copies[thread], run,
                                                 settled);
      mine->reserve(rows);
    }
    subtrees[i] = mine->grow(std::move(aside[i]));
  });
  return growing::number(x, trunk.grown(), subtrees, range);
}

template <Criterion C>
Tree grow(const Binned& x, std::vector<Row> rows, const C& criterion, const GrowOptions& how, const Run& run) {
  GrowSpace work;
  work.rows = std::move(rows), work.wants_range = false;
  return grow(x, work, criterion, how, run);
}

}  // namespace wald
