#include "tree/deep_steps.h"

#include <algorithm>
#include <utility>

namespace wald {
namespace {

constexpr std::size_t kTogether = 1024;  // rows whose codes are near while they walk
// Rows take so many steps before the next ones' turn, first and then. A step waits for memory twice, and the processor
// can wait for some rows at once but not remember many steps ahead; after fewer steps the time would go into the list
// of rows, after more they would stand still in leaves.
constexpr int kFirstSteps = 8, kMoreSteps = 5;

enum class Sets { None, Short, Long };

// Rows on their way; leaf: the step where each is.
template <Sets kSets, bool kMissingRight>
class Walk {
 public:
  Walk(const DeepTree& tree, const DeepCodes& x, std::span<const std::uint32_t> rows, std::uint32_t* leaf)
      : steps_(tree.steps.data()),
        bits_(tree.right.data()),
        long_sets_(tree.long_sets.data()),
        x_(x),
        rows_(rows),
        leaf_(leaf) {}

  void down() {
    std::uint32_t* last = moving_;
    std::uint32_t number[kAbreast];
    for (std::size_t i = 0; i < rows_.size(); i += kAbreast) {
      const std::size_t here = std::min(kAbreast, rows_.size() - i);
      // Of the last group some may be missing: others take the same steps twice, and are listed once.
      for (std::size_t j = 0; j < kAbreast; ++j) number[j] = static_cast<std::uint32_t>(i + std::min(j, here - 1));
      std::uint32_t at[kAbreast] = {};
      last = go<kFirstSteps>(number, at, here, last);
    }
    while (last != moving_) {
      const std::uint32_t* const before = std::exchange(last, moving_);
      for (const std::uint32_t* m = moving_; m < before; m += kAbreast) {
        const std::size_t here = std::min(kAbreast, static_cast<std::size_t>(before - m));
        std::uint32_t at[kAbreast];
        for (std::size_t j = 0; j < kAbreast; ++j) number[j] = m[std::min(j, here - 1)], at[j] = leaf_[number[j]];
        last = go<kMoreSteps>(number, at, here, last);
      }
    }
  }

 private:
  // Where a step is six instructions, sixteen rows; where it is more, more would have to leave the registers than is
  // gained.
  static constexpr std::size_t kAbreast = kSets == Sets::None && !kMissingRight ? 16 : 8;

  // At a leaf a row stays. No branch depends on the data: nobody could foresee it.
  inline std::uint32_t next(const std::uint8_t* row, std::uint32_t at) const {
    const std::uint64_t word = steps_[at];
    const std::uint64_t code = row[word & 0xFFFF];
    std::uint64_t sum = word + (code << 16);
    if constexpr (kMissingRight)
      sum = (word & ~DeepStep::kMissingRight) + (((code - word / DeepStep::kMissingRight) & 0xFFFF) << 16);
    auto to = static_cast<std::uint32_t>(sum >> 32);
    if constexpr (kSets == Sets::Short) to += static_cast<std::uint32_t>(bits_[at] >> (code % 64) & 1);
    if constexpr (kSets == Sets::Long)
      to += static_cast<std::uint32_t>(long_sets_[bits_[at] + code / 64] >> (code % 64) & 1);
    return to;
  }

  // So many steps for the rows of these numbers; those of the first `here` that go on are listed from `to` on, never
  // beyond what has been read of the list.
  template <int kSteps>
  inline std::uint32_t* go(const std::uint32_t* number, std::uint32_t* at, std::size_t here, std::uint32_t* to) {
    const std::uint8_t* row[kAbreast];
    for (std::size_t j = 0; j < kAbreast; ++j) row[j] = x_.code + rows_[number[j]] * x_.stride;
    for (int k = 0; k < kSteps; ++k)
#pragma GCC unroll 16
      for (std::size_t j = 0; j < kAbreast; ++j) at[j] = next(row[j], at[j]);
    for (std::size_t j = 0; j < here; ++j) {
      leaf_[number[j]] = at[j];
      *to = number[j];
      to += steps_[at[j]] >> 32 != at[j];
    }
    return to;
  }

  const std::uint64_t *const steps_, *const bits_, *const long_sets_;
  const DeepCodes& x_;
  const std::span<const std::uint32_t> rows_;
  std::uint32_t* const leaf_;
  std::uint32_t moving_[kTogether];
};

template <Sets kSets>
void walk(const DeepTree& tree, const DeepCodes& x, std::span<const std::uint32_t> rows, std::uint32_t* leaf) {
  if (tree.missing_right) Walk<kSets, true>(tree, x, rows, leaf).down();
  else Walk<kSets, false>(tree, x, rows, leaf).down();
}

}  // namespace

void walk_down(const DeepTree& tree, const DeepCodes& x, std::span<const std::uint32_t> rows, std::uint32_t* leaf) {
  for (std::size_t begin = 0; begin < rows.size(); begin += kTogether) {
    const auto some = rows.subspan(begin, std::min(kTogether, rows.size() - begin));
    if (tree.right.empty()) walk<Sets::None>(tree, x, some, leaf + begin);
    else if (tree.long_sets.empty()) walk<Sets::Short>(tree, x, some, leaf + begin);
    else walk<Sets::Long>(tree, x, some, leaf + begin);
  }
}

}  // namespace wald
