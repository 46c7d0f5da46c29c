#include "learn/private_dpboost.h"

#include <algorithm>
#include <cmath>

#include "core/elementary.h"
#include "learn/private_boost_rows.h"
#include "tree/assembler.h"

namespace wald {
namespace {

constexpr int kScoreBits = 24;           // of predictions and targets, both within about +-1
constexpr std::size_t kThresholds = 31;  // of a column of numbers

// One question that may be asked: codes up to `code`, or the one level `code`, go to the first child.
struct Candidate {
  std::size_t column = 0;
  int code = 0;
};

class DpBoost {
 public:
  DpBoost(const PrivateTask& task, const Domain& domain, const PrivateBoost& how, PureBudget budget, Entropy& entropy,
          Witness* witness)
      : how_(how),
        budget_(std::move(budget)),
        entropy_(entropy),
        witness_(witness),
        rows_(bounded_rows(task, static_cast<std::uint64_t>(how.max_rows))),
        x_(private_rows(task.rows, domain, rows_)),
        middle_(0.5 * (domain.target.low + domain.target.high)),
        half_(0.5 * (domain.target.high - domain.target.low)),
        classes_(task.rows.classifies()) {
    for (const Row row : rows_)
      y_.push_back(classes_ ? task.rows.classes().code[row] << kScoreBits
                            : std::llrint(std::ldexp((task.rows.numbers()[row] - middle_) / half_, kScoreBits)));
    score_.assign(rows_.size(), 0);
    for (std::size_t c = 0; c < x_.columns.size(); ++c) add_candidates(c);
  }

  Forest fit(const Run& run) {
    Assembler assembler({classes_ ? 0.0 : middle_}, x_.columns.size());
    const auto ensembles = static_cast<std::uint64_t>((how_.trees + how_.ensemble - 1) / how_.ensemble);
    const std::uint64_t each = budget_.left() / ensembles;
    for (int grown = 0; grown < how_.trees && !run.stopped(); grown += how_.ensemble) {
      const int trees = std::min(how_.ensemble, how_.trees - grown);
      std::vector<PureBudget> budgets = budget_.disjoint(static_cast<std::size_t>(trees), each);
      const std::vector<std::vector<std::uint32_t>> share = deal(trees);
      for (int t = 0; t < trees; ++t)
        assembler.add(grow(share[static_cast<std::size_t>(t)], t, budgets[static_cast<std::size_t>(t)]));
    }
    return std::move(assembler).finish();
  }

 private:
  void add_candidates(std::size_t c) {
    const PrivateColumn& column = x_.columns[c];
    if (column.type == ColumnType::Category) {
      for (int code = 1; code < column.codes; ++code) candidates_.push_back({c, code});
      return;
    }
    const double low = column.cuts.front(), range = column.cuts.back() - low;
    std::size_t last = 0;
    for (std::size_t k = 1; k <= kThresholds; ++k) {
      const double at = low + range * static_cast<double>(k) / (kThresholds + 1);
      const auto code = static_cast<std::size_t>(std::ranges::lower_bound(column.cuts, at) - column.cuts.begin()) + 1;
      if (code != last && code < static_cast<std::size_t>(column.codes) - 1)
        candidates_.push_back({c, static_cast<int>(code)});
      last = code;
    }
  }

  // Each row to one tree, by a coin of its own: tree t with a probability that falls as (1 - rate)^t.
  std::vector<std::vector<std::uint32_t>> deal(int trees) {
    std::vector<std::uint64_t> upto;
    double weight = 1, sum = 0;
    for (int t = 0; t < trees; ++t, weight *= 1 - how_.learning_rate)
      upto.push_back(static_cast<std::uint64_t>(std::ldexp(sum += weight, 32)));
    std::vector<std::vector<std::uint32_t>> out(static_cast<std::size_t>(trees));
    const std::size_t dealt = rows_.size() - (witness_ != nullptr && !witness_->counted ? 1 : 0);
    for (std::uint32_t row = 0; row < dealt; ++row)
      out[static_cast<std::size_t>(std::ranges::upper_bound(upto, entropy_.below(upto.back())) - upto.begin())]
          .push_back(row);
    return out;
  }

  std::int64_t gradient(std::size_t row) const {  // in units of 2^-kGainBits, rounded towards 0
    double off = std::ldexp(static_cast<double>(score_[row]), -kScoreBits);
    if (classes_) off = 1 / (1 + exp_exact(-off));
    return static_cast<std::int64_t>(
        std::ldexp(off - std::ldexp(static_cast<double>(y_[row]), -kScoreBits), kGainBits));
  }

  bool goes_left(const Candidate& split, std::size_t row) const {
    const PrivateColumn& column = x_.columns[split.column];
    const int code = column.code[row];
    return column.type == ColumnType::Category ? code == split.code
                                               : code <= split.code;  // missing goes left of numbers
  }

