#include "explain/shap_kernel.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "explain/shap_kernel.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

#include "explain/shap_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

// kPoints: the number of points where it is small enough to unroll, else 0.
template <bool kSpread, std::size_t kPoints>
class Pass {
 public:
  Pass(const KernelTask& task, Workspace& work)
      : task_(task), tree_(*task.tree), q_(*task.quadrature), work_(work), size_(points() * kPassRows) {
    work_.product.resize(std::max(work_.product.size(), (tree_.depth + 1) * size_));
    work_.value.resize(std::max(work_.value.size(), (tree_.depth + 2) * size_));
    work_.ratio.resize(std::max(work_.ratio.size(), 3 * points()));
  }

  void run(std::size_t row, std::size_t output, double* phi) {
    values_ = task_.leaves.value + output;
    phi_ = phi + row;
    for (std::size_t v = 0; v < vectors(); ++v)
      for (std::size_t k = 0; k < points(); ++k)
        hn::StoreU(hn::Set(kD, q_.weight[k]), kD, work_.product.data() + place(v, k));
    top_ = work_.value.data();
    for (const PlanStep& step : tree_.steps) {
      const PlanSplit& s = tree_.splits[step.split];
      if (s.above < 0) take<false>(step, s);
      else take<true>(step, s);
    }
  }

 private:
  std::size_t points() const { return kPoints != 0 ? kPoints : q_.point.size(); }
  std::size_t place(std::size_t v, std::size_t k) const { return (v * points() + k) * lanes(); }
  double value(std::int32_t leaf) const { return values_[static_cast<std::size_t>(~leaf) * task_.leaves.width]; }

  template <bool kAgain>
  void take(const PlanStep& step, const PlanSplit& s) {
    const Ratios constants = ratios(tree_, s, q_, work_.ratio.data());
    if (step.move != Move::Up) return down<kAgain>(step, s, constants);
    if (s.left >= 0 && s.right >= 0) {
      top_ -= size_;
      up<kAgain, true, true>(step, s, constants, top_ - size_, top_, top_ - size_);
    } else if (s.left >= 0) {
      up<kAgain, true, false>(step, s, constants, top_ - size_, nullptr, top_ - size_);
    } else if (s.right >= 0) {
      up<kAgain, false, true>(step, s, constants, nullptr, top_ - size_, top_ - size_);
    } else {
      up<kAgain, false, false>(step, s, constants, nullptr, nullptr, top_);
      top_ += size_;
    }
  }

  // The product of a child that is a split.
  template <bool kAgain>
  void down(const PlanStep& step, const PlanSplit& s, const Ratios& constants) {
    const double* from = work_.product.data() + s.depth * size_;
    double* to = work_.product.data() + (s.depth + 1) * size_;
    const V one = hn::Set(kD, 1.0);
    for (std::size_t v = 0; v < vectors(); ++v) {
      const SplitLanes<kAgain, kSpread> rows(s, constants, q_, work_.lanes, step.split, v);
      for (std::size_t k = 0; k < points(); ++k) {
        const V r = rows.ratio(k), p = hn::LoadU(kD, from + place(v, k));
        const V share = step.move == Move::Left ? r : hn::Sub(one, r);
        hn::StoreU(hn::Mul(p, share), kD, to + place(v, k));
      }
    }
  }

  // The value of a split from its children's, and what the split adds to its column. Two leaves differ by the same at
  // every point, so that for them only the products are summed.
  template <bool kAgain, bool kLeft, bool kRight>
  void up(const PlanStep& step, const PlanSplit& s, const Ratios& constants, const double* left, const double* right,
          double* to) {
    const double* product = work_.product.data() + s.depth * size_;
    const V left_leaf = hn::Set(kD, kLeft ? 0 : value(s.left)), right_leaf = hn::Set(kD, kRight ? 0 : value(s.right));
    double* phi = phi_ + s.column * task_.stride;
    for (std::size_t v = 0; v < vectors(); ++v) {
      const SplitLanes<kAgain, kSpread> rows(s, constants, q_, work_.lanes, step.split, v);
      V sum = hn::Zero(kD);
      for (std::size_t k = 0; k < points(); ++k) {
        const std::size_t at = place(v, k);
        V p = hn::LoadU(kD, product + at);
        if constexpr (kAgain || kSpread) p = hn::Mul(p, rows.slope(k));
        const V r = right_of<kRight>(right, at, right_leaf);
        const V difference = hn::Sub(right_of<kLeft>(left, at, left_leaf), r);
        sum = hn::Add(sum, kLeft || kRight ? hn::Mul(p, difference) : p);
        hn::StoreU(hn::Add(r, hn::Mul(rows.ratio(k), difference)), kD, to + at);
      }
      if constexpr (!kLeft && !kRight) sum = hn::Mul(sum, hn::Sub(left_leaf, right_leaf));
      double* into = phi + v * lanes();
      hn::StoreU(hn::Add(hn::LoadU(kD, into), rows.times_difference(sum)), kD, into);
    }
  }
  template <bool kSplit>
  static V right_of(const double* from, std::size_t at, V leaf) {
    if constexpr (kSplit) return hn::LoadU(kD, from + at);
    else return leaf;
  }

  const KernelTask& task_;
  const PlannedTree& tree_;
  const Quadrature& q_;
  Workspace& work_;
  std::size_t size_;
  const double* values_ = nullptr;
  double* phi_ = nullptr;
  double* top_ = nullptr;
};

template <bool kSpread, std::size_t kPoints>
void passes(const KernelTask& task, Workspace& work) {
  Pass<kSpread, kPoints> pass(task, work);
  for (std::size_t row = 0; row < task.stride; row += kPassRows) {
    find_lanes(task, row, kSpread, work.lanes);
    for (std::size_t o = 0; o < task.wanted.size(); ++o)
      pass.run(row, task.wanted[o], task.phi + o * task.columns * task.stride);
  }
}

void add_tree_here(const KernelTask& task, Workspace& work) {
  if (task.missing && task.tree->spreads) return passes<true, 0>(task, work);
  switch (task.quadrature->point.size()) {
    case 1:
      return passes<false, 1>(task, work);
    case 2:
      return passes<false, 2>(task, work);
    case 3:
      return passes<false, 3>(task, work);
    case 4:
      return passes<false, 4>(task, work);
    case 5:
      return passes<false, 5>(task, work);
    default:
      return passes<false, 0>(task, work);
  }
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(add_tree_here);

void add_tree(const KernelTask& task, Workspace& work) {
  if (task.tree->splits.empty()) return;
  HWY_DYNAMIC_DISPATCH(add_tree_here)(task, work);
}
}  // namespace wald
#endif
