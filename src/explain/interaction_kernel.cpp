// Pairs of columns: the mixed derivative of a tree's extension (shap_kernel.h). A pair of splits on different columns
// contributes where one lies below the other; so on the way down each column j above is carried as the derivative
// T_j = dP / ds_j of the product, and a split on c adds  sum_k w_k T_j r'_c (left - right)  to the pair (c, j).
#include <algorithm>

#include "explain/shap_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "explain/interaction_kernel.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

#include "explain/shap_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

constexpr std::size_t kSlopeRoom = std::size_t{1} << 22;  // doubles the derivatives may take; more are done in groups

// Columns above a split whose place on the path lies in first .. last - 1.
struct Slots {
  std::size_t first = 0, last = 0;
};

template <bool kSpread>
class PairPass {
 public:
  PairPass(const KernelTask& task, Workspace& work)
      : task_(task),
        tree_(*task.tree),
        q_(*task.quadrature),
        work_(work),
        points_(q_.point.size()),
        size_(points_ * kPassRows),
        column_(tree_.columns) {
    group_ = std::clamp<std::size_t>(kSlopeRoom / ((tree_.depth + 1) * size_), 1, tree_.columns);
    work_.product.resize(std::max(work_.product.size(), (tree_.depth + 1) * size_));
    work_.value.resize(std::max(work_.value.size(), (tree_.depth + 2) * size_));
    work_.slope.resize(std::max(work_.slope.size(), (tree_.depth + 1) * group_ * size_));
    work_.ratio.resize(std::max(work_.ratio.size(), 3 * points_));
    work_.difference.resize(std::max(work_.difference.size(), size_));
  }

  void run(std::size_t row, std::size_t output, double* pairs) {
    values_ = task_.leaves.value + output;
    pairs_ = pairs + row;
    // The deepest column of a path is above nothing.
    for (std::size_t first = 0; first + 1 < tree_.columns; first += group_)
      walk({first, std::min<std::size_t>(first + group_, tree_.columns)});
  }

 private:
  std::size_t place(std::size_t v, std::size_t k) const { return (v * points_ + k) * lanes(); }
  double value(std::int32_t leaf) const { return values_[static_cast<std::size_t>(~leaf) * task_.leaves.width]; }
  double* product(std::size_t depth) { return work_.product.data() + depth * size_; }
  double* slope(std::size_t depth, std::size_t slot) {
    return work_.slope.data() + (depth * group_ + slot - slots_.first) * size_;
  }
  // Where the children's values begin; the split's own takes their place.
  double* first_of(const PlanSplit& s) const {
    return top_ - ((s.left >= 0) + (s.right >= 0)) * static_cast<std::ptrdiff_t>(size_);
  }
  bool held(std::size_t slot) const { return slot >= slots_.first && slot < slots_.last; }

  void walk(Slots slots) {
    slots_ = slots;
    for (std::size_t v = 0; v < vectors(); ++v)
      for (std::size_t k = 0; k < points_; ++k)
        hn::StoreU(hn::Set(kD, q_.weight[k]), kD, work_.product.data() + place(v, k));
    top_ = work_.value.data();
    for (const PlanStep& step : tree_.steps) {
      const PlanSplit& s = tree_.splits[step.split];
      if (s.above < 0) take<false>(step, s);
      else take<true>(step, s);
    }
  }

  template <bool kAgain>
  void take(const PlanStep& step, const PlanSplit& s) {
    const Ratios constants = ratios(tree_, s, q_, work_.ratio.data());
    column_[s.slot] = s.column;
    for (std::size_t v = 0; v < vectors(); ++v) {
      const SplitLanes<kAgain, kSpread> rows(s, constants, q_, work_.lanes, step.split, v);
      if (step.move == Move::Up) up(s, rows, v);
      else down(step.move == Move::Left, s, rows, v);
    }
    if (step.move == Move::Up) top_ = first_of(s) + size_;
  }

