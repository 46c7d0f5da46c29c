#include "explain/intervene.h"

#include <algorithm>
#include <array>
#include <memory>

#include "core/parallel.h"
#include "explain/shap.h"

namespace wald {
namespace {

// Rows at work together: their sets and sums stay in the cache, and where tables are large enough many rows ask each
// table while it is there.
std::size_t piece_rows(const PlannedTree& tree) { return tree.columns <= 7 ? 256 : 2048; }
constexpr std::size_t kTableRoom = (std::size_t{64} << 20) / 8;  // doubles of the tables held at a time

static_assert(pairs_of(kPairColumns) % 4 == 0 && kTableColumns % 4 == 0);  // lines of the sums hold any table's

// Walks a tree with the sets of columns each row fails, and calls at every split with a leaf: leaf(split, fails of a
// side), and when the walk leaves a split: up(split, the columns of its path by slot).
template <class AtLeaf, class AtUp>
void walk_fails(const PlannedTree& tree, const std::uint64_t* sets, const CellRows& rows,
                std::vector<std::uint64_t>& room, const AtLeaf& at_leaf, const AtUp& at_up) {
  std::array<std::uint32_t, kTableColumns> path{};
  room.resize(std::max(room.size(), (tree.depth + 3) * rows.rows));
  std::fill(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(rows.rows), 0);
  std::uint64_t* left = room.data() + (tree.depth + 1) * rows.rows;
  std::uint64_t* right = left + rows.rows;
  for (const PlanStep& step : tree.steps) {
    const PlanSplit& s = tree.splits[step.split];
    const std::uint64_t* from = room.data() + s.depth * rows.rows;
    path[s.slot] = s.column;
    if (step.move != Move::Up) {
      add_fails(s, step.move == Move::Left, sets, rows, from, room.data() + (s.depth + 1) * rows.rows);
      continue;
    }
    const auto fails = [&](bool to_left) {
      add_fails(s, to_left, sets, rows, from, to_left ? left : right);
      return static_cast<const std::uint64_t*>(to_left ? left : right);
    };
    at_leaf(s, fails);
    at_up(s, path);
  }
}

struct Tables {
  std::vector<LeafTable> leaf;
  std::size_t begin = 0, end = 0;  // those held now
  bool kept = false;               // all of them, for the blocks to come
};

class Background {
 public:
  Background(const Forest& forest, const ExplainTask& task) : forest_(forest), task_(task), plan_(make_plan(forest)) {
    read_cells(*task.background, forest_, plan_, 0, task.background_rows, task.background_rows, cells_);
    std::size_t most = 0;
    for (const PlannedTree& tree : plan_.trees) most = std::max<std::size_t>(most, tree.columns);
    weights_ = std::make_unique<ShapleyWeights>(most + 1);
    tables_.resize(plan_.trees.size() * task.outputs.size() * 2);
  }

  // The mean prediction over the background.
  double base(std::size_t output) const {
    double sum = 0;
    for (std::size_t t = 0; t < plan_.trees.size(); ++t) {
      if (!speaks_for(forest_, t, output)) continue;
      PairWalker walker = walker_of(t, output);
      double tree = 0;
      for (std::size_t row = 0; row < others().rows; ++row) tree += walker.score(others(), row);
      sum += tree / static_cast<double>(others().rows);
    }
    return forest_.base[output] + sum;
  }

  void fill(Explained& out) {
    CellBlock block;
    const std::size_t rows = out.rows, width = plan_.columns.size();
    read_cells(task_.columns, forest_, plan_, out.first, out.first + rows, rows, block);
    const CellRows cells{block.cell.data(), rows, rows};
    std::vector<double> phi(width * rows), pairs(task_.interactions ? pairs_of(width) * rows : 0);
    for (std::size_t o = 0; o < task_.outputs.size(); ++o) {
      std::ranges::fill(phi, 0.0);
      std::ranges::fill(pairs, 0.0);
      for (std::size_t t = 0; t < plan_.trees.size() && !task_.run.stopped(); ++t) {
        if (!speaks_for(forest_, t, task_.outputs[o])) continue;
        add_tree({t, o, false}, cells, phi.data());
        if (task_.interactions) add_tree({t, o, true}, cells, pairs.data());
      }
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t c = 0; c < width; ++c)
          out.value[(row * task_.outputs.size() + o) * out.columns + plan_.columns[c]] = phi[c * rows + row];
        if (task_.interactions) put_pairs(plan_, pairs.data() + row, rows, row, o, out);
      }
    }
  }

 private:
  CellRows others() const { return {cells_.cell.data(), task_.background_rows, task_.background_rows}; }
  TreeValues values_of(std::size_t t, std::size_t output) const {
    return {plan_.trees[t], forest_.sets.data(), leaf_values(forest_, output)};
  }
  PairWalker walker_of(std::size_t t, std::size_t output) const {
    return {values_of(t, output), plan_.quadrature[plan_.trees[t].points()], *weights_};
  }
  double scale() const { return 1.0 / static_cast<double>(task_.background_rows); }

  struct Part {  // of the work: a tree, one of the outputs asked for, its values or its pairs
    std::size_t tree, output;
    bool pairs;
  };

  void add_tree(const Part& part, const CellRows& rows, double* phi) {
    const PlannedTree& tree = plan_.trees[part.tree];
    if (tree.splits.empty()) return;
    const std::vector<bool> mine = in_parts(tree, rows), theirs = in_parts(tree, others());
    const bool deep = tree.columns > (part.pairs ? kPairColumns : kTableColumns);
    if (!deep) add_tables(part, rows, mine, theirs, phi);
    if (!deep && !tree.spreads) return;
    parallel_for(rows.rows, 16, [&](std::size_t begin, std::size_t end) {
      PairWalker walker = walker_of(part.tree, task_.outputs[part.output]);
      for (std::size_t row = begin; row < end; ++row)
        for (std::size_t other = 0; other < theirs.size(); ++other)
          if (deep || mine[row] || theirs[other])
            walker.add(rows, row, others(), other, scale(), phi + row, rows.rows, part.pairs);
    });
  }

