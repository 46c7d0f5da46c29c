#include "model/descent.h"

#include <utility>

namespace wald {
namespace {

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
      for (std::uint32_t j = 0; j < kRows; ++j, cells += d_.stride) at[j] = d_.start[d_.slot[row + j]], of[j] = cells;
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
        for (std::uint32_t j = 0; j < kRows; ++j) at[j] = m[j].at, of[j] = d_.cells + m[j].row * d_.stride;
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
  inline void fall(const Cell* const* of, std::uint32_t* at) const {
    const Step step = d_.step;
    const typename Step::Word* const steps = d_.steps;
    const std::uint64_t* const sets = d_.sets;
    for (int k = 0; k < kSteps; ++k)
#pragma GCC unroll 16
      for (std::uint32_t j = 0; j < kRows; ++j) at[j] = step.next(steps, sets, of[j], at[j]);
  }

  // Those that go on are put down one after another from `to` on, never beyond what has been read of the list.
  template <class Row>
  inline Moving* keep(const std::uint32_t* at, const Row& row_of, Moving* to) const {
    const Step step = d_.step;
    const typename Step::Word* const steps = d_.steps;
    typename Step::Found* const found = d_.found;
#pragma GCC unroll 16
    for (std::uint32_t j = 0; j < kRows; ++j) {
      const std::uint32_t row = row_of(j);
      *to = {at[j], row};
      to += step.goes_on(steps, at[j], found[row]);
    }
    return to;
  }

  const Descent<Step> d_;
  Moving moving_[Descent<Step>::kMostRows + kRows];
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
