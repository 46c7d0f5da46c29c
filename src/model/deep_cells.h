// Rows as cells of small whole numbers, for the steps of deep trees (descent.h): each number is looked up among its
// column's thresholds once and kept as the number of those below it, of a category the level is kept.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "model/asked.h"
#include "model/circuit.h"
#include "model/descent.h"
#include "wald/model.h"

namespace wald {

class DeepCells {
 public:
  // missing: numbers may be; if not, a cell does for both ways of missing values. False if there are more cells than
  // any step can ask for. Looks into the plan, which must outlive it.
  bool find(const Model&, const Asked&, const CircuitPlan&, bool missing);
  // Of all columns.
  std::size_t most_levels() const { return most_levels_; }
  std::size_t most_cuts() const { return most_cuts_; }
  bool sets() const { return sets_; }
  bool missing() const { return missing_; }

  // Gives each column its cells. codes: how many of a column of numbers a cell tells apart, 0 for all; first: cells
  // before all columns'. Returns how many a row has.
  std::size_t number(std::size_t codes, std::size_t first);
  std::size_t stride() const { return stride_; }
  // The first cell of a column, for tests whose missing values go left (0) or right (1).
  std::uint32_t of(std::uint32_t column, std::uint32_t missing) const { return cell_[2 * column + missing]; }

  // Of at most kBlockRows rows; to: row x cell, but Step::kRowsTogether rows side by side. With them the answers to the
  // plan's questions, so that each number is looked up once. False, and nothing is known of either, if a number is
  // missing that may not be.
  template <class Step>
  bool read(const Step&, CellColumns cells, std::size_t rows, typename Step::Cell* to, Answers&) const;

 private:
  // Of numbers there are cells for where missing values go left, and for where they go right; or the former for both.
  struct Column {
    std::uint32_t column = 0;
    bool category = false, asks_left = false, asks_right = false;
    std::size_t left = 0, right = 0;
    CutQuestions cuts;
    std::size_t asked = 0;             // its place among CircuitPlan::cuts, whose number where it has none ...
    std::vector<std::uint16_t> place;  // ... and the place there of each place here; empty: the same
  };
  void find_asked(Column&) const;
  std::size_t width(const Column& c) const { return codes_ == 0 || c.category ? 1 : c.cuts.count / codes_ + 1; }
  template <class Step>
  bool read_numbers(const Step&, const Column&, const double* cell, std::size_t rows, typename Step::Cell* to,
                    Answers&) const;

  const CircuitPlan* plan_ = nullptr;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> cell_;
  std::size_t codes_ = 0, stride_ = 0, most_levels_ = 0, most_cuts_ = 0;
  bool sets_ = false, missing_ = false;
};

}  // namespace wald
