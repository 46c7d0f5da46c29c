#include "model/descent.h"

#include <utility>

namespace wald {
namespace {

// So many rows take so many steps before the next ones' turn. A step waits for memory twice, and the processor can wait
// for some rows at once but not remember many steps ahead; after fewer steps the time would go into the list of rows,
// after more they would stand still in leaves.
constexpr std::size_t kRowsAbreast = 8;
constexpr int kStepsAtOnce = 5;

template <class Step>
class Falling {
 public:
  explicit Falling(const Descent<Step>& d) : d_(d) {}

  void down() {
    Moving* last = moving_;
    for (std::uint32_t row = 0; row < d_.rows; row += kRowsAbreast) {
      Moving group[kRowsAbreast];
      for (std::uint32_t j = 0; j < kRowsAbreast; ++j) group[j] = {d_.start[d_.slot[row + j]], row + j};
      last = burst(group, last);
    }
    while (last != moving_) {
      // The last of those that move fill up the group: they take the same steps twice.
      std::fill_n(last, kRowsAbreast, last[-1]);
      const Moving* const before = std::exchange(last, moving_);
      for (const Moving* m = moving_; m < before; m += kRowsAbreast) last = burst(m, last);
    }
  }

 private:
  using Cell = typename Step::Cell;
  struct Moving {
    std::uint32_t at, row;  // the step where it is
  };

  // Those that go on are put down one after another from `to` on, never beyond what has been read of the list.
  inline Moving* burst(const Moving* group, Moving* to) {
    const Step step = d_.step;
    const typename Step::Word* const steps = d_.steps;
    const std::uint64_t* const sets = d_.sets;
    typename Step::Found* const found = d_.found;
    const Cell* row[kRowsAbreast];
    std::uint32_t at[kRowsAbreast], number[kRowsAbreast];
    for (std::size_t j = 0; j < kRowsAbreast; ++j)
      at[j] = group[j].at, number[j] = group[j].row, row[j] = d_.cells + group[j].row * d_.stride;
    for (int k = 0; k < kStepsAtOnce; ++k)
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kRowsAbreast; ++j) at[j] = step.next(steps, sets, row[j], at[j]);
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kRowsAbreast; ++j) {
      *to = {at[j], number[j]};
      to += step.goes_on(steps, at[j], found[number[j]]);
    }
    return to;
  }

  const Descent<Step> d_;
  Moving moving_[Descent<Step>::kMostRows + kRowsAbreast];
};

}  // namespace

template <class Step>
void descend(const Descent<Step>& descent) {
  Falling<Step>(descent).down();
}
template void descend(const Descent<NarrowStep>&);
template void descend(const Descent<WideStep>&);
template void descend(const Descent<FewMaskStep>&);
template void descend(const Descent<ManyMaskStep>&);
template void descend(const Descent<SetStep>&);

}  // namespace wald
