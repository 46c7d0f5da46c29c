#include "tree/sapling_block.h"

#include <cstring>

#include "tree/divide_rows.h"
#include "tree/histogram.h"

namespace wald::sapling {

void Block::copy_codes() {
  const std::span<const Row> rows = std::span(origin_).first(rows_);
  if (spacing_ == 1 && whole_) return turn(by_rows_, rows, narrow_.data(), most_);
  if (spacing_ == 1) return gather_columns(rows);
  std::uint8_t* to = narrow_.data();
  constexpr std::size_t kAhead = 32;  // rows fetched before their turn: they lie anywhere
  for (std::size_t j = 0; j < rows.size(); ++j) {
    __builtin_prefetch(by_rows_.of(rows[std::min(j + kAhead, rows.size() - 1)]));
    const std::uint8_t* from = by_rows_.of(rows[j]);  // in whole words, of which the last reaches into the next row
    for (std::size_t k = 0; k < by_rows_.width; k += sizeof(std::uint64_t))
      std::memcpy(to + k, from + k, sizeof(std::uint64_t));
    const std::uint8_t* word = words_ + rows[j] * word_bytes_;
    for (std::size_t k = 0; k < word_bytes_; k += sizeof(std::uint64_t))
      std::memcpy(to + by_rows_.width + k, word + k, sizeof(std::uint64_t));
    to += spacing_;
  }
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
  // Every other row is counted by itself, so that rows of one code do not wait for each other.
  const auto codes = static_cast<std::size_t>(column.codes);
  std::uint16_t *even = start_.data(), *odd = even + codes;
  const auto each = [code, rows](auto at_even, auto at_odd) {
    for (std::size_t j = 0; j + 1 < rows; j += 2) at_even(code[j], j), at_odd(code[j + 1], j + 1);
    if (rows % 2 != 0) at_even(code[rows - 1], rows - 1);
  };
  std::fill_n(even, 2 * codes, std::uint16_t{0});
  each([even](std::size_t c, std::size_t) { ++even[c]; }, [odd](std::size_t c, std::size_t) { ++odd[c]; });
  std::uint32_t common = 0;
  bool has_common = false;
  for (std::uint32_t c = 0; c < codes && !has_common; ++c)
    if (std::size_t{2} * (even[c] + odd[c]) > rows) common = c, has_common = true;
  std::size_t at = 0;
  const auto place = [&](std::size_t c) {
    const std::size_t first = std::exchange(even[c], static_cast<std::uint16_t>(at)),
                      second = std::exchange(odd[c], static_cast<std::uint16_t>(at + first));
    at += first + second;
  };
  for (std::size_t c = 0; c < codes; ++c)
    if (!has_common || c != common) place(c);
  const std::size_t rare = at;
  if (has_common) column.common = common, place(common);  // behind the others, where nobody looks
  each([even, order](std::size_t c, std::size_t j) { order[even[c]++] = static_cast<std::uint16_t>(j); },
       [odd, order](std::size_t c, std::size_t j) { order[odd[c]++] = static_cast<std::uint16_t>(j); });
  return rare;
}

void Block::sort() {
  std::uint16_t* order = sorted_.data();
  for (CodeColumn& column : copied_) {
    const std::size_t rare = with_codes(column, [&](const auto* code) { return sort(column, code, order); });
    sorted_rare_[column.index] = static_cast<std::uint16_t>(rare);
    order += most_;
  }
}

bool Block::mark(const CodeColumn& by, const Split& split) {
  static_assert(kAtOnce >= PlaceMarks::kMarkedAtOnce && kAtOnce >= kDividedAtOnce && kMostCopiedByRows >= kAtOnce);
  is_marked_ = by.narrow != nullptr && !split.set && rows_ <= PlaceMarks::kBits;
  if (!marks_) marks_ = std::make_shared<PlaceMarks>();
  if (is_marked_) *marks_ = PlaceMarks(by.narrow, rows_, split.bin, split.missing_left, left_.data());
  return is_marked_;
}

std::size_t Block::divide(std::span<std::uint32_t> places, std::uint32_t* spare) const {
  return divide_places(places.data(), places.size(), *marks_, spare);
}

void Block::divide(const Middle& at, const CodeColumn& by, const Split& split, Varied& varied) {
  const DividePlaces divided = divide_places();
  const std::size_t rows = at.last - at.first, lefts = at.middle - at.first;
  if (!marks_) marks_ = std::make_shared<PlaceMarks>();
  if (!is_marked_) *marks_ = PlaceMarks(left_.data(), rows_, rows);
  // The order of the split's own column has the rows that go left before all others.
  const auto first_code = [&] {
    return with_codes(by, [&](const auto* code) { return code[by.order[at.first]] + 0; });
  };
  const bool done = !split.set && varied.rare(by.index) == rows && (split.missing_left || first_code() > 0);
  varied.each([&](std::size_t column) {
    std::uint16_t* const order = const_cast<std::uint16_t*>(copied_[column].order) + at.first;
    const std::size_t n = varied.rare(column);
    const bool is_divided = done && column == by.index;
    const std::size_t left =
        is_divided ? lefts : divided(order, n, *marks_, order + lefts, right_.data(), {at.left, at.right});
    varied.rare(column) = static_cast<std::uint16_t>(left);
    varied.right_rare(column) = static_cast<std::uint16_t>(n - left);
    return true;
  });
}

}  // namespace wald::sapling
