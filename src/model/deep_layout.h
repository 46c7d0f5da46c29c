// The nodes of a tree as steps (descent.h), one each. No branch depends on what a node is: nobody could foresee it.
#pragma once
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "model/deep_cells.h"
#include "model/descent.h"
#include "wald/model.h"

namespace wald {

// A tree; the memory is asked for once for tree after tree.
template <class Step>
struct LaidOut {
  std::vector<typename Step::Word> steps;
  std::vector<std::uint64_t> sets;  // of SetStep
};

// Of one forest, whose trees ask for these cells. Looks into the model, which must outlive it.
template <class Step>
class DeepLayout {
 public:
  DeepLayout(const Step&, const Model&, const DeepCells&);
  void lay_out(std::span<const Node> nodes, LaidOut<Step>&) const;
  const Step& step() const { return step_; }

 private:
  Step step_;
  const Model* model_;
  bool apart_;  // codes of tests whose missing values go right and of those where they go left
  using Part = std::conditional_t<std::is_same_v<Step, NarrowStep>, std::uint32_t, std::uint64_t>;
  std::vector<Part> cells_;           // column x way of missing values: what a test of it adds to its word
  std::vector<std::uint64_t> tests_;  // of MaskStep: what a threshold is laid out as, by its greatest code
};

// What the nodes of a forest of MaskStep are made of, by their tests and ways of missing values.
struct MaskKinds {
  const std::uint64_t* from[8];  // by ref
  std::uint64_t flip[8];
  std::uint64_t all[8];  // bits, or of a leaf none
  int turn, below_child, below_set;
};
// The first of the nodes, many at once, where there are registers for it; returns how many.
std::uint32_t lay_many(std::span<const Node>, const std::uint32_t* cells, std::uint32_t* to);  // of NarrowStep
std::uint32_t lay_many(const MaskKinds&, std::span<const Node>, const std::uint64_t* cells, std::uint64_t* to);

}  // namespace wald
