// Many rows of the binned table down one tree: what leaf_of() finds for each, several rows at a time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.h"

namespace wald {

class TreeWalk {
 public:
  static constexpr std::size_t kMost = 256;  // rows at once

  // Both must outlive it.
  TreeWalk(const Tree&, const Binned&);
  // leaf[i]: where rows[i] ends.
  void leaves_of(std::span<const Row> rows, std::uint32_t* leaf) const;
  // body(row, leaf) for each row in turn.
  template <class Body>
  void each(std::span<const Row> rows, Body body) const {
    std::uint32_t leaf[kMost];
    for (; !rows.empty(); rows = rows.subspan(std::min(kMost, rows.size()))) {
      const auto some = rows.first(std::min(kMost, rows.size()));
      leaves_of(some, leaf);
      for (std::size_t i = 0; i < some.size(); ++i) body(some[i], leaf[i]);
    }
  }

 private:
  // A node as a sum: the code goes to child 0 or 1 as it is greater than `most` or not, plus what `ways_` says of it.
  // Of sets and leaves no code is greater, and of all but sets `ways_` says nothing; a leaf is its own child.
  struct Step {
    std::uint32_t child;
    std::uint32_t ways;          // of a set: where those of its codes begin, else 0
    std::uint16_t most, offset;  // the code's place in a row
    std::uint16_t wide;          // the bits that belong to the code
    std::uint8_t in_set;         // 1: of a set
    std::uint8_t less;           // taken off the code and `most`: with 1 the code of missing becomes the greatest
  };
  static_assert(sizeof(Step) == 16);

  bool add(const TreeNode&, std::uint32_t at, std::span<const std::uint32_t> offset);
  std::uint32_t next(const std::uint8_t* row, std::uint32_t at) const;

  const Tree& tree_;
  const Binned& x_;
  std::vector<Step> steps_;         // none where rows are walked one by one
  std::vector<std::uint8_t> ways_;  // the first is 0
};

}  // namespace wald
