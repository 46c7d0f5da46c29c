#include "explain/shap_plan.h"

#include <algorithm>
#include <limits>

#include "tree/figures.h"
#include "wald/table.h"

namespace wald {
namespace {

// What is still to be made a split: a node of the tree, or some of the children of a node with one child a level.
struct Piece {
  std::uint32_t node;
  std::uint32_t low, high;  // children, where `part`
  bool part;
  std::int32_t parent;
  bool left;
};

class Planner {
 public:
  Planner(const Forest& forest, const TreeView& tree, ShapPlan& plan)
      : forest_(forest), tree_(tree), plan_(plan), columns_(plan.columns.size()) {
    if (forest.covered) cover_ = covers(tree);
  }

  PlannedTree make() {
    pieces_.push_back({0, 0, 0, false, -1, false});
    while (!pieces_.empty()) {
      const Piece piece = pieces_.back();
      pieces_.pop_back();
      split(piece);
    }
    if (!out_.splits.empty()) {
      order();
      link();
    }
    return std::move(out_);
  }

 private:
  void split(Piece piece) {
    const Node& node = tree_.nodes[piece.node];
    if (node.is_leaf()) return attach(piece, ~static_cast<std::int32_t>(node.ref));
    if (!piece.part && node.test() == Test::EachLevel) piece.part = true, piece.high = node.ways();
    if (piece.part && piece.high - piece.low == 1)
      return pieces_.push_back({node.child + piece.low, 0, 0, false, piece.parent, piece.left});
    const auto index = static_cast<std::int32_t>(out_.splits.size());
    attach(piece, index);
    PlanSplit s{.column = plan_.place[node.column()], .cells = plan_.place[node.column()]};
    if (piece.part) levels(node, piece, index, s);
    else binary(node, index, s);
    out_.splits.push_back(s);
  }

  void attach(const Piece& piece, std::int32_t child) {
    if (piece.parent < 0) out_.root = child;
    else (piece.left ? out_.splits[piece.parent].left : out_.splits[piece.parent].right) = child;
  }

  void binary(const Node& node, std::int32_t index, PlanSplit& s) {
    if (node.test() == Test::Set) s.set = node.ref;
    else s.cut = forest_.cuts[node.column()][node.ref];
    s.left_share = share(node, 0, 1, 2);
    take_missing(node, 1, s);
    if (node.missing() == kMissingAsks) take_surrogates(node, s);
    pieces_.push_back({node.child + 1, 0, 0, false, index, false});
    pieces_.push_back({node.child, 0, 0, false, index, true});
  }

  void levels(const Node& node, const Piece& piece, std::int32_t index, PlanSplit& s) {
    const std::uint32_t middle = piece.low + (piece.high - piece.low) / 2;
    s.cut = middle - 1.0;
    s.left_share = share(node, piece.low, middle, piece.high);
    take_missing(node, middle, s);
    pieces_.push_back({piece.node, middle, piece.high, true, index, false});
    pieces_.push_back({piece.node, piece.low, middle, true, index, true});
  }

  void take_missing(const Node& node, std::uint32_t middle, PlanSplit& s) {
    s.missing = node.missing() == kMissingEverywhere ? Missing::Everywhere
                : node.missing() < middle            ? Missing::Left
                                                     : Missing::Right;
    out_.spreads = out_.spreads || s.missing == Missing::Everywhere;
  }

  // A cell that goes left and one that goes right; one of them may be the missing one.
  void take_surrogates(const Node& node, PlanSplit& s) {
    AnsweredSplit answer{&node, -std::numeric_limits<double>::infinity(), kMissing};
    s.missing = Missing::Right;
    if (s.set >= 0 && forest_.set_has(node.ref, 0)) answer.left = 0;
    else if (s.set >= 0) answer.left = kMissing, answer.right = 0, s.missing = Missing::Left;
    s.cells = static_cast<std::uint32_t>(plan_.columns.size() + plan_.answered.size());
    plan_.answered.push_back(answer);
  }

  double covered(const Node& node, std::uint32_t low, std::uint32_t high) const {
    double sum = 0;
    for (std::uint32_t w = low; w < high; ++w) sum += cover_[node.child + w];
    return sum;
  }

  // Children that nobody reached share evenly, as predict() does.
  double share(const Node& node, std::uint32_t low, std::uint32_t middle, std::uint32_t high) const {
    const double even = static_cast<double>(middle - low) / (high - low);
    if (cover_.empty()) return even;
    const double left = covered(node, low, middle), all = left + covered(node, middle, high);
    return all > 0 ? left / all : even;
  }