  Tree grow(std::vector<std::uint32_t> rows, int number, PureBudget& budget);
  Candidate draw_split(const std::vector<std::uint32_t>& rows, const std::vector<std::int64_t>& g, PureBudget&,
                       std::uint64_t cost);
  void put_split(Tree&, std::size_t node, const Candidate&) const;
  std::int64_t release_leaf(Side, bool of_canary, std::int64_t most, PureBudget&, std::uint64_t cost);
  std::size_t leaf_of(std::size_t row, const std::vector<Candidate>& split) const {
    std::size_t n = 0;
    while (n < split.size()) n = 2 * n + (goes_left(split[n], row) ? 1 : 2);
    return n;
  }

  const PrivateBoost& how_;
  PureBudget budget_;
  Entropy& entropy_;
  Witness* witness_;
  std::vector<Row> rows_;
  PrivateRows x_;
  double middle_, half_;
  bool classes_;
  std::vector<std::int64_t> y_, score_;  // in units of 2^-kScoreBits of the half range
  std::vector<Candidate> candidates_;
};

Candidate DpBoost::draw_split(const std::vector<std::uint32_t>& rows, const std::vector<std::int64_t>& g,
                              PureBudget& budget, std::uint64_t cost) {
  std::vector<std::int64_t> scores;
  std::vector<Side> code;
  std::size_t counted = x_.columns.size();
  Side all;
  for (const std::uint32_t row : rows) all.g += g[row], ++all.rows;
  for (const Candidate& candidate : candidates_) {
    const PrivateColumn& column = x_.columns[candidate.column];
    if (candidate.column != counted) {
      counted = candidate.column;
      code.assign(static_cast<std::size_t>(column.codes), {});
      for (const std::uint32_t row : rows) code[column.code[row]].g += g[row], ++code[column.code[row]].rows;
      if (column.type == ColumnType::Number)
        for (std::size_t k = 1; k < code.size(); ++k) code[k].g += code[k - 1].g, code[k].rows += code[k - 1].rows;
    }
    const Side left = code[static_cast<std::size_t>(candidate.code)];
    scores.push_back(split_score(left, {all.g - left.g, all.rows - left.rows}));
  }
  return candidates_[budget.choose(entropy_, scores, kGainReach, cost)];
}

void DpBoost::put_split(Tree& tree, std::size_t n, const Candidate& split) const {
  const PrivateColumn& column = x_.columns[split.column];
  TreeNode& node = tree.nodes[n];
  node = {.column = static_cast<std::uint32_t>(split.column), .child = static_cast<std::uint32_t>(2 * n + 1)};
  if (column.type == ColumnType::Number) {
    node.test = Test::Threshold, node.ref = static_cast<std::uint32_t>(split.code), node.missing = 0;
    tree.threshold[n] = column.cuts[static_cast<std::size_t>(split.code) - 1];
    return;
  }
  node.test = Test::Set, node.ref = static_cast<std::uint32_t>(tree.sets.size()), node.missing = 1;
  std::vector<std::uint64_t> set((column.group.size() + 63) / 64);
  for (std::size_t level = 0; level < column.group.size(); ++level)
    if (column.group[level] == split.code) set[level / 64] |= std::uint64_t{1} << (level % 64);
  tree.sets.insert(tree.sets.end(), set.begin(), set.end());
}

// An auditor weighs y, a leaf of q without the canary and of q + v with it, by (|y - q| - |y - q - v|) / scale.
std::int64_t DpBoost::release_leaf(Side side, bool of_canary, std::int64_t most, PureBudget& budget,
                                   std::uint64_t cost) {
  const std::uint64_t reach = leaf_reach(most);
  if (!of_canary) return budget.release(entropy_, leaf_score(side, most), reach, cost);
  const std::int64_t g = gradient(rows_.size() - 1);
  const Side one = std::abs(g) > 1 << kGainBits ? Side{} : Side{g, 1};
  if (witness_->counted) side.g -= one.g, side.rows -= one.rows;
  std::vector<std::int64_t> others{leaf_score(side, most)};
  std::vector<std::int64_t> canary{leaf_score({side.g + one.g, side.rows + one.rows}, most) - others[0]};
  witness_->reach = reach;
  const int number = witness_->releases++;
  if (witness_->before) witness_->before(number, others, canary);
  const std::int64_t noisy = budget.release(entropy_, others[0] + (witness_->counted ? canary[0] : 0), reach, cost);
  const double scale = std::ldexp(static_cast<double>(reach), PureBudget::kBits) / static_cast<double>(cost);
  witness_->evidence[1] +=
      static_cast<double>(std::abs(noisy - others[0]) - std::abs(noisy - others[0] - canary[0])) / scale;
  return noisy;
}

// A whole tree: half of the budget for the leaves, half for the levels alike. Nodes of a level see different rows; in
// two-node trees a node and its sibling are both asked of each split, so that each costs half as much again.
Tree DpBoost::grow(std::vector<std::uint32_t> rows, int number, PureBudget& budget) {
  const auto depth = static_cast<std::size_t>(how_.max_depth);
  const std::size_t inner = (std::size_t{1} << depth) - 1;
  Tree tree;
  tree.nodes.resize(2 * inner + 1);
  tree.threshold.resize(tree.nodes.size());
  tree.values.resize(tree.nodes.size());
  std::vector<std::int64_t> g(rows_.size());
  for (const std::uint32_t row : rows) g[row] = gradient(row);
  std::erase_if(rows,
                [&](std::uint32_t row) { return std::abs(g[row]) > 1 << kGainBits; });  // gradient-based filtering
  const std::uint64_t leaves_cost = budget.left() / 2, level_cost = (budget.left() - leaves_cost) / depth;
  std::vector<std::vector<std::uint32_t>> at(tree.nodes.size());
  at[0] = std::move(rows);
  std::vector<Candidate> split(inner);
  for (std::size_t level = 0, first = 0; level < depth; ++level, first = 2 * first + 1) {
    const std::size_t nodes = std::size_t{1} << level;
    const bool twice = how_.two_nodes && level > 0;
    std::vector<std::vector<PureBudget>> budgets;
    for (int k = 0; k < (twice ? 2 : 1); ++k) budgets.push_back(budget.disjoint(nodes, level_cost / (twice ? 2 : 1)));
    for (std::size_t n = first; n < first + nodes; ++n) {
      std::vector<std::uint32_t> asked = at[n];
      if (twice) {
        const std::vector<std::uint32_t>& sibling = at[n % 2 == 1 ? n + 1 : n - 1];
        asked.insert(asked.end(), sibling.begin(), sibling.end());
      }
      PureBudget& own = budgets[twice ? n % 2 : 0][n - first];
      split[n] = draw_split(asked, g, own, own.left());
      put_split(tree, n, split[n]);
      for (const std::uint32_t row : at[n]) at[2 * n + (goes_left(split[n], row) ? 1 : 2)].push_back(row);
    }
  }
  // Geometric leaf clipping: what is left to learn falls with the rate, tree by tree.
  const auto most = static_cast<std::int64_t>(std::ldexp(std::pow(1 - how_.learning_rate, number), kLeafBits)) + 1;
  std::vector<PureBudget> own = budget.disjoint(inner + 1, leaves_cost);
  const std::size_t canary = witness_ == nullptr ? 0 : leaf_of(rows_.size() - 1, split);
  for (std::size_t n = inner; n < tree.nodes.size(); ++n) {
    Side side;
    for (const std::uint32_t row : at[n]) side.g += g[row], ++side.rows;
    const std::int64_t noisy = release_leaf(side, n == canary, most, own[n - inner], leaves_cost);
    const double step = how_.learning_rate * std::ldexp(static_cast<double>(noisy), -kLeafBits);
    tree.values[n] = std::ldexp(std::nearbyint(std::ldexp(step, kScoreBits)), -kScoreBits);
  }
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    score_[row] += std::llrint(std::ldexp(tree.values[leaf_of(row, split)], kScoreBits));
  }
  if (!classes_)
    for (double& value : tree.values) value *= half_;
  return tree;
}

}  // namespace

