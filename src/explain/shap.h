// One function a kind of model makes its explainer: it fills the values of a block of rows.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "explain/shap_plan.h"
#include "model/cells.h"
#include "wald/explain.h"

namespace wald {

struct ExplainTask {
  const Model& model;
  const std::vector<Cells>& columns;     // of the rows, one a column of the schema; outlives the explainer
  const std::vector<Cells>* background;  // nullptr = path-dependent
  std::size_t background_rows = 0;
  bool interactions = false;
  std::span<const std::size_t> outputs;
  const Run& run;
  std::size_t kept_tables = 0;  // bytes of a background's tables kept from block to block, at most
};

struct BlockExplainer {
  std::vector<double> base;              // one an output asked for
  std::function<void(Explained&)> fill;  // value and interaction of rows first .. first + rows - 1, both zero before
};

Result<BlockExplainer> explainer(const Forest&, const ExplainTask&);
BlockExplainer path_explainer(const Forest&, const ExplainTask&);
BlockExplainer background_explainer(const Forest&, const ExplainTask&);

// The games are played on the constants of the leaves. What a linear leaf's terms add to a row goes to their columns,
// in interactions to the diagonal, so that the values still sum to the prediction.
BlockExplainer with_terms(const Forest&, const ExplainTask&, BlockExplainer);

// A row's interactions from the effects of its pairs, pair x stride, and its values, which are there already.
void put_pairs(const ShapPlan&, const double* pairs, std::size_t stride, std::size_t row, std::size_t output,
               Explained&);

// The cells of some rows in the columns `used`: column x stride, padded with the last row.
struct CellBlock {
  std::vector<double> cell;
  bool missing = false;
};
void read_cells(const std::vector<Cells>& columns, std::span<const std::uint32_t> used, std::size_t begin,
                std::size_t end, std::size_t stride, CellBlock& into);
// Those of the plan's columns, then those of its answered splits.
void read_cells(const std::vector<Cells>& columns, const Forest&, const ShapPlan&, std::size_t begin, std::size_t end,
                std::size_t stride, CellBlock& into);

}  // namespace wald
