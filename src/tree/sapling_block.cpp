#include "tree/sapling_block.h"

#include "tree/divide_rows.h"

namespace wald::sapling {

void Block::sort() {
  constexpr std::size_t kCompared = 48;  // fewer are sorted by comparing them
  const std::size_t rows = rows_;
  std::uint16_t* order = sorted_.data();
  for (const CodeColumn& column : copied_) {
    with_codes(column, [&](const auto* code) {
      if (rows < kCompared || static_cast<std::size_t>(column.codes) > 4 * rows) {
        std::array<std::uint32_t, kRows> key;
        for (std::size_t j = 0; j < rows; ++j)
          key[j] = static_cast<std::uint32_t>(code[j]) << 16 | static_cast<std::uint32_t>(j);
        std::sort(key.data(), key.data() + rows);
        for (std::size_t j = 0; j < rows; ++j) order[j] = static_cast<std::uint16_t>(key[j]);
        return;
      }
      std::uint16_t* start = start_.data();
      std::fill_n(start, column.codes, std::uint16_t{0});
      for (std::size_t j = 0; j < rows; ++j) ++start[code[j]];
      std::uint16_t at = 0;
      for (int c = 0; c < column.codes; ++c) at = static_cast<std::uint16_t>(at + std::exchange(start[c], at));
      for (std::size_t j = 0; j < rows; ++j) order[start[code[j]]++] = static_cast<std::uint16_t>(j);
    });
    order += kRows;
  }
}

void Block::divide(std::size_t first, std::size_t rows, const Varied& varied) {
  varied.each([&](std::size_t column) {
    std::uint16_t* order = const_cast<std::uint16_t*>(copied_[column].order) + first;
    static_assert(kAtOnce >= kDividedAtOnce);
    const std::size_t left = divide_places(order, rows, left_.data(), right_.data());
    std::copy_n(right_.data(), rows - left, order + left);
    return true;
  });
}

}  // namespace wald::sapling