  template <class Rows>
  void down(bool left, const PlanSplit& s, const Rows& rows, std::size_t v) {
    const std::size_t last = std::min<std::size_t>(slots_.last, s.slots);
    const V one = hn::Set(kD, 1.0);
    for (std::size_t k = 0; k < points_; ++k) {
      const std::size_t at = place(v, k);
      const V r = rows.ratio(k), share = left ? r : hn::Sub(one, r);
      const V p = hn::LoadU(kD, product(s.depth) + at);
      hn::StoreU(hn::Mul(p, share), kD, product(s.depth + 1) + at);
      for (std::size_t slot = slots_.first; slot < last; ++slot)
        hn::StoreU(hn::Mul(hn::LoadU(kD, slope(s.depth, slot) + at), share), kD, slope(s.depth + 1, slot) + at);
      if (!held(s.slot)) continue;
      const V mine = rows.times_difference(hn::Mul(p, rows.slope(k)));
      double* to = slope(s.depth + 1, s.slot) + at;
      const V above = s.above < 0 ? hn::Zero(kD) : hn::LoadU(kD, to);
      hn::StoreU(left ? hn::Add(above, mine) : hn::Sub(above, mine), kD, to);
    }
  }

  template <class Rows>
  void up(const PlanSplit& s, const Rows& rows, std::size_t v) {
    double* first = first_of(s);
    const double* right = s.left >= 0 ? first + size_ : first;
    double* difference = work_.difference.data();
    for (std::size_t k = 0; k < points_; ++k) {
      const std::size_t at = place(v, k);
      const V l = s.left >= 0 ? hn::LoadU(kD, first + at) : hn::Set(kD, value(s.left));
      const V r = s.right >= 0 ? hn::LoadU(kD, right + at) : hn::Set(kD, value(s.right));
      const V d = hn::Sub(l, r);
      hn::StoreU(hn::Mul(d, rows.slope(k)), kD, difference + k * lanes());
      hn::StoreU(hn::Add(r, hn::Mul(rows.ratio(k), d)), kD, first + at);
    }
    const std::size_t last = std::min<std::size_t>(slots_.last, s.slots);
    for (std::size_t slot = slots_.first; slot < last; ++slot) {
      if (slot == s.slot) continue;
      const double* t = slope(s.depth, slot) + place(v, 0);
      V sum = hn::Zero(kD);
      for (std::size_t k = 0; k < points_ * lanes(); k += lanes())
        sum = hn::Add(sum, hn::Mul(hn::LoadU(kD, t + k), hn::LoadU(kD, difference + k)));
      double* into = pairs_ + pair_place(s.column, column_[slot]) * task_.stride + v * lanes();
      hn::StoreU(hn::Add(hn::LoadU(kD, into), rows.times_difference(sum)), kD, into);
    }
  }

  const KernelTask& task_;
  const PlannedTree& tree_;
  const Quadrature& q_;
  Workspace& work_;
  std::size_t points_, size_, group_ = 1;
  std::vector<std::size_t> column_;  // by slot of the path at hand
  Slots slots_;
  const double* values_ = nullptr;
  double* pairs_ = nullptr;
  double* top_ = nullptr;
};

template <bool kSpread>
void pair_passes(const KernelTask& task, Workspace& work) {
  PairPass<kSpread> pass(task, work);
  const std::size_t pairs = task.columns * (task.columns - 1) / 2;
  for (std::size_t row = 0; row < task.stride; row += kPassRows) {
    find_lanes(task, row, kSpread, work.lanes);
    for (std::size_t o = 0; o < task.wanted.size(); ++o)
      pass.run(row, task.wanted[o], task.phi + o * pairs * task.stride);
  }
}

void add_pairs_here(const KernelTask& task, Workspace& work) {
  if (task.missing && task.tree->spreads) pair_passes<true>(task, work);
  else pair_passes<false>(task, work);
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(add_pairs_here);

void add_tree_pairs(const KernelTask& task, Workspace& work) {
  if (task.tree->columns > 1) HWY_DYNAMIC_DISPATCH(add_pairs_here)(task, work);
}
}  // namespace wald
#endif
