// Included once per instruction set (Highway's foreach_target): which rows go where, as masks, and the shares r of
// a split for a vector of rows. shap_kernel.h says what the letters mean.
#if defined(WALD_SHAP_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef WALD_SHAP_LANES
#undef WALD_SHAP_LANES
#else
#define WALD_SHAP_LANES
#endif

#include <hwy/highway.h>

#include "explain/shap_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most eight lanes, so that a byte holds a mask. Every lane does the same operations in the same order on every
// instruction set, multiplication and addition apart, so the bits never differ.
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
constexpr D kD;
inline std::size_t lanes() { return hn::Lanes(kD); }
inline std::size_t vectors() { return kPassRows / lanes(); }

inline M mask_at(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  return hn::LoadMaskBits(kD, bytes.data() + at);
}

inline std::uint8_t byte_of(M mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(kD, mask, bytes);
  return bytes[0];
}

inline std::uint8_t in_set(const std::uint64_t* set, const double* cell, bool missing_left) {
  unsigned byte = 0;
  for (std::size_t i = 0; i < lanes(); ++i) {
    const double x = cell[i];
    const auto level = x == x ? static_cast<std::uint32_t>(x) : 0u;
    const bool left = x == x ? set[level / 64] >> (level % 64) & 1 : missing_left;
    byte |= static_cast<unsigned>(left) << i;
  }
  return static_cast<std::uint8_t>(byte);
}

// Whether a missing cell is spread is asked by the caller.
inline std::uint8_t goes_left(const KernelTask& task, const PlanSplit& s, const double* cell) {
  const bool missing_left = s.missing == Missing::Left;
  if (s.set >= 0) return in_set(task.sets + s.set, cell, missing_left);
  const V x = hn::LoadU(kD, cell);
  M left = hn::Le(x, hn::Set(kD, s.cut));
  if (missing_left) left = hn::Or(left, hn::IsNaN(x));
  return byte_of(left);
}

inline void general_lanes(const PlannedTree& tree, std::size_t index, const double* cell, Lanes& out) {
  const std::size_t n = vectors();
  const PlanSplit& s = tree.splits[index];
  double* share = out.share.data() + index * kPassRows;
  for (std::size_t v = 0; v < n; ++v) {
    const std::uint8_t spread =
        s.missing == Missing::Everywhere ? byte_of(hn::IsNaN(hn::LoadU(kD, cell + v * lanes()))) : std::uint8_t{0};
    out.spread[index * n + v] = spread;
    out.general[index * n + v] = s.above < 0 ? spread : spread | out.general[s.above * n + v];
  }
  if (s.above < 0) {
    std::fill(share, share + kPassRows, 1.0);
    return;
  }
  const PlanSplit& a = tree.splits[s.above];
  const double z = s.above_left ? a.left_share : 1 - a.left_share;
  for (std::size_t i = 0; i < kPassRows; ++i) {
    const std::size_t byte = s.above * n + i / lanes(), bit = i % lanes();
    const bool left = out.left[byte] >> bit & 1;
    const double o = out.spread[byte] >> bit & 1 ? z : left == s.above_left ? 1.0 : 0.0;
    share[i] = out.share[s.above * kPassRows + i] * o;
  }
}

// Fills `out` for the rows that begin at `row`.
inline void find_lanes(const KernelTask& task, std::size_t row, bool spreads, Lanes& out) {
  const std::vector<PlanSplit>& splits = task.tree->splits;
  const std::size_t n = vectors(), room = splits.size() * n + 8;  // masks are loaded from eight readable bytes
  for (auto* bytes : {&out.left, &out.known}) bytes->resize(std::max(bytes->size(), room));
  if (spreads) {
    for (auto* bytes : {&out.general, &out.spread}) bytes->resize(std::max(bytes->size(), room));
    out.share.resize(std::max(out.share.size(), splits.size() * kPassRows));
  }
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const PlanSplit& s = splits[i];
    const double* cell = task.cells + s.cells * task.stride + row;
    for (std::size_t v = 0; v < n; ++v) {
      out.left[i * n + v] = goes_left(task, s, cell + v * lanes());
      if (s.above < 0) continue;
      const std::size_t a = s.above * n + v;
      out.known[i * n + v] =
          (splits[s.above].above < 0 ? 0xFF : out.known[a]) & (s.above_left ? out.left[a] : ~out.left[a]);
    }
    if (spreads) general_lanes(*task.tree, i, cell, out);
  }
}

