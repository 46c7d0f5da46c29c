// Which levels of the categories can still come to a node: those that every set on the way to it lets through. A set in
// the model holds more, since levels that no row of a node had go where its missing values go.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "explain/walk.h"
#include "wald/model.h"

namespace wald {

// Goes with places(): enter() each of them, in their order. What it then says holds until the next is entered.
class Reach {
 public:
  Reach(const Model&, const TreeView&);  // both must outlive it
  void enter(const NodePlace&);
  // Ascending; of the column that the parent of the place asks for.
  std::span<const std::int32_t> levels() const { return came_; }
  std::span<const std::int32_t> levels(std::uint32_t branch) const;  // that go on from the place to one of its children

 private:
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  std::size_t divide(const Node&);
  Range part(const Node&, std::size_t middle, std::uint32_t branch) const;

  struct Before {
    std::uint32_t column = 0;
    Range range;
  };
  const Model& model_;
  const TreeView& tree_;
  // For each column: its levels, so ordered that what comes to a node is a range. One order serves all nodes, since
  // the nodes below one only order its own range anew, and what is outside of it is read before or after them.
  std::vector<std::vector<std::int32_t>> order_;
  std::vector<Range> range_;         // for each column: what comes to the place entered
  std::vector<Before> before_;       // for each depth from 1: what entering it changed
  std::vector<std::size_t> middle_;  // for each depth from 0: where the range of a set's child 0 ends
  std::vector<std::int32_t> came_;   // what levels() says: the place itself orders its range anew
  NodePlace place_;
};

}  // namespace wald
