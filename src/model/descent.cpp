#include "model/descent.h"

#include <type_traits>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/descent.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

#include "core/lanes.h"

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Rows take so many steps before the next ones' turn, first and then. A step waits for memory twice, and the processor
// can wait for some rows at once but not remember many steps ahead; after fewer steps the time would go into the list
// of rows, after more they would stand still in leaves.
constexpr int kFirstSteps = 8, kMoreSteps = 5;

template <class Step>
class Falling {
 public:
  explicit Falling(const Descent<Step>& d) : d_(d) {}

  void down() {
    Moving* last = moving_;
    const Cell* cells = d_.cells;
    for (std::uint32_t row = 0; row < d_.rows; row += kRows) {
      const Cell* of[kRows];
      std::uint32_t at[kRows];
      for (std::uint32_t j = 0; j < kRows; ++j) {
        at[j] = d_.start[d_.slot[row + j]];
        of[j] = cells + j % Step::kRowsTogether;
        if (j % Step::kRowsTogether == Step::kRowsTogether - 1) cells += Step::kRowsTogether * d_.stride;
      }
      fall<kFirstSteps>(of, at);
      last = keep(at, [row](std::uint32_t j) { return row + j; }, last);
    }
    while (last != moving_) {
      // The last of those that move fill up the group: they take the same steps twice.
      std::fill_n(last, kRows, last[-1]);
      const Moving* const before = std::exchange(last, moving_);
      for (const Moving* m = moving_; m < before; m += kRows) {
        const Cell* of[kRows];
        std::uint32_t at[kRows];
        for (std::uint32_t j = 0; j < kRows; ++j)
          at[j] = m[j].at, of[j] = d_.cells + first_cell<Step>(m[j].row, d_.stride);
        fall<kMoreSteps>(of, at);
        last = keep(at, [m](std::uint32_t j) { return m[j].row; }, last);
      }
    }
  }

 private:
  static constexpr std::uint32_t kRows = Step::kRowsAbreast;
  using Cell = typename Step::Cell;
  struct Moving {
    std::uint32_t at, row;  // the step where it is
  };

  template <int kSteps>
  HWY_INLINE void fall(const Cell* const* of, std::uint32_t* at) const {
    const Step step = d_.step;
    const typename Step::Word* const steps = d_.steps;
    const std::uint64_t* const sets = d_.sets;
    for (int k = 0; k < kSteps; ++k)
#pragma GCC unroll 16
      for (std::uint32_t j = 0; j < kRows; ++j) at[j] = step.next(steps[at[j]], sets, of[j]);
  }

  // Those that go on are put down one after another from `to` on, never beyond what has been read of the list.
  template <class Row>
  HWY_INLINE Moving* keep(const std::uint32_t* at, const Row& row_of, Moving* to) const {
    const Step step = d_.step;
    const typename Step::Word* const steps = d_.steps;
    typename Step::Found* const found = d_.found;
#pragma GCC unroll 16
    for (std::uint32_t j = 0; j < kRows; ++j) {
      const std::uint32_t row = row_of(j);
      *to = {at[j], row};
      to += step.goes_on(steps[at[j]], at[j], found[row]);
    }
    return to;
  }

  const Descent<Step> d_;
  Moving moving_[Descent<Step>::kMostRows + kRows];
};

// The same where cells and what leaves say are bytes, and registers hold eight rows' numbers: one register makes the
// list of a group. Cells of eight rows lie side by side, so that a group needs one address for all and its places stay
// in registers. The last step's word tells whether the step was one: a row that came to its leaf by it takes another
// turn.
template <class Step>
class FallingInGroups {
 public:
  explicit FallingInGroups(const Descent<Step>& d) : d_(d) {}

  void down() {
    std::uint32_t* last = moving_;
    const Cell* cells = d_.cells;
    const std::uint8_t* const slot = d_.slot;
    std::uint8_t* const found = d_.found;
    const std::uint32_t* const start = d_.start;
    const std::size_t group = kGroup * d_.stride;
    Rows rows = hn::ShiftLeft<kPlaceBits>(hn::Iota(kLanes, 0));
    for (std::uint32_t row = 0; row < d_.rows; row += kRows, cells += kRows * d_.stride) {
      alignas(32) std::uint32_t at[kRows], word[kRows];
#pragma GCC unroll 16
      for (std::uint32_t j = 0; j < kRows; ++j) at[j] = start[slot[row + j]];
      fall<kFirstSteps>([=](std::uint32_t j) { return cells + j / kGroup * group + j % kGroup; }, at, word);
      for (std::uint32_t j = 0; j < kRows; j += kGroup) {
        const Rows words = hn::Load(kLanes, word + j);
        hn::StoreU(said_by(words), kBytes, found + row + j);
        last = keep(words, hn::Or(hn::Load(kLanes, at + j), rows), last);
        rows = hn::Add(rows, hn::Set(kLanes, kGroup << kPlaceBits));
      }
    }
    while (last != moving_) {
      // The last of those that move fill up the group: they take the same steps twice.
      std::fill_n(last, kRows, last[-1]);
      const std::uint32_t* const before = std::exchange(last, moving_);
      for (const std::uint32_t* m = moving_; m < before; m += kRows) last = go_on(m, last);
    }
  }

