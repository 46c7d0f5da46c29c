#include "wald/predict.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <span>

#include "core/parallel.h"
#include "model/cells.h"
#include "model/link.h"
#include "model/walk.h"

namespace wald {
namespace {

// Rows handled together: their cells stay in the cache while tree after tree passes over them.
constexpr std::size_t kBlock = 256, kGrain = 8 * kBlock;

struct Block {
  std::vector<const double*> cell;  // cell[column][row of the block]
  std::size_t rows = 0;
};

class BlockWalker {
 public:
  explicit BlockWalker(const Forest& forest) : forest_(forest), walker_(forest) {}

  // score += what tree t says of each row.
  void add(std::size_t t, const Block& block, double* score) {
    const Node* nodes = forest_.tree(t).nodes.data();
    descend(nodes, block);
    const auto width = static_cast<std::size_t>(forest_.outputs);
    for (std::size_t row = 0; row < block.rows; ++row, score += width) {
      const auto cell = [&](std::uint32_t column) { return block.cell[column][row]; };
      walker_.add(t, at_[row], cell, score);
    }
  }

 private:
  // Leaves in at_ where each row ends. All rows take a step before any takes the next: the tree is read from memory
  // for many rows at once instead of waiting for one after another.
  void descend(const Node* nodes, const Block& block) {
    std::size_t left = block.rows;
    for (std::size_t row = 0; row < left; ++row) at_[row] = 0, moving_[row] = static_cast<std::uint32_t>(row);
    while (left > 0) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < left; ++i) {
        const std::uint32_t row = moving_[i], before = at_[row];
        at_[row] = walker_.step(nodes, before, [&](std::uint32_t column) { return block.cell[column][row]; });
        moving_[kept] = row;
        kept += at_[row] != before;
      }
      left = kept;
    }
  }

  const Forest& forest_;
  Walker walker_;
  std::array<std::uint32_t, kBlock> at_, moving_;
};

// A column of numbers without thresholds is in no test, though perhaps in a linear term; of categories one cannot tell
// without reading every node.
std::vector<std::size_t> columns_in_tests(const Model& model) {
  std::vector<bool> in_terms(model.schema.columns.size());
  for (const Term& term : model.forest().terms) in_terms[term.column] = true;
  std::vector<std::size_t> used;
  for (std::size_t c = 0; c < in_terms.size(); ++c)
    if (model.schema.columns[c].type == ColumnType::Category || !model.forest().cuts[c].empty() || in_terms[c])
      used.push_back(c);
  return used;
}

void score_rows(const Forest& forest, const std::vector<Cells>& columns, std::span<const std::size_t> used,
                std::size_t begin, std::size_t end, double* score) {
  const auto width = static_cast<std::size_t>(forest.outputs);
  const auto room = std::make_unique_for_overwrite<double[]>(used.size() * kBlock);
  BlockWalker walker(forest);
  Block block{std::vector<const double*>(columns.size())};
  for (std::size_t row = begin; row < end; row += kBlock, score += kBlock * width) {
    block.rows = std::min(kBlock, end - row);
    for (std::size_t i = 0; i < used.size(); ++i)
      block.cell[used[i]] = cells_of(columns[used[i]], row, row + block.rows, room.get() + i * kBlock);
    for (std::size_t r = 0; r < block.rows; ++r) std::ranges::copy(forest.base, score + r * width);
    for (std::size_t t = 0; t < forest.trees(); ++t) walker.add(t, block, score);
  }
}

void score_all(const Model& model, const std::vector<Cells>& columns, const Run& run, Predictions& out) {
  const std::vector<std::size_t> used = columns_in_tests(model);
  const auto width = static_cast<std::size_t>(out.outputs);
  std::mutex one_at_a_time;
  std::uint64_t done = 0;
  parallel_for(out.rows, kGrain, [&](std::size_t begin, std::size_t end) {
    if (run.stopped()) return;
    score_rows(model.forest(), columns, used, begin, end, out.score.data() + begin * width);
    if (!run.progress) return;
    const std::lock_guard lock(one_at_a_time);
    run.progress({"predicting", done += end - begin, out.rows});
  });
}

}  // namespace

Result<Predictions> predict(const Model& model, const Table& table, const Run& run) {
  auto matched = match(model.schema, table);
  if (!matched) return matched.error();
  Predictions out{.rows = table.rows, .outputs = model.forest().outputs, .warnings = std::move(matched->warnings)};
  out.score.resize(out.rows * static_cast<std::size_t>(out.outputs));
  with_threads(run.threads, [&] {
    score_all(model, matched->columns, run, out);
    if (!run.stopped()) apply_link(model, out);
  });
  if (run.stopped()) return Error{ErrorKind::Interrupted, "interrupted while predicting", ""};
  return out;
}

Declarations declarations(const Schema& schema) {
  Declarations out;
  for (const Field& field : schema.columns) out.columns.push_back({.name = field.name, .type = field.type});
  out.columns.push_back({.name = schema.target.name, .type = schema.target.type});
  for (const std::string& name : schema.more_targets) out.columns.push_back({.name = name, .type = ColumnType::Number});
  return out;
}

}  // namespace wald
