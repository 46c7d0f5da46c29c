// Scores of rows: circuits for the tops of the trees (circuit.h), steps from node to node for the rest.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/circuit.h"
#include "model/deep.h"
#include "model/walk.h"
#include "wald/model.h"

namespace wald {

// Prepared once, then used by any number of threads. Looks into the model, which must outlive it.
class Engine {
 public:
  // What a thread needs, kept from block to block.
  struct Room {
    Answers answers;
    Walker::Room walk;
    std::vector<double> score;  // output x row of the block
    std::array<std::uint8_t, kBlockRows> slot;
    std::array<std::uint32_t, kBlockRows> at, moving;
  };

  // Circuits take some milliseconds to plan, which a handful of rows does not win back.
  explicit Engine(const Model&, bool circuits = true);

  // The columns whose cells it reads.
  const std::vector<std::uint32_t>& columns() const { return columns_; }

  // Of at most kBlockRows rows, row x output.
  void score(CellColumns cells, std::size_t rows, double* score, Room&) const;
  // The better way for so many rows of a deep forest, or nullptr; made for all threads at once.
  const DeepWalk* deep(std::size_t rows) const { return deep_.worth(rows) ? &deep_ : nullptr; }
  void score_row(std::span<const double> cells, double* score) const;

 private:
  Engine(const Model&, const Asked&, bool circuits);
  void add_tree(std::size_t t, CellColumns cells, std::size_t rows, Room&) const;
  void walk_down(std::size_t t, CellColumns cells, std::size_t rows, Room&) const;
  void find_row_slots(const std::uint8_t* yes, bool missing, std::uint8_t* slot) const;
  void add_slot(std::size_t t, std::uint32_t slot, std::span<const double> cells, double* score, Walker::Room&) const;

  const Forest& forest_;
  Walker walker_;
  CircuitPlan plan_;
  DeepWalk deep_;
  std::vector<std::uint32_t> columns_;
};

}  // namespace wald
