#include "model/descent.h"

#include <algorithm>
#include <utility>

namespace wald {
namespace {

// So many rows take so many steps before the next ones' turn. A step waits for memory twice, and the processor can wait
// for some rows at once but not remember many steps ahead; after fewer steps the time would go into the list of rows,
// after more they would stand still in leaves.
constexpr std::size_t kRowsAbreast = 8;
constexpr int kStepsAtOnce = 5;
constexpr std::size_t kLine = 64;  // bytes of a cache

template <class Step>
class Falling {
 public:
  explicit Falling(const Descent<Step>& d) : d_(d) {}

  void down() {
    const std::byte *soon = d_.soon.data(), *const end = soon + d_.soon.size();
    const std::size_t lines = d_.soon.size() * kRowsAbreast / (d_.rows * kLine) + 1;
    Moving* last = moving_;
    for (std::size_t row = 0; row < d_.rows; row += kRowsAbreast) {
      Moving group[kRowsAbreast];
      for (std::size_t j = 0; j < kRowsAbreast; ++j)
        group[j] = {d_.start[d_.slot[row + j]], static_cast<std::uint32_t>((row + j) * row_bytes_)};
      for (std::size_t k = 0; k < lines && soon < end; ++k, soon += kLine) __builtin_prefetch(soon);
      last = burst(group, last);
    }
    while (last != moving_) {
      // Behind the last of those that move stands one that is in a leaf, and whose cells nobody needs.
      std::fill_n(last, kRowsAbreast, Moving{0, static_cast<std::uint32_t>(Descent<Step>::kMostRows * row_bytes_)});
      const Moving* const before = std::exchange(last, moving_);
      for (const Moving* m = moving_; m < before; m += kRowsAbreast) last = burst(m, last);
    }
  }

 private:
  using Cell = typename Step::Cell;
  struct Moving {
    std::uint32_t at, row;  // the step where it is; the byte at which its cells begin
  };

  // Those that go on are put down one after another from `to` on, never beyond what has been read of the list.
  inline Moving* burst(const Moving* group, Moving* to) {
    std::byte* row[kRowsAbreast];
    std::uint32_t at[kRowsAbreast];
    for (std::size_t j = 0; j < kRowsAbreast; ++j) at[j] = group[j].at, row[j] = bytes_ + group[j].row;
    for (int k = 0; k < kStepsAtOnce; ++k)
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kRowsAbreast; ++j)
        at[j] = Step::next(d_.steps, d_.sets, reinterpret_cast<const Cell*>(row[j]), at[j]);
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kRowsAbreast; ++j) {
      *to = {at[j], static_cast<std::uint32_t>(row[j] - bytes_)};
      to += Step::goes_on(d_.steps, at[j], *reinterpret_cast<typename Step::Found*>(row[j]));
    }
    return to;
  }

  const Descent<Step> d_;
  std::byte* const bytes_ = reinterpret_cast<std::byte*>(d_.cells);
  const std::size_t row_bytes_ = d_.stride * sizeof(Cell);
  Moving moving_[Descent<Step>::kMostRows + kRowsAbreast];
};

}  // namespace

template <class Step>
void descend(const Descent<Step>& descent) {
  Falling<Step>(descent).down();
}
template void descend(const Descent<NarrowStep>&);
template void descend(const Descent<WideStep>&);
template void descend(const Descent<MaskSteps>&);
template void descend(const Descent<SetStep>&);

}  // namespace wald
