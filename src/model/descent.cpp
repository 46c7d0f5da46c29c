#include "model/descent.h"

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
    for (std::size_t row = 0; row < d_.rows; row += kRowsAbreast) {
      Moving group[kRowsAbreast];
      for (std::size_t j = 0; j < kRowsAbreast; ++j)
        group[j] = {d_.start[d_.slot[row + j]], static_cast<std::uint32_t>((row + j) * row_bytes_)};
      for (std::size_t k = 0; k < lines && soon < end; ++k, soon += kLine) __builtin_prefetch(soon);
      burst(group);
    }
    while (left_ > 0) {
      const std::size_t count = left_;
      // Behind the last of those that move stands one that is in a leaf, and whose cells nobody needs.
      for (std::size_t j = 0; j < kRowsAbreast; ++j)
        moving_[count + j] = {0, static_cast<std::uint32_t>(Descent<Step>::kMostRows * row_bytes_)};
      left_ = 0;
      for (std::size_t m = 0; m < count; m += kRowsAbreast) burst(moving_ + m);
    }
  }

 private:
  using Cell = typename Step::Cell;
  struct Moving {
    std::uint32_t at, row;  // the step where it is; the byte at which its cells begin
  };

  // Those that go on stay in the list, which is never longer than what has been read of it.
  inline void burst(const Moving* group) {
    Cell* row[kRowsAbreast];
    std::uint32_t at[kRowsAbreast];
    for (std::size_t j = 0; j < kRowsAbreast; ++j)
      at[j] = group[j].at, row[j] = reinterpret_cast<Cell*>(bytes_ + group[j].row);
    for (int k = 0; k < kStepsAtOnce; ++k)
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kRowsAbreast; ++j) at[j] = Step::next(d_.steps, d_.sets, row[j], at[j]);
#pragma GCC unroll 8
    for (std::size_t j = 0; j < kRowsAbreast; ++j) {
      moving_[left_] = {at[j], static_cast<std::uint32_t>(reinterpret_cast<std::byte*>(row[j]) - bytes_)};
      left_ += Step::goes_on(d_.steps, at[j], *reinterpret_cast<typename Step::Found*>(row[j]));
    }
  }

  const Descent<Step> d_;
  std::byte* const bytes_ = reinterpret_cast<std::byte*>(d_.cells);
  const std::size_t row_bytes_ = d_.stride * sizeof(Cell);
  std::size_t left_ = 0;
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