// The constants of one split at every point: r where the row goes left and where it goes right, and Z / f^2 of r'.
struct Ratios {
  const double *left, *right, *slope;
};

inline Ratios ratios(const PlannedTree& tree, const PlanSplit& s, const Quadrature& q, double* room) {
  const std::size_t points = q.point.size();
  double *left = room, *right = room + points, *slope = room + 2 * points;
  const double z = s.above_share * s.left_share;
  const double* inverse = tree.constants.data() + s.constants;
  for (std::size_t k = 0; k < points; ++k) {
    const double t = q.point[k], out = (1 - t) * z;
    left[k] = t + out;
    right[k] = out;
    if (s.above < 0) continue;
    left[k] *= inverse[k];
    right[k] *= inverse[k];
    slope[k] = s.above_share * inverse[k] * inverse[k];
  }
  return {left, right, slope};
}

// r and r' / (o - z) of one vector of rows at one split. kAgain: the column was asked above. kSpread: some rows of the
// pass may have fractions.
template <bool kAgain, bool kSpread>
struct SplitLanes {
  SplitLanes(const PlanSplit& s, const Ratios& constants, const Quadrature& q, const Lanes& of, std::size_t split,
             std::size_t v)
      : s_(s), constants_(constants), q_(q), z_(hn::Set(kD, s.left_share)) {
    const std::size_t at = split * vectors() + v;
    left_ = mask_at(of.left, at);
    if constexpr (kAgain) known_ = mask_at(of.known, at);
    if constexpr (kSpread) {
      general_ = mask_at(of.general, at);
      spread_ = mask_at(of.spread, at);
      share_ = hn::LoadU(kD, of.share.data() + split * kPassRows + v * lanes());
    }
  }

  V ratio(std::size_t k) const {
    V r = hn::IfThenElse(left_, hn::Set(kD, constants_.left[k]), hn::Set(kD, constants_.right[k]));
    if constexpr (kAgain) r = hn::IfThenElse(known_, r, z_);
    if constexpr (kSpread) r = hn::IfThenElse(general_, general_ratio(k), r);
    return r;
  }

  V slope(std::size_t k) const {
    V q = hn::Set(kD, kAgain ? constants_.slope[k] : 1.0);
    if constexpr (kSpread) {
      const V f = reached(k);
      const V general = hn::Div(hn::Mul(share_, hn::Set(kD, s_.above_share)), hn::Mul(f, f));
      q = hn::IfThenElse(general_, hn::IfThenElseZero(hn::Gt(f, hn::Zero(kD)), general), q);
    }
    return q;
  }

  // x (o - z), 0 where O is 0.
  V times_difference(V x) const {
    V difference = hn::IfThenElse(left_, hn::Set(kD, 1 - s_.left_share), hn::Set(kD, -s_.left_share));
    if constexpr (kSpread) difference = hn::IfThenZeroElse(spread_, difference);
    V out = hn::Mul(x, difference);
    if constexpr (kAgain && kSpread) out = hn::IfThenElseZero(hn::Or(known_, general_), out);
    else if constexpr (kAgain) out = hn::IfThenElseZero(known_, out);
    return out;
  }

 private:
  V reached(std::size_t k) const {
    return hn::Add(hn::Mul(hn::Set(kD, q_.point[k]), share_), hn::Set(kD, (1 - q_.point[k]) * s_.above_share));
  }
  V general_ratio(std::size_t k) const {
    const V o = hn::IfThenElse(spread_, z_, hn::IfThenElseZero(left_, hn::Set(kD, 1.0)));
    const V passed = hn::Add(hn::Mul(hn::Set(kD, q_.point[k]), hn::Mul(share_, o)),
                             hn::Set(kD, (1 - q_.point[k]) * (s_.above_share * s_.left_share)));
    const V f = reached(k);
    return hn::IfThenElse(hn::Gt(f, hn::Zero(kD)), hn::Div(passed, f), z_);
  }

  const PlanSplit& s_;
  const Ratios& constants_;
  const Quadrature& q_;
  V z_, share_;
  M left_, known_, general_, spread_;
};

}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