  void order() {
    struct Visit {
      std::uint32_t split;
      Move next;
    };
    std::vector<Visit> stack{{0, Move::Left}};
    while (!stack.empty()) {
      Visit& visit = stack.back();
      const std::uint32_t split = visit.split;
      const PlanSplit& s = out_.splits[split];
      const Move move = visit.next;
      if (move == Move::Up) {
        out_.steps.push_back({move, split});
        stack.pop_back();
        continue;
      }
      visit.next = move == Move::Left ? Move::Right : Move::Up;
      const std::int32_t child = move == Move::Left ? s.left : s.right;
      if (child < 0) continue;
      out_.steps.push_back({move, split});
      out_.splits[child].depth = s.depth + 1;
      out_.depth = std::max(out_.depth, s.depth + 1);
      stack.push_back({static_cast<std::uint32_t>(child), Move::Left});
    }
  }

  // What each split finds above it: walks the steps with, for every column, the last split on the way down.
  void link() {
    struct Last {
      std::int32_t split = -1;
      bool left = false;
    };
    std::vector<Last> last(columns_), saved(out_.splits.size());
    describe(0, -1, false, 0);
    for (const PlanStep& step : out_.steps) {
      PlanSplit& s = out_.splits[step.split];
      Last& mine = last[s.column];
      if (step.move == Move::Up) {
        if (mine.split == static_cast<std::int32_t>(step.split)) mine = saved[step.split];
        continue;
      }
      const bool left = step.move == Move::Left;
      if (mine.split != static_cast<std::int32_t>(step.split)) saved[step.split] = mine;
      mine = {static_cast<std::int32_t>(step.split), left};
      const std::int32_t child = left ? s.left : s.right;
      const Last above = last[out_.splits[child].column];
      describe(child, above.split, above.left, s.slots + (s.above < 0));
    }
  }

  void describe(std::int32_t index, std::int32_t above, bool left, std::uint32_t slots) {
    PlanSplit& s = out_.splits[index];
    s.above = above, s.above_left = left, s.slots = s.slot = slots;
    if (above >= 0) {
      const PlanSplit& a = out_.splits[above];
      s.above_share = a.above_share * (left ? a.left_share : 1 - a.left_share);
      s.slot = a.slot;
    }
    out_.columns = std::max(out_.columns, slots + (above < 0));
  }

  const Forest& forest_;
  const TreeView& tree_;
  ShapPlan& plan_;
  std::size_t columns_;
  std::vector<double> cover_;
  std::vector<Piece> pieces_;
  PlannedTree out_;
};

void add_constants(PlannedTree& tree, const Quadrature& q) {
  for (PlanSplit& s : tree.splits) {
    if (s.above < 0) continue;
    s.constants = static_cast<std::uint32_t>(tree.constants.size());
    for (const double t : q.point) tree.constants.push_back(1 / (t + (1 - t) * s.above_share));
  }
}

}  // namespace

ShapPlan make_plan(const Forest& forest) {
  ShapPlan plan;
  std::vector<std::uint32_t>& place = plan.place;
  place.resize(forest.cuts.size());
  for (const Node& node : forest.nodes)
    if (!node.is_leaf()) place[node.column()] = 1;
  for (const Surrogate& s : forest.surrogates)
    if (!s.is_last()) place[s.column()] = 1;
  for (std::uint32_t c = 0; c < place.size(); ++c) {
    if (place[c] == 0) continue;
    place[c] = static_cast<std::uint32_t>(plan.columns.size());
    plan.columns.push_back(c);
  }
  for (std::size_t t = 0; t < forest.trees(); ++t) {
    PlannedTree tree = Planner(forest, forest.tree(t), plan).make();
    const std::size_t points = tree.points();
    if (plan.quadrature.size() <= points) plan.quadrature.resize(points + 1);
    if (points > 0 && plan.quadrature[points].point.empty())
      plan.quadrature[points] = gauss_legendre(static_cast<int>(points));
    if (points > 0) add_constants(tree, plan.quadrature[points]);
    plan.trees.push_back(std::move(tree));
  }
  return plan;
}

bool speaks_for(const Forest& forest, std::size_t tree, std::size_t output) {
  return forest.output.empty() || forest.output[tree] == output;
}

LeafValues leaf_values(const Forest& forest, std::size_t output) {
  return {forest.values.data() + (forest.output.empty() ? output : 0), forest.width()};
}

double expected(const PlannedTree& tree, const LeafValues& leaves) {
  const auto value = [&](std::int32_t leaf) { return leaves.at(leaf); };
  if (tree.root < 0) return value(tree.root);
  std::vector<double> of(tree.splits.size());
  for (std::size_t i = of.size(); i-- > 0;) {
    const PlanSplit& s = tree.splits[i];
    const double left = s.left < 0 ? value(s.left) : of[s.left], right = s.right < 0 ? value(s.right) : of[s.right];
    of[i] = right + s.left_share * (left - right);
  }
  return of[0];
}

}  // namespace wald
