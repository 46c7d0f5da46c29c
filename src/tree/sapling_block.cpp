#include "tree/sapling_block.h"

#include "tree/divide_rows.h"
#include "tree/histogram.h"

namespace wald::sapling {

void Block::copy_codes() {
  const std::span<const Row> rows = std::span(origin_).first(rows_);
  if (spacing_ == 1 && whole_) return turn(by_rows_, rows, narrow_.data(), most_);
  if (spacing_ == 1) return gather_columns(rows);
  std::uint8_t* to = narrow_.data();
  for (const Row row : rows) std::copy_n(by_rows_.of(row), spacing_, to), to += spacing_;
}

void Block::gather_columns(std::span<const Row> rows) {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const auto gather = [&](const auto* from, auto* to) {
      for (std::size_t j = 0; j < rows.size(); ++j) to[j] = from[rows[j]];
    };
    if (columns_[k].narrow != nullptr) gather(columns_[k].narrow, const_cast<std::uint8_t*>(copied_[k].narrow));
    else gather(columns_[k].wide, const_cast<std::uint16_t*>(copied_[k].wide));
  }
}

template <class Code>
std::size_t Block::sort(CodeColumn& column, const Code* code, std::uint16_t* order) {
  constexpr std::size_t kCompared = 48;  // fewer are sorted by comparing them
  const std::size_t rows = rows_;
  if (rows < kCompared || static_cast<std::size_t>(column.codes) > 4 * rows) {
    for (std::size_t j = 0; j < rows; ++j)
      key_[j] = static_cast<std::uint32_t>(code[j]) << 16 | static_cast<std::uint32_t>(j);
    std::sort(key_.data(), key_.data() + rows);
    for (std::size_t j = 0; j < rows; ++j) order[j] = static_cast<std::uint16_t>(key_[j]);
    return rows;
  }
  std::uint16_t* start = start_.data();
  std::fill_n(start, column.codes, std::uint16_t{0});
  for (std::size_t j = 0; j < rows; ++j) ++start[code[j]];
  std::int16_t most = 0;  // signed, of which processors find the greatest of several at once
  for (int c = 0; c < column.codes; ++c) most = std::max(most, static_cast<std::int16_t>(start[c]));
  const bool has_common = 2 * static_cast<std::size_t>(most) > rows;
  const auto common =
      has_common
          ? static_cast<std::uint32_t>(std::find(start, start + column.codes, static_cast<std::uint16_t>(most)) - start)
          : 0;
  if (has_common) column.common = common, start[common] = 0;
  std::uint16_t at = 0;
  for (int c = 0; c < column.codes; ++c) at = static_cast<std::uint16_t>(at + std::exchange(start[c], at));
  if (has_common) start[common] = at;  // behind the others, where nobody looks
  for (std::size_t j = 0; j < rows; ++j) order[start[code[j]]++] = static_cast<std::uint16_t>(j);
  return at;
}

void Block::sort() {
  std::uint16_t* order = sorted_.data();
  for (CodeColumn& column : copied_) {
    const std::size_t rare = with_codes(column, [&](const auto* code) { return sort(column, code, order); });
    sorted_rare_[column.index] = static_cast<std::uint16_t>(rare);
    order += most_;
  }
}

void Block::divide(std::size_t first, std::size_t middle, Varied& varied) {
  const PlaceMarks marks(left_.data(), rows_);
  varied.each([&](std::size_t column) {
    std::uint16_t* const order = const_cast<std::uint16_t*>(copied_[column].order) + first;
    static_assert(kAtOnce >= kDividedAtOnce);
    const std::size_t rows = varied.rare(column), left = divide_places(order, rows, marks, right_.data());
    std::copy_n(right_.data(), rows - left, order + (middle - first));
    varied.rare(column) = static_cast<std::uint16_t>(left);
    varied.right_rare(column) = static_cast<std::uint16_t>(rows - left);
    return true;
  });
}

}  // namespace wald::sapling