std::int64_t split_score(Side left, Side right) {
  const auto of = [](Side side) {  // squares of sums over millions of rows have more than 64 bits
    const Wide size = static_cast<Wide>(std::abs(side.g));
    return static_cast<std::int64_t>(size * size / static_cast<Wide>(side.rows + 1));
  };
  return of(left) + of(right);
}

std::int64_t leaf_score(Side side, std::int64_t most) {
  const std::int64_t value = -(side.g << (kLeafBits - kGainBits)) / (side.rows + 1);
  return std::clamp(value, -most, most);
}

std::uint64_t leaf_reach(std::int64_t most) {
  return static_cast<std::uint64_t>(std::min<std::int64_t>((std::int64_t{1} << (kLeafBits - 1)) + 1, 2 * most));
}

PrivateBoost with_defaults(PrivateBoost how) {
  if (how.trees == 0) how.trees = 50;
  if (how.learning_rate == 0) how.learning_rate = 0.1;
  if (how.max_depth == 0) how.max_depth = 6;
  if (how.ensemble == 0) how.ensemble = how.trees;
  return how;
}

Result<Forest> fit_dpboost(const PrivateTask& task, const Domain& domain, const PrivateBoost& given, PureBudget budget,
                           Entropy& entropy, const Run& run, Witness* witness) {
  const PrivateBoost how = with_defaults(given);
  Forest forest = DpBoost(task, domain, how, std::move(budget), entropy, witness).fit(run);
  if (run.stopped()) return Error{ErrorKind::Interrupted, "interrupted while training; what was spent is spent", ""};
  return forest;
}

}  // namespace wald
