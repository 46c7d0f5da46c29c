#include "tree/partition.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "core/parallel.h"
#include "tree/divide_rows.h"

namespace wald {
namespace {

// Sets bit i % 64 of bits[i / 64] where rows[i] goes left; gives how many do.
template <class Codes, class GoesLeft>
std::size_t mark_left(Codes code, std::span<const Row> rows, std::uint64_t* bits, GoesLeft goes_left) {
  // Into the second-level cache: of a node of a large table each code lies in a line of its own, farther away.
  constexpr std::size_t kFetchedAhead = 256;
  constexpr int kNear = 2;
  std::size_t left = 0, i = 0;
  for (; i + 64 <= rows.size(); i += 64) {
    std::uint64_t word = 0;
    const Row* const later = rows.data() + std::min(i + kFetchedAhead, rows.size() - 64);
    for (std::size_t j = 0; j < 64; ++j) __builtin_prefetch(code + later[j], 0, kNear);
    for (std::size_t byte = 0; byte < 8; ++byte) {
      std::uint8_t one[8];
      for (std::size_t j = 0; j < 8; ++j) one[j] = goes_left(code[rows[i + 8 * byte + j]]);
      word |= eight_bits(one) << (8 * byte);
    }
    bits[i / 64] = word;
    left += static_cast<std::size_t>(std::popcount(word));
  }
  for (; i < rows.size(); ++i) {
    if (i % 64 == 0) bits[i / 64] = 0;
    const bool goes = goes_left(code[rows[i]]);
    bits[i / 64] |= std::uint64_t{goes} << (i % 64);
    left += goes;
  }
  return left;
}

// Calls body(codes, goes_left) for the split's column.
template <class Body>
void with_test(const Binned& x, const Split& split, Body body) {
  const BinnedColumn& column = x.columns[split.column];
  std::vector<std::uint8_t> in(split.set ? static_cast<std::size_t>(column.codes) : 0);
  if (split.set) {
    in[0] = split.missing_left;
    for (const std::uint16_t level : split.left) in[level + 1u] = 1;
  }
  with_codes(x, split.column, [&](auto code) {
    if (split.set) body(code, [in = in.data()](auto c) { return in[c] != 0; });
    else if (split.missing_left) body(code, [bin = split.bin](auto c) { return c <= bin; });
    else body(code, [bin = split.bin](auto c) { return c - 1u < bin; });  // 0 becomes the greatest
  });
}

}  // namespace

std::size_t partition(const Binned& x, const Split& split, std::span<Row> rows, std::span<Row> spare, Team team) {
  const auto each = [&](std::size_t blocks, auto body) {
    if (team == Team::All && blocks > 1) parallel_for(blocks, 1, [&](std::size_t b, std::size_t) { body(b); });
    else
      for (std::size_t b = 0; b < blocks; ++b) body(b);
  };
  constexpr std::size_t kLeast = 1u << 11, kMost = 1u << 14;  // rows that one thread divides at a time
  const std::size_t share = team == Team::All ? rows.size() / static_cast<std::size_t>(thread_count()) : kMost;
  const std::size_t block_rows = std::clamp(share / 64 * 64 + 64, kLeast, kMost);
  const std::size_t blocks = (rows.size() + block_rows - 1) / block_rows;
  const auto block = [&](std::size_t b) {
    const std::size_t first = b * block_rows;
    return std::pair(first, std::min(block_rows, rows.size() - first));
  };
  std::vector<std::uint64_t> bits((rows.size() + 63) / 64);
  std::vector<std::size_t> left(blocks + 1);  // later: where the left rows of each block go
  with_test(x, split, [&](auto code, auto goes_left) {
    each(blocks, [&](std::size_t b) {
      const auto [first, size] = block(b);
      left[b + 1] = mark_left(code, rows.subspan(first, size), bits.data() + first / 64, goes_left);
    });
  });
  for (std::size_t b = 0; b < blocks; ++b) left[b + 1] += left[b];
  each(blocks, [&](std::size_t b) {
    const auto [first, size] = block(b);
    divide_rows(rows.subspan(first, size), bits.data() + first / 64, left[b + 1] - left[b], spare.data() + left[b],
                spare.data() + left[blocks] + first - left[b]);
  });
  each(blocks, [&](std::size_t b) {
    const auto [first, size] = block(b);
    std::ranges::copy(spare.subspan(first, size), rows.begin() + static_cast<std::ptrdiff_t>(first));
  });
  return left[blocks];
}

void find_ways(const Binned& x, const Split& split, std::span<const Row> rows, std::span<std::int8_t> way) {
  with_test(x, split, [&](auto code, auto goes_left) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      way[i] = static_cast<std::int8_t>(code[rows[i]] == 0 ? -1 : goes_left(code[rows[i]]) ? 0 : 1);
  });
}

std::int64_t weight_left(const Binned& x, const Split& split, std::span<const Row> rows,
                         std::span<const std::int64_t> weight) {
  std::int64_t left = 0;
  with_test(x, split, [&](auto code, auto goes_left) {
    for (const Row r : rows)
      if (goes_left(code[r])) left += weight.empty() ? 1 : weight[r];
  });
  return left;
}

}  // namespace wald
