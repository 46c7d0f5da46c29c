// Scores of rows: circuits for the tops of the trees (circuit.h), steps from node to node for the rest.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "model/asked.h"
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
  // Of a whole table, by all threads, the way that is better for many rows of a deep forest; false: it is not.
  bool score_deep(std::size_t rows, DeepWalk::Cells, double* score, DeepWalk::GoesOn) const;
  bool deep(std::size_t rows) const { return whole_.worth(rows); }
  void score_row(std::span<const double> cells, double* score) const;

 private:
  void add_tree(std::size_t t, CellColumns cells, std::size_t rows, Room&) const;
  void walk_down(std::size_t t, CellColumns cells, std::size_t rows, Room&) const;
  void find_row_slots(const std::uint8_t* yes, bool missing, std::uint8_t* slot) const;
  void add_slot(std::size_t t, std::uint32_t slot, std::span<const double> cells, double* score, Walker::Room&) const;

  const Model& model_;
  const Forest& forest_;
  const Asked asked_;
  Walker walker_;
  CircuitPlan plan_;
  // Of rows whose numbers are all known, as in most tables, and of any, made when it is wanted.
  DeepWalk whole_;
  mutable std::optional<DeepWalk> any_;
  mutable std::once_flag made_any_;
  mutable std::atomic<bool> wants_any_ = false;
  mutable std::atomic<std::size_t> rows_asked_ = 0;  // for tables so far
  std::vector<std::uint32_t> columns_;
};

}  // namespace wald
