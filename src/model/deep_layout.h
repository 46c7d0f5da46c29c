// The nodes of a tree as steps (descent.h), one each. No branch depends on what a node is: nobody could foresee it.
#pragma once
#include <cstdint>
#include <span>
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
  bool apart_;                        // codes of tests whose missing values go right and of those where they go left
  std::vector<std::uint64_t> cells_;  // column x way of missing values: what a test of it adds to its word
  std::vector<std::uint64_t> tests_;  // of MaskStep: what a threshold is laid out as, by its greatest code
};

}  // namespace wald
