// Divides the rows of a node between its children. Stable: rows keep their order on both sides, so that what a child
// reads runs upwards through memory.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/parallel.h"
#include "prepare/bin.h"
#include "tree/choose.h"

namespace wald {

enum class Team { All, One };  // who works on a node: all threads, or only the caller

constexpr std::size_t kPartitionBlock = 1u << 14;  // rows that one thread divides at a time

// Both sides of one block: the left rows go to the front of `out`, the right ones, in reverse, to its back. Both are
// written for every row; only one pointer moves.
template <class Code, class GoesLeft>
std::size_t divide_block(const Code* code, std::span<const Row> rows, std::span<Row> out, GoesLeft goes_left) {
  std::size_t left = 0, right = out.size();
  for (const Row row : rows) {
    const bool to_left = goes_left(code[row]);
    out[left] = row;
    out[right - 1] = row;
    left += to_left;
    right -= !to_left;
  }
  return left;
}

// Calls body(codes, goes_left) for the split's column.
template <class Body>
void with_test(const Binned& x, const Split& split, Body body) {
  const BinnedColumn& column = x.columns[split.column];
  std::vector<std::uint64_t> bits(split.set ? static_cast<std::size_t>(column.codes) / 64 + 1 : 0);
  if (split.set)
    for (const std::uint16_t level : split.left) bits[(level + 1u) / 64] |= std::uint64_t{1} << ((level + 1u) % 64);
  std::visit(
      [&](const auto& code) {
        if (split.set)
          body(code.data(), [&](auto c) { return c == 0 ? split.missing_left : (bits[c / 64] >> (c % 64) & 1) != 0; });
        else if (split.missing_left) body(code.data(), [bin = split.bin](auto c) { return c <= bin; });
        else body(code.data(), [bin = split.bin](auto c) { return c - 1u < bin; });  // 0 becomes the greatest
      },
      column.code);
}

// Gives how many rows went left. `spare` is as long as `rows`. A team of one must not wait for others: whoever waits
// may be given another's work, which needs the same scratch.
inline std::size_t partition(const Binned& x, const Split& split, std::span<Row> rows, std::span<Row> spare,
                             Team team) {
  const auto each = [&](std::size_t blocks, auto body) {
    if (team == Team::All && blocks > 1) parallel_for(blocks, 1, [&](std::size_t b, std::size_t) { body(b); });
    else
      for (std::size_t b = 0; b < blocks; ++b) body(b);
  };
  const std::size_t blocks = (rows.size() + kPartitionBlock - 1) / kPartitionBlock;
  const auto block = [&](std::size_t b) {
    const std::size_t first = b * kPartitionBlock;
    return std::pair(first, std::min(kPartitionBlock, rows.size() - first));
  };
  std::vector<std::size_t> left(blocks + 1);  // later: where the left rows of each block begin
  with_test(x, split, [&](const auto* code, auto goes_left) {
    each(blocks, [&](std::size_t b) {
      const auto [first, size] = block(b);
      left[b + 1] = divide_block(code, rows.subspan(first, size), spare.subspan(first, size), goes_left);
    });
  });
  for (std::size_t b = 0; b < blocks; ++b) left[b + 1] += left[b];
  each(blocks, [&](std::size_t b) {
    const auto [first, size] = block(b);
    const std::size_t lefts = left[b + 1] - left[b];
    const auto from = spare.subspan(first, size);
    std::ranges::copy(from.first(lefts), rows.begin() + static_cast<std::ptrdiff_t>(left[b]));
    std::ranges::reverse_copy(from.subspan(lefts),
                              rows.begin() + static_cast<std::ptrdiff_t>(left[blocks] + first - left[b]));
  });
  return left[blocks];
}

}  // namespace wald
