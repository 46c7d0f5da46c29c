#include "wald/predict.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <span>

#include "core/parallel.h"
#include "model/cells.h"

namespace wald {
namespace {

// Rows handled together: their cells stay in the cache while tree after tree passes over them.
constexpr std::size_t kBlock = 256, kGrain = 8 * kBlock;

struct Block {
  std::vector<const double*> cell;  // cell[column][row of the block]
  std::size_t rows = 0;
};

class Walker {
 public:
  explicit Walker(const Forest& forest)
      : forest_(forest), width_(static_cast<std::size_t>(forest.outputs)), sum_(width_) {
    for (const auto& cuts : forest.cuts) cuts_.push_back(cuts.data());
  }

  // score += what tree t says of each row.
  void add(std::size_t t, const Block& block, double* score) {
    const TreeView tree = forest_.tree(t);
    descend(tree.nodes.data(), block);
    for (std::size_t row = 0; row < block.rows; ++row, score += width_) {
      const std::uint32_t k = at_[row];
      if (tree.nodes[k].test != Test::Leaf) add_spread(tree, block, row, k, score);
      else
        for (std::size_t o = 0; o < width_; ++o) score[o] += tree.values[k * width_ + o];
    }
  }

 private:
  // One step down; the node itself where the row ends: at a leaf, or where a missing value follows every child.
  std::uint32_t step(const Node* nodes, std::uint32_t k, const Block& block, std::size_t row) const {
    const Node& node = nodes[k];
    if (node.test == Test::Leaf) return k;
    const double cell = block.cell[node.column][row];
    if (cell != cell) return node.missing == kMissingEverywhere ? k : node.child + node.missing;
    if (node.test == Test::Threshold) return node.child + !(cell <= cuts_[node.column][node.ref]);
    const auto level = static_cast<std::int32_t>(cell);
    if (node.test == Test::Set) return node.child + !forest_.set_has(node.ref, level);
    return node.child + static_cast<std::uint32_t>(level);
  }

  // Leaves in at_ where each row ends. All rows take a step before any takes the next: the tree is read from memory
  // for many rows at once instead of waiting for one after another.
  void descend(const Node* nodes, const Block& block) {
    std::size_t left = block.rows;
    for (std::size_t row = 0; row < left; ++row) at_[row] = 0, moving_[row] = static_cast<std::uint32_t>(row);
    while (left > 0) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < left; ++i) {
        const std::uint32_t row = moving_[i], before = at_[row];
        at_[row] = step(nodes, before, block, row);
        moving_[kept] = row;
        kept += at_[row] != before;
      }
      left = kept;
    }
  }

  // C4.5: the average over the leaves below node k that the row reaches, each weighted by the shares of cover on its
  // way. Leaves are summed from the first child to the last, so that the bits are always the same.
  void add_spread(const TreeView& tree, const Block& block, std::size_t row, std::uint32_t k, double* score) {
    std::ranges::fill(sum_, 0.0);
    stack_.assign(1, {k, 1.0});
    while (!stack_.empty()) {
      const auto [at, share] = stack_.back();
      stack_.pop_back();
      std::uint32_t end = at;
      for (std::uint32_t next; (next = step(tree.nodes.data(), end, block, row)) != end;) end = next;
      const Node& node = tree.nodes[end];
      if (node.test == Test::Leaf)
        for (std::size_t o = 0; o < width_; ++o) sum_[o] += share * tree.values[end * width_ + o];
      else push_children(tree, node, share);
    }
    for (std::size_t o = 0; o < width_; ++o) score[o] += sum_[o];
  }

  void push_children(const TreeView& tree, const Node& node, double share) {
    double total = 0;
    for (std::uint32_t w = 0; w < node.ways(); ++w) total += tree.cover[node.child + w];
    for (std::uint32_t w = node.ways(); w-- > 0;) {
      const double part = total > 0 ? tree.cover[node.child + w] / total : 1.0 / node.ways();
      if (part > 0) stack_.push_back({node.child + w, share * part});
    }
  }

  struct Share {
    std::uint32_t node;
    double share;
  };
  const Forest& forest_;
  std::size_t width_;
  std::vector<const double*> cuts_;
  std::array<std::uint32_t, kBlock> at_, moving_;
  std::vector<double> sum_;
  std::vector<Share> stack_;
};

// A column of numbers without thresholds is in no test; of categories one cannot tell without reading every node.
std::vector<std::size_t> columns_in_tests(const Model& model) {
  std::vector<std::size_t> used;
  for (std::size_t c = 0; c < model.schema.columns.size(); ++c)
    if (model.schema.columns[c].type == ColumnType::Category || !model.forest().cuts[c].empty()) used.push_back(c);
  return used;
}

void score_rows(const Forest& forest, const std::vector<Cells>& columns, std::span<const std::size_t> used,
                std::size_t begin, std::size_t end, double* score) {
  const auto width = static_cast<std::size_t>(forest.outputs);
  const auto room = std::make_unique_for_overwrite<double[]>(used.size() * kBlock);
  Walker walker(forest);
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

std::vector<std::int32_t> most_probable(const Predictions& predictions) {
  const auto classes = static_cast<std::size_t>(predictions.outputs);
  std::vector<std::int32_t> label(predictions.rows);
  for (std::size_t row = 0; row < label.size(); ++row) {
    const double* p = predictions.value.data() + row * classes;
    label[row] = static_cast<std::int32_t>(std::max_element(p, p + classes) - p);
  }
  return label;
}

}  // namespace

Result<Predictions> predict(const Model& model, const Table& table, const Run& run) {
  auto matched = match(model.schema, table);
  if (!matched) return matched.error();
  Predictions out{.rows = table.rows, .outputs = model.forest().outputs, .warnings = std::move(matched->warnings)};
  out.score.resize(out.rows * static_cast<std::size_t>(out.outputs));
  with_threads(run.threads, [&] { score_all(model, matched->columns, run, out); });
  if (run.stopped()) return Error{ErrorKind::Interrupted, "interrupted while predicting", ""};
  out.value = out.score;
  if (model.link == Link::Probabilities) out.label = most_probable(out);
  return out;
}

Declarations declarations(const Schema& schema) {
  Declarations out;
  for (const Field& field : schema.columns) out.columns.push_back({.name = field.name, .type = field.type});
  out.columns.push_back({.name = schema.target.name, .type = schema.target.type});
  return out;
}

}  // namespace wald
