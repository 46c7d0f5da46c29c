// Forests of deep trees, as fully grown ones are: rows walk down level by level, over codes instead of numbers.
//
// The forest is larger than any cache. So a tree is taken through thousands of rows before the next one: its nodes are
// read from memory once, while the rows are still in the tree before it. The tops of the trees are circuits
// (circuit.h), which leave eight levels less to walk. For the rest each cell is looked up among its column's thresholds
// once and kept as the number of those below it; a step is then a subtraction of whole numbers (descent.h). Rows take a
// few steps in turn, so that none waits for memory alone, until all are in a leaf.
#pragma once
#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

#include "core/huge.h"
#include "model/asked.h"
#include "model/circuit.h"
#include "model/descent.h"
#include "wald/model.h"

namespace wald {

class DeepWalk {
 public:
  struct Room {
    // Row x cell; of the steps' kind alone.
    std::vector<NarrowStep::Cell> narrow;
    std::vector<WideStep::Cell> wide;
    std::vector<MaskSteps::Found> masks;  // several cells in one number
    std::vector<std::uint8_t> slot;       // part of kBlockRows rows x tree x row: where it leaves the tree's circuit
    std::array<std::uint32_t, kBlockRows> place;
    Answers answers;
  };

  // Looks into the model and the plan, which must outlive it. Not wanted: never worth it.
  DeepWalk(const Model&, const Asked&, const CircuitPlan&, bool wanted);
  bool worth() const { return !first_.empty(); }
  std::size_t most_rows() const { return most_rows_; }  // at once, a multiple of kBlockRows

  // Makes room for so many rows, at most most_rows().
  void start(std::size_t rows, Room&) const;
  // Cells of at most kBlockRows of them from row `from` on, a multiple of kBlockRows.
  void read(CellColumns cells, std::size_t from, std::size_t rows, Room&) const;
  // Of all of them, once they are read. score: row x output.
  void score(std::size_t rows, double* score, Room&) const;

 private:
  // A vector all of whose numbers but one are 0, as a pure leaf says; kMany: more than one is not.
  struct Single {
    double value = 0;
    std::size_t output = 0;
  };
  static constexpr std::size_t kMany = ~std::size_t{0};
  // The cells of a column: of one of numbers where missing values go left, and where they go right.
  struct CellsOf {
    std::uint32_t column = 0;
    bool category = false, asks_left = false, asks_right = false;
    std::size_t levels = 0, left = 0, right = 0;
    CutQuestions cuts;

    template <class Step>
    std::size_t width() const {  // of either
      if constexpr (requires { Step::kWindow; }) return cuts.count / Step::kWindow + 1;
      else return 1;
    }
  };

  bool find_cells(const Schema&, const Asked&);
  template <class Step>
  std::size_t number_cells();
  void choose_rows();
  void find_singles();
  template <class Step>
  void build();
  template <class Step>
  void add_tree(std::size_t t, Step* steps);
  template <class Step>
  void put(Step* steps, const Node&, std::size_t k, std::size_t left);
  std::uint64_t right_of(const Node&, std::size_t levels);
  template <class Step>
  void read_numbers(const CellsOf&, const double* cell, std::size_t rows, typename Step::Cell* to, Room&) const;
  template <class Step>
  void read_as(CellColumns cells, std::size_t from, std::size_t rows, Room&) const;
  template <class Step>
  void walk(const UnsetHugeVector<Step>& steps, std::size_t rows, double* score, Room&) const;
  template <class Step>
  void add_values(std::size_t t, const typename Step::Cell* cells, std::size_t rows, double* score) const;

  const Forest& forest_;
  const CircuitPlan& plan_;
  std::variant<UnsetHugeVector<NarrowStep>, UnsetHugeVector<WideStep>, UnsetHugeVector<MaskSteps>,
               UnsetHugeVector<SetStep>>
      steps_;
  std::vector<std::size_t> first_;     // of the steps of each tree, and the end; empty: the forest is not worth it
  std::vector<std::uint32_t> start_;   // tree x slot: the place it stands for among the tree's steps
  std::vector<std::uint32_t> vector_;  // of values, that the leaf at a place says; of WideStep
  std::mutex adding_;                  // to sets_
  std::vector<std::uint64_t> sets_;    // of SetStep
  std::vector<Single> singles_;        // of each vector, where vectors are long
  std::vector<CellsOf> cells_;
  std::vector<std::uint32_t> of_column_;  // its place in cells_
  std::size_t stride_ = 0, most_rows_ = 0;
};

}  // namespace wald
