// Which rows grow a tree of a forest. A draw is a function of (seed, tree), so that whoever has the table can tell
// again, long after the training, who was in which tree's bag.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "learn/forest.h"
#include "tree/sapling.h"

namespace wald {

class ForestRows {
 public:
  // rows: those of positive weight. The task must outlive it.
  ForestRows(const Task&, const ForestOptions&, std::vector<Row> rows, std::uint64_t seed);

  struct Bag {
    Bag() = default;
    Bag(Bag&&) = default;
    std::span<const Drawn> grow;  // ascending
    std::vector<Drawn> fill;      // honest: who fills the leaves; empty = those who grew the tree
    std::span<const Row> out;     // of the bag, ascending

    // Where they are, and how often each row is in the bag; asked for once for tree after tree.
    std::vector<Drawn> grow_room;
    std::vector<Row> out_room;
    std::vector<std::uint32_t> count;
  };
  void draw(std::uint32_t tree, Bag&) const;
  // Of trees that are not honest: the counts alone, and from them who is out of the bag.
  CountedRows draw_counts(std::uint32_t tree, Bag& bag) const {
    count(tree, bag.count);
    return {rows_, bag.count};
  }
  void list_out(Bag&) const;
  Bag bag(std::uint32_t tree) const {
    Bag out;
    draw(tree, out);
    return out;
  }
  std::span<const Row> rows() const { return rows_; }
  // How often each of rows() is in the bag.
  std::vector<std::uint32_t> counts(std::uint32_t tree) const;

 private:
  void count(std::uint32_t tree, std::vector<std::uint32_t>& out) const;
  void divide(Bag&) const;
  std::vector<std::uint32_t> drawn_once(std::uint32_t tree) const;  // places in rows(), in the order drawn

  const ForestOptions& how_;
  std::vector<Row> rows_;
  std::vector<std::vector<std::uint32_t>> of_class_;  // places in rows(), for Sample::Balanced
  std::uint64_t seed_;
  std::size_t size_ = 0;  // how many are drawn
};

}  // namespace wald
