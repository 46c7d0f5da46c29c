#include "tree/deep_steps.h"

#include <algorithm>

namespace wald {
namespace {

constexpr std::size_t kTogether = 1024;  // rows whose codes are near while they walk
// So many rows take so many steps before the next ones' turn. A step waits for memory twice, and the processor can wait
// for some rows at once but not remember many steps ahead; after fewer steps the time would go into the list of rows,
// after more they would stand still in leaves.
constexpr std::size_t kAbreast = 8;
constexpr int kBurst = 6;

enum class Sets { None, Short, Long };

// At a leaf a row stays. No branch depends on the data: nobody could foresee it.
template <Sets kSets>
inline std::uint32_t step(const DeepStep* steps, const std::uint64_t* bits, const std::uint64_t* long_sets,
                          const std::uint8_t* row, std::uint32_t at) {
  const DeepStep& s = steps[at];
  const std::uint32_t code = row[s.column];
  // Where missing values go right, the code of missing becomes the greatest.
  std::uint32_t right = code - s.child / DeepStep::kMissingRight > s.most;
  if constexpr (kSets == Sets::Short) right |= static_cast<std::uint32_t>(bits[at] >> (code % 64) & 1);
  if constexpr (kSets == Sets::Long)
    right |= static_cast<std::uint32_t>(long_sets[bits[at] + code / 64] >> (code % 64) & 1);
  return (s.child & DeepStep::kChild) + right;
}

// Rows on their way; at: the step where each is.
template <Sets kSets>
class Walk {
 public:
  Walk(const DeepTree& tree, const DeepCodes& x, std::span<const std::uint32_t> rows, std::uint32_t* at)
      : steps_(tree.steps.data()),
        bits_(tree.right.data()),
        long_sets_(tree.long_sets.data()),
        x_(x),
        rows_(rows),
        at_(at),
        left_(rows.size()) {
    for (std::size_t i = 0; i < left_; ++i) at_[i] = 0, moving_[i] = static_cast<std::uint32_t>(i);
  }
  void down() {
    while (left_ > 0) {
      std::size_t kept = 0;
      for (std::size_t m = 0; m < left_; m += kAbreast) burst(m, kept);
      left_ = kept;
    }
  }

 private:
  // Behind the last of those that move stand ones that moved before: they take a step in vain, and the same as before.
  void burst(std::size_t m, std::size_t& kept) {
    const std::uint8_t* row[kAbreast];
    std::uint32_t at[kAbreast];
    for (std::size_t j = 0; j < kAbreast; ++j) {
      const std::uint32_t i = moving_[m + j];
      at[j] = at_[i], row[j] = x_.code + rows_[i] * x_.stride;
    }
    for (int k = 0; k < kBurst; ++k)
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kAbreast; ++j) at[j] = step<kSets>(steps_, bits_, long_sets_, row[j], at[j]);
    for (std::size_t j = 0; j < kAbreast; ++j) {
      const std::uint32_t i = moving_[m + j];
      at_[i] = at[j], moving_[kept] = i;
      kept += static_cast<std::size_t>(m + j < left_) & static_cast<std::size_t>(steps_[at[j]].child != at[j]);
    }
  }

  const DeepStep* const steps_;
  const std::uint64_t *const bits_, *const long_sets_;
  const DeepCodes& x_;
  const std::span<const std::uint32_t> rows_;
  std::uint32_t* const at_;
  std::size_t left_;
  std::uint32_t moving_[kTogether + kAbreast] = {};
};

}  // namespace

void walk_down(const DeepTree& tree, const DeepCodes& x, std::span<const std::uint32_t> rows, std::uint32_t* leaf) {
  for (std::size_t begin = 0; begin < rows.size(); begin += kTogether) {
    const auto some = rows.subspan(begin, std::min(kTogether, rows.size() - begin));
    if (tree.right.empty()) Walk<Sets::None>(tree, x, some, leaf + begin).down();
    else if (tree.long_sets.empty()) Walk<Sets::Short>(tree, x, some, leaf + begin).down();
    else Walk<Sets::Long>(tree, x, some, leaf + begin).down();
  }
}

}  // namespace wald
