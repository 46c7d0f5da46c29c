// Whole subtrees, grown by one thread.
#pragma once
#include <memory>
#include <utility>

#include "tree/few.h"
#include "tree/gathered.h"
#include "tree/grow_settled.h"
#include "tree/grower.h"

namespace wald::growing {

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

}  // namespace wald::growing