  // Rows that go somewhere as a whole against such background rows.
  void add_tables(const Part& part, const CellRows& rows, const std::vector<bool>& mine,
                  const std::vector<bool>& theirs, double* phi) {
    const TreeValues tree = values_of(part.tree, task_.outputs[part.output]);
    Tables& tables = tables_[(part.output * plan_.trees.size() + part.tree) * 2 + (part.pairs ? 1 : 0)];
    if (!tables.kept) make_tables(tree, part.pairs, theirs, tables);
    const auto ask = [&] {
      parallel_for(rows.rows, piece_rows(tree.tree), [&](std::size_t begin, std::size_t end) {
        ask_tables(tree, tables, part.pairs, {rows.cell + begin, rows.stride, end - begin}, mine, begin, phi + begin);
      });
    };
    if (tables.kept) return ask();
    while (tables.begin < tables.leaf.size()) {
      std::size_t held = 0;
      for (tables.end = tables.begin; tables.end < tables.leaf.size() && held < kTableRoom;)
        held += tables.leaf[tables.end++].entries();
      fill_tables(tree, theirs, tables);
      ask();
      for (std::size_t i = tables.begin; i < tables.end; ++i) tables.leaf[i].value = {};
      tables.begin = tables.end;
    }
    tables = {};
  }

  // Fills them all where there is room to keep them.
  void make_tables(const TreeValues& tree, bool pairs, const std::vector<bool>& theirs, Tables& tables) {
    tables.leaf = leaf_tables(tree.tree, pairs);
    std::size_t entries = 0;
    for (const LeafTable& leaf : tables.leaf) entries += leaf.entries();
    if ((kept_ + entries) * sizeof(double) > task_.kept_tables) return;
    kept_ += entries;
    tables.end = tables.leaf.size();
    tables.kept = true;
    fill_tables(tree, theirs, tables);
  }

  // The sets the background's rows fail are found tree by tree, then each leaf's table is made on its own.
  void fill_tables(const TreeValues& tree, const std::vector<bool>& theirs, Tables& tables) const {
    struct Fails {
      std::vector<std::uint64_t> left, right;
    };
    std::vector<Fails> fails(tables.end - tables.begin);
    const auto whole = [&](const std::uint64_t* from) {
      std::vector<std::uint64_t> out;
      for (std::size_t row = 0; row < theirs.size(); ++row)
        if (!theirs[row]) out.push_back(from[row]);
      return out;
    };
    std::vector<std::uint64_t> room;
    std::size_t next = 0;
    walk_fails(
        tree.tree, tree.sets, others(), room,
        [&](const PlanSplit& s, const auto& at) {
          for (; next < tables.leaf.size() && &tree.tree.splits[tables.leaf[next].split] == &s; ++next) {
            if (next < tables.begin || next >= tables.end) continue;
            Fails& mine = fails[next - tables.begin];
            mine.left = whole(at(tables.leaf[next].left));
            if (tables.leaf[next].both) mine.right = whole(at(false));
          }
        },
        [](const PlanSplit&, const auto&) {});
    parallel_for(fails.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        fill_table(tree, fails[i].left, fails[i].right, scale(), *weights_, tables.leaf[tables.begin + i]);
    });
  }

  // A column's sums are complete when the walk leaves the split that asked it first; a pair's, when it leaves the
  // lower of the two.
  void ask_tables(const TreeValues& tree, const Tables& tables, bool pairs, const CellRows& rows,
                  const std::vector<bool>& mine, std::size_t first, double* phi) const {
    std::vector<std::uint64_t> room;
    const std::size_t stride = pairs ? pairs_of(kPairColumns) : kTableColumns;
    std::vector<double> sums(rows.rows * stride);
    const auto put = [&](std::size_t place, double* to) {
      for (std::size_t row = 0; row < rows.rows; ++row) {
        double& sum = sums[row * stride + place];
        if (!mine[first + row]) to[row] += sum;
        sum = 0;
      }
    };
    std::size_t next = 0;
    walk_fails(
        tree.tree, tree.sets, rows, room,
        [&](const PlanSplit& s, const auto& at) {
          for (; next < tables.leaf.size() && &tree.tree.splits[tables.leaf[next].split] == &s; ++next)
            if (next >= tables.begin && next < tables.end)
              look_up(tables.leaf[next], at(tables.leaf[next].left), rows.rows, stride, sums.data());
        },
        [&](const PlanSplit& s, const auto& path) {
          if (s.above >= 0) return;
          if (!pairs) return put(s.slot, phi + s.column * rows.stride);
          for (std::size_t i = 0; i < s.slot; ++i)
            put(pair_place(s.slot, i), phi + pair_place(s.column, path[i]) * rows.stride);
        });
  }

  const Forest& forest_;
  const ExplainTask task_;
  ShapPlan plan_;
  CellBlock cells_;
  std::unique_ptr<ShapleyWeights> weights_;
  std::vector<Tables> tables_;  // by output, tree, and values or pairs
  std::size_t kept_ = 0;        // doubles of the tables kept
};

}  // namespace

BlockExplainer background_explainer(const Forest& forest, const ExplainTask& task) {
  auto made = std::make_shared<Background>(forest, task);
  BlockExplainer out;
  for (const std::size_t o : task.outputs) out.base.push_back(made->base(o));
  out.fill = [made](Explained& block) { made->fill(block); };
  return out;
}

}  // namespace wald
