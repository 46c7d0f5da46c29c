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
    std::vector<Drawn> grow;  // ascending
    std::vector<Drawn> fill;  // honest: who fills the leaves; empty = those who grew the tree
    std::vector<Row> out;     // of the bag, ascending
  };
  Bag bag(std::uint32_t tree) const;
  std::span<const Row> rows() const { return rows_; }
  // How often each of rows() is in the bag.
  std::vector<std::uint32_t> counts(std::uint32_t tree) const;

 private:
  void divide(std::span<const std::uint32_t> count, Bag&) const;
  std::vector<std::uint32_t> drawn_once(std::uint32_t tree) const;  // places in rows(), in the order drawn

  const ForestOptions& how_;
  std::vector<Row> rows_;
  std::vector<std::vector<std::uint32_t>> of_class_;  // places in rows(), for Sample::Balanced
  std::uint64_t seed_;
  std::size_t size_ = 0;  // how many are drawn
};

}  // namespace wald
