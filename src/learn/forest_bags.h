// A trained forest together with its training rows: bags drawn again, leaves found again.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "learn/forest_rows.h"
#include "learn/preparing.h"
#include "model/cells.h"
#include "model/walk.h"
#include "wald/model.h"
#include "wald/task.h"

namespace wald {

// The cells of a table as a model reads them, and the leaves they lead to.
class ForestCells {
 public:
  static Result<ForestCells> of(const Model&, const Table&);
  static Result<ForestCells> of_made(const Model&, const Table&);  // of columns as the preparation made them
  std::size_t rows() const { return rows_; }
  double at(std::uint32_t column, std::size_t row) const { return column_[column][row]; }
  // Where a row ends in a tree, `cell` saying what its cells are.
  template <class Cell>
  std::uint32_t leaf_by(std::size_t tree, const Cell& cell) const {
    const Node* nodes = forest_->tree(tree).nodes.data();
    std::uint32_t at = 0;
    for (std::uint32_t next; (next = walker_->step(nodes, at, cell)) != at;) at = next;
    return at;
  }
  std::uint32_t leaf(std::size_t tree, std::size_t row) const {
    return leaf_by(tree, [&](std::uint32_t column) { return at(column, row); });
  }
  // Of all rows, in parallel.
  std::vector<std::uint32_t> leaves(std::size_t tree) const;

 private:
  static ForestCells made(const Model&, const Matched&, Row rows);

  const Forest* forest_ = nullptr;
  std::shared_ptr<const Walker> walker_;
  std::size_t rows_ = 0;
  std::vector<std::vector<double>> column_;
};

class ForestBags {
 public:
  // Refuses other learners and other tables. The task must outlive it.
  static Result<ForestBags> of(const Model&, const Task&, const Run&);
  const Task& task() const { return prepared_ ? prepared_->task : *task_; }  // as the trees saw it
  // Which of the rows given the trees saw; empty = all.
  std::span<const Row> left() const { return prepared_ ? std::span(prepared_->rows) : std::span<const Row>{}; }
  const ForestOptions& how() const { return *how_; }
  const ForestRows& rows() const { return *rows_; }
  std::size_t trees() const { return trees_; }
  Status check_left_out() const;  // refuses trees that all learned from all rows

 private:
  const Task* task_ = nullptr;
  std::shared_ptr<const Prepared> prepared_;
  std::shared_ptr<const ForestOptions> how_;
  std::shared_ptr<const ForestRows> rows_;
  std::size_t trees_ = 0;
};

// Both, of trees that leave rows out and columns that know nothing of them; refuses others.
struct BaggedForest {
  ForestBags bags;
  ForestCells cells;
  static Result<BaggedForest> of(const Model&, const Task&, const Run&);
};

}  // namespace wald
