#include "tree/sapling_block.h"

namespace wald::sapling {

template <class Code>
void Block::sort(CodeColumn& column, const Code* code, std::size_t rows, Varied& varied) {
  constexpr std::size_t kCompared = 48;  // fewer are sorted by comparing them
  auto* order = const_cast<std::uint16_t*>(column.order);
  std::uint16_t& rare = varied.rare(column.index);
  rare = static_cast<std::uint16_t>(rows);
  if (rows < kCompared || static_cast<std::size_t>(column.codes) > 4 * rows) {
    for (std::size_t j = 0; j < rows; ++j)
      key_[j] = static_cast<std::uint32_t>(code[j]) << 16 | static_cast<std::uint32_t>(j);
    std::sort(key_.data(), key_.data() + rows);
    for (std::size_t j = 0; j < rows; ++j) order[j] = static_cast<std::uint16_t>(key_[j]);
    return;
  }
  std::uint16_t* start = start_.data();
  std::fill_n(start, column.codes, std::uint16_t{0});
  for (std::size_t j = 0; j < rows; ++j) ++start[code[j]];
  const auto common = static_cast<std::uint32_t>(std::max_element(start, start + column.codes) - start);
  const bool has_common = std::size_t{2} * start[common] > rows;
  if (has_common) column.common = common, rare = static_cast<std::uint16_t>(rare - std::exchange(start[common], 0));
  std::uint16_t at = 0;
  for (int c = 0; c < column.codes; ++c) at = static_cast<std::uint16_t>(at + std::exchange(start[c], at));
  if (has_common) start[common] = at;  // behind the others, where nobody looks
  for (std::size_t j = 0; j < rows; ++j) order[start[code[j]]++] = static_cast<std::uint16_t>(j);
}

void Block::sort(std::size_t rows, Varied& varied) {
  for (CodeColumn& column : copied_) with_codes(column, [&](const auto* code) { sort(column, code, rows, varied); });
}

void Block::divide(std::size_t first, std::size_t middle, Varied& varied) {
  varied.each([&](std::size_t column) {
    std::uint16_t* const order = const_cast<std::uint16_t*>(copied_[column].order) + first;
    std::uint16_t *left = order, *right = right_.data();
    const std::size_t rows = varied.rare(column);
    for (std::size_t i = 0; i < rows; ++i) {  // both are written, one moves on
      const std::uint16_t place = order[i];
      const std::size_t to_left = left_[place];
      *left = place, *right = place;
      left += to_left, right += 1 - to_left;
    }
    std::copy(right_.data(), right, order + (middle - first));
    varied.rare(column) = static_cast<std::uint16_t>(left - order);
    varied.right_rare(column) = static_cast<std::uint16_t>(right - right_.data());
    return true;
  });
}

}  // namespace wald::sapling
