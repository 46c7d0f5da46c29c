// Which rows grow a tree of a forest. A draw is a function of (seed, tree), so that whoever has the table can tell
// again, long after the training, who was in which tree's bag.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "learn/forest.h"
#include "tree/sapling.h"

namespace wald {

// The count of a row that does not grow its tree but fills its leaves.
inline constexpr std::uint32_t kFillsLeaves = 0xFFFF'FFFF;

// Into those that are in a bag, by their counts, and those out of it: how many. Both must have room for kDivideSpare
// more than there are rows.
struct DividedBag {
  std::size_t in = 0, out = 0;
};
inline constexpr std::size_t kDivideSpare = 64;
DividedBag divide_bag(std::span<const Row> rows, const std::uint32_t* count, Drawn* in, Row* out);

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
  Bag bag(std::uint32_t tree) const {
    Bag out;
    draw(tree, out);
    return out;
  }
  std::span<const Row> rows() const { return rows_; }
  std::span<const Row> idle() const { return idle_; }  // of no weight: in nobody's bag, ascending
  bool leaves_out() const;                             // whether there is a row that some tree does not see
  // How often each of rows() is in the bag.
  std::vector<std::uint32_t> counts(std::uint32_t tree) const;

 private:
  void count(std::uint32_t tree, std::vector<std::uint32_t>& out) const;
  void divide(Bag&) const;
  std::vector<std::uint32_t> drawn_once(std::uint32_t tree) const;  // places in rows(), in the order drawn

  const ForestOptions& how_;
  std::vector<Row> rows_, idle_;
  std::vector<std::vector<std::uint32_t>> of_class_;  // places in rows(), for Sample::Balanced
  std::uint64_t seed_;
  std::size_t size_ = 0;  // how many are drawn
};

}  // namespace wald
