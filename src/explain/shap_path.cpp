#include <algorithm>
#include <cmath>
#include <memory>

#include "core/parallel.h"
#include "explain/shap.h"
#include "explain/shap_kernel.h"

namespace wald {
namespace {

constexpr std::size_t kTaskRows = 256;  // per piece of parallel work: a tree's splits stay in the cache meanwhile

std::size_t padded(std::size_t rows) { return (rows + kPassRows - 1) / kPassRows * kPassRows; }

struct PathExplainer {
  const Forest& forest;
  const ExplainTask task;
  ShapPlan plan;

  void fill(Explained& out) const {
    const std::size_t rows = task.interactions ? kPassRows : kTaskRows;
    parallel_for(out.rows, rows, [&](std::size_t begin, std::size_t end) {
      if (!task.run.stopped()) fill_rows(out, begin, end);
    });
  }

 private:
  std::size_t width() const { return plan.columns.size(); }

  void fill_rows(Explained& out, std::size_t begin, std::size_t end) const {
    CellBlock block;
    const std::size_t stride = padded(end - begin);
    read_cells(task.columns, forest, plan, out.first + begin, out.first + end, stride, block);
    Workspace work;
    KernelTask kernel{.sets = forest.sets.data(),
                      .cells = block.cell.data(),
                      .stride = stride,
                      .columns = width(),
                      .missing = block.missing,
                      .leaves = leaf_values(forest, 0)};
    std::vector<double> phi(task.outputs.size() * width() * stride);
    std::vector<double> pairs(task.interactions ? task.outputs.size() * pairs_of(width()) * stride : 0);
    for (std::size_t t = 0; t < plan.trees.size(); ++t) {
      kernel.tree = &plan.trees[t];
      kernel.quadrature = &plan.quadrature[kernel.tree->points()];
      add_to_outputs(t, kernel, phi, pairs, work);
    }
    for (std::size_t row = begin; row < end; ++row)
      for (std::size_t o = 0; o < task.outputs.size(); ++o) {
        put(phi, stride, row - begin, o, out.value.data() + (row * task.outputs.size() + o) * out.columns);
        if (task.interactions)
          put_pairs(plan, pairs.data() + o * pairs_of(width()) * stride + row - begin, stride, row, o, out);
      }
  }

  // A tree of one output has vectors of one number, which count for that output only.
  void add_to_outputs(std::size_t t, KernelTask& kernel, std::vector<double>& phi, std::vector<double>& pairs,
                      Workspace& work) const {
    static constexpr std::size_t kFirst[] = {0};
    const bool all = forest.output.empty();
    for (std::size_t o = 0; o < (all ? 1 : task.outputs.size()); ++o) {
      if (!all && !speaks_for(forest, t, task.outputs[o])) continue;
      kernel.wanted = all ? task.outputs : kFirst;
      kernel.phi = phi.data() + o * width() * kernel.stride;
      add_tree(kernel, work);
      kernel.phi = pairs.data() + o * pairs_of(width()) * kernel.stride;
      if (task.interactions) add_tree_pairs(kernel, work);
    }
  }

  void put(const std::vector<double>& phi, std::size_t stride, std::size_t row, std::size_t o, double* into) const {
    for (std::size_t c = 0; c < width(); ++c) into[plan.columns[c]] = phi[(o * width() + c) * stride + row];
  }
};

}  // namespace

void put_pairs(const ShapPlan& plan, const double* pairs, std::size_t stride, std::size_t row, std::size_t o,
               Explained& out) {
  const std::size_t width = plan.columns.size(), n = out.columns;
  const double* value = out.value.data() + (row * out.outputs.size() + o) * n;
  double* into = out.interaction.data() + (row * out.outputs.size() + o) * n * n;
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t a = plan.columns[i];
    double rest = 0;
    for (std::size_t j = 0; j < width; ++j) {
      if (i == j) continue;
      const double half = pairs[pair_place(i, j) * stride] / 2;
      into[a * n + plan.columns[j]] = half;
      rest += half;
    }
    into[a * n + a] = value[a] - rest;
  }
}

void read_cells(const std::vector<Cells>& columns, std::span<const std::uint32_t> used, std::size_t begin,
                std::size_t end, std::size_t stride, CellBlock& into) {
  const std::size_t rows = end - begin;
  into.cell.resize(used.size() * stride);
  for (std::size_t c = 0; c < used.size(); ++c) {
    double* to = into.cell.data() + c * stride;
    const double* from = cells_of(columns[used[c]], begin, end, to);
    if (from != to) std::copy(from, from + rows, to);
    std::fill(to + rows, to + stride, to[rows - 1]);
    into.missing = into.missing || std::any_of(to, to + rows, [](double x) { return std::isnan(x); });
  }
}

void read_cells(const std::vector<Cells>& columns, const Forest& forest, const ShapPlan& plan, std::size_t begin,
                std::size_t end, std::size_t stride, CellBlock& into) {
  read_cells(columns, plan.columns, begin, end, stride, into);
  into.cell.resize((plan.columns.size() + plan.answered.size()) * stride);
  double* to = into.cell.data() + plan.columns.size() * stride;
  for (const AnsweredSplit& split : plan.answered) {
    const double* own = into.cell.data() + plan.place[split.node->column()] * stride;
    for (std::size_t row = 0; row < stride; ++row) {
      const auto cell = [&](std::uint32_t column) { return into.cell[plan.place[column] * stride + row]; };
      if (!std::isnan(own[row])) *to++ = own[row];
      else *to++ = forest.surrogate_child(*split.node, cell) == 0 ? split.left : split.right;
    }
  }
}

BlockExplainer path_explainer(const Forest& forest, const ExplainTask& task) {
  auto made = std::make_shared<PathExplainer>(forest, task, make_plan(forest));
  BlockExplainer out;
  for (const std::size_t o : task.outputs) {
    double base = 0;
    for (std::size_t t = 0; t < forest.trees(); ++t)
      if (speaks_for(forest, t, o)) base += expected(made->plan.trees[t], leaf_values(forest, o));
    out.base.push_back(forest.base[o] + base);
  }
  out.fill = [made](Explained& block) { made->fill(block); };
  return out;
}

}  // namespace wald