 private:
  // A step waits for two loads, one after the other. Processors with long registers remember so many instructions that
  // two groups abreast wait together, though their places leave the registers; others only have more of them to do.
  static constexpr std::uint32_t kGroup = 8, kRows = (HWY_TARGET <= HWY_AVX3 ? 2 : 1) * kGroup;
  static constexpr std::uint32_t kPlaceBits = Step::kPlaceBits;
  static_assert(kGroup == Step::kRowsTogether && kRows <= Descent<Step>::kWholeRows);
  static_assert(Descent<Step>::kMostRows <= std::size_t{1} << (32 - kPlaceBits));
  using Cell = typename Step::Cell;
  using Lanes = hn::CappedTag<std::uint32_t, kGroup>;
  using Bytes = hn::Rebind<std::uint8_t, Lanes>;
  using Rows = hn::Vec<Lanes>;
  static constexpr Lanes kLanes{};
  static constexpr Bytes kBytes{};

  // Rows of the list, which are anywhere.
  HWY_INLINE std::uint32_t* go_on(const std::uint32_t* from, std::uint32_t* last) const {
    alignas(32) std::uint32_t at[kRows], word[kRows], row[kRows], cell[kRows];
    const Rows stride = hn::Set(kLanes, static_cast<std::uint32_t>(d_.stride));
    for (std::uint32_t j = 0; j < kRows; j += kGroup) {
      const Rows moving = hn::LoadU(kLanes, from + j), rows = hn::ShiftRight<kPlaceBits>(moving);
      const Rows in_group = hn::And(rows, hn::Set(kLanes, kGroup - 1));
      hn::Store(hn::And(moving, hn::Set(kLanes, (1u << kPlaceBits) - 1)), kLanes, at + j);
      hn::Store(rows, kLanes, row + j);
      hn::Store(hn::Add(hn::Mul(hn::Sub(rows, in_group), stride), in_group), kLanes, cell + j);
    }
    const Cell* of[kRows];
#pragma GCC unroll 16
    for (std::uint32_t j = 0; j < kRows; ++j) of[j] = d_.cells + cell[j];
    fall<kMoreSteps>([&of](std::uint32_t j) { return of[j]; }, at, word);
    std::uint8_t* const found = d_.found;
    for (std::uint32_t j = 0; j < kRows; j += kGroup) {
      const Rows words = hn::Load(kLanes, word + j), rows = hn::Load(kLanes, row + j);
      alignas(8) std::uint8_t said[kGroup];
      hn::Store(said_by(words), kBytes, said);
#pragma GCC unroll 8
      for (std::uint32_t k = 0; k < kGroup; ++k) found[row[j + k]] = said[k];
      last = keep(words, hn::Or(hn::Load(kLanes, at + j), hn::ShiftLeft<kPlaceBits>(rows)), last);
    }
    return last;
  }

  // words: what the last step was made of.
  template <int kSteps, class Of>
  HWY_INLINE void fall(const Of& of, std::uint32_t* places, std::uint32_t* words) const {
    const Step step = d_.step;
    const typename Step::Word* const steps = d_.steps;
    std::uint32_t at[kRows];
    for (std::uint32_t j = 0; j < kRows; ++j) at[j] = places[j];
    for (int k = 0; k < kSteps - 1; ++k)
#pragma GCC unroll 16
      for (std::uint32_t j = 0; j < kRows; ++j) at[j] = step.next(steps[at[j]], nullptr, of(j));
#pragma GCC unroll 16
    for (std::uint32_t j = 0; j < kRows; ++j) {
      const auto word = steps[at[j]];
      words[j] = static_cast<std::uint32_t>(word);
      places[j] = step.next(word, nullptr, of(j));
    }
  }

  HWY_INLINE hn::Vec<Bytes> said_by(Rows words) const {
    const Rows says = hn::ShiftRightSame(words, static_cast<int>(d_.step.below_says()));
    return hn::U8FromU32(hn::And(says, hn::Set(kLanes, 0xFF)));
  }

  HWY_INLINE std::uint32_t* keep(Rows words, Rows moving, std::uint32_t* to) const {
    const auto goes_on = hn::Ne(hn::And(words, hn::Set(kLanes, d_.step.asks())), hn::Zero(kLanes));
    hn::StoreU(marked_first(kLanes, moving, goes_on), kLanes, to);
    return to + hn::CountTrue(kLanes, goes_on);
  }

  const Descent<Step> d_;
  std::uint32_t moving_[Descent<Step>::kMostRows + kRows];  // its row above its place
};

template <class Step>
void descend_here(const Descent<Step>& descent) {
#if HWY_MAX_BYTES >= 32 && !HWY_HAVE_SCALABLE
  if constexpr (std::is_same_v<typename Step::Found, std::uint8_t>) return FallingInGroups<Step>(descent).down();
#endif
  Falling<Step>(descent).down();
}
void descend_narrow(const Descent<NarrowStep>& d) { descend_here(d); }
void descend_wide(const Descent<WideStep>& d) { descend_here(d); }
void descend_few_masks(const Descent<FewMaskStep>& d) { descend_here(d); }
void descend_many_masks(const Descent<ManyMaskStep>& d) { descend_here(d); }
void descend_sets(const Descent<SetStep>& d) { descend_here(d); }

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(descend_narrow);
HWY_EXPORT(descend_wide);
HWY_EXPORT(descend_few_masks);
HWY_EXPORT(descend_many_masks);
HWY_EXPORT(descend_sets);

void descend(const Descent<NarrowStep>& d) { HWY_DYNAMIC_DISPATCH(descend_narrow)(d); }
void descend(const Descent<WideStep>& d) { HWY_DYNAMIC_DISPATCH(descend_wide)(d); }
void descend(const Descent<FewMaskStep>& d) { HWY_DYNAMIC_DISPATCH(descend_few_masks)(d); }
void descend(const Descent<ManyMaskStep>& d) { HWY_DYNAMIC_DISPATCH(descend_many_masks)(d); }
void descend(const Descent<SetStep>& d) { HWY_DYNAMIC_DISPATCH(descend_sets)(d); }
}  // namespace wald
#endif
