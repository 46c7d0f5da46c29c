// Forests of deep trees, as fully grown ones are: rows walk down tree by tree, over codes instead of numbers.
//
// The forest is larger than any cache. So a tree is taken through thousands of rows before the next one: a thread reads
// its nodes from memory once, as steps of few bytes (deep_layout.h) into memory of its own that stays in the cache,
// walks all rows down, notes what their leaves say and goes on to another tree. Only when rows are asked for again the
// steps are kept. The tops of the trees are circuits (circuit.h), which leave eight levels less to walk; for the rest
// rows are cells (deep_cells.h), and a step is an addition of whole numbers. What the leaves say is added last, in the
// order of trees.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

#include "core/parallel.h"
#include "model/asked.h"
#include "model/circuit.h"
#include "model/deep_cells.h"
#include "model/deep_layout.h"
#include "model/descent.h"
#include "model/votes.h"
#include "wald/model.h"

namespace wald {

class DeepWalk {
 public:
  // Cells of at most kBlockRows rows, begin .. end - 1, valid until the same thread asks again.
  using Cells = FunctionRef<CellColumns(std::size_t begin, std::size_t end)>;
  // Told how many rows are done; false: go no further.
  using GoesOn = FunctionRef<bool(std::size_t done)>;

  // Looks into the model and the plan, which must outlive it. missing: numbers may be. Not wanted: never worth it.
  DeepWalk(const Model&, const Asked&, const CircuitPlan&, bool missing, bool wanted = true);
  // Whether so many rows are worth laying the trees out: for few they had better be walked as they are.
  bool worth(std::size_t rows) const { return rows >= least_rows_; }
  // Of these rows, from row `from` on, by all threads; score: row x output, from the first. keep: the steps, for the
  // next time. Returns how many rows are done then: not all where numbers are missing that may not be.
  std::size_t score(std::size_t from, std::size_t rows, bool keep, Cells, double* score, GoesOn) const;

 private:
  // A vector all of whose numbers but one are 0, as a pure leaf says; kMany: more than one is not.
  struct Single {
    double value = 0;
    std::size_t output = 0;
  };
  static constexpr std::size_t kMany = ~std::size_t{0}, kNever = ~std::size_t{0};
  template <class Step>
  struct Block;

  // The forest as steps of a kind.
  template <class Step>
  struct Steps {
    Steps(const Step& step, const Model& model, const DeepCells& cells) : layout(step, model, cells) {}
    DeepLayout<Step> layout;
    mutable std::vector<LaidOut<Step>> trees;  // once they are kept
    mutable std::mutex lock;                   // of the next
    mutable std::shared_ptr<Block<Step>> spare;
  };

  void choose_steps(const Model&);
  template <class Step>
  bool mask_steps(const Model&, std::size_t most_nodes);
  void find_singles();
  template <class Step>
  void lay_out(const Steps<Step>&) const;
  template <class Step>
  std::size_t score_as(const Steps<Step>&, std::size_t from, std::size_t rows, bool keep, Cells, double* score,
                       GoesOn) const;
  template <class Step>
  std::size_t block_rows() const;
  template <class Step>
  std::shared_ptr<Block<Step>> take_block(const Steps<Step>&, std::size_t most) const;
  template <class Step>
  bool read(Block<Step>&, std::size_t part, CellColumns) const;
  template <class Step>
  void walk(Block<Step>&, std::size_t t, std::size_t begin, std::size_t end) const;
  template <class Step>
  void add(Block<Step>&, std::size_t begin, std::size_t end, double* score) const;

  const Forest& forest_;
  const CircuitPlan& plan_;
  DeepCells cells_;
  std::variant<std::monostate, Steps<NarrowStep>, Steps<WideStep>, Steps<FewMaskStep>, Steps<ManyMaskStep>,
               Steps<SetStep>>
      steps_;
  VoteCounts votes_;
  std::vector<Single> singles_;  // of each vector, where vectors are long
  std::size_t least_rows_ = kNever;
  mutable std::once_flag kept_;
};

}  // namespace wald
