#include <algorithm>

#include "core/parallel.h"
#include "explain/shap.h"
#include "model/walk.h"

namespace wald {
namespace {

constexpr std::size_t kRows = 256;  // per piece of parallel work

class TermRows {
 public:
  TermRows(const Forest& forest, const ExplainTask& task, const Walker& walker)
      : forest_(forest), task_(task), walker_(walker) {
    for (std::uint32_t c = 0; c < task.columns.size(); ++c) all_.push_back(c);
  }

  void add(Explained& out, std::size_t begin, std::size_t end) {
    const std::size_t rows = end - begin;
    read_cells(task_.columns, all_, out.first + begin, out.first + end, rows, block_);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto cell = [&](std::uint32_t column) { return block_.cell[column * rows + row]; };
      for (std::size_t t = 0; t < forest_.trees(); ++t) {
        walker_.reach(t, 0, cell, room_);
        for (const Reached& leaf : room_.leaves)
          for (const Term& term : forest_.terms_of(forest_.tree(t).nodes[leaf.node]))
            put(out, begin + row, t, term, leaf.share * term.at(cell(term.column)));
      }
    }
  }

 private:
  void put(Explained& out, std::size_t row, std::size_t t, const Term& term, double amount) const {
    const std::size_t output = forest_.output.empty() ? term.output : forest_.output[t], n = out.columns;
    for (std::size_t o = 0; o < out.outputs.size(); ++o) {
      if (out.outputs[o] != output) continue;
      const std::size_t line = row * out.outputs.size() + o;
      out.value[line * n + term.column] += amount;
      if (!out.interaction.empty()) out.interaction[(line * n + term.column) * n + term.column] += amount;
    }
  }

  const Forest& forest_;
  const ExplainTask& task_;
  const Walker& walker_;
  Walker::Room room_;
  std::vector<std::uint32_t> all_;
  CellBlock block_;
};

}  // namespace

BlockExplainer with_terms(const Forest& forest, const ExplainTask& task, BlockExplainer plain) {
  if (forest.terms.empty()) return plain;
  BlockExplainer out{.base = plain.base};
  out.fill = [&forest, task, walker = Walker(forest), fill = std::move(plain.fill)](Explained& block) {
    fill(block);
    parallel_for(block.rows, kRows, [&](std::size_t begin, std::size_t end) {
      if (!task.run.stopped()) TermRows(forest, task, walker).add(block, begin, end);
    });
  };
  return out;
}

}  // namespace wald
