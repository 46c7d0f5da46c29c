#pragma once
#include <cstdint>
#include <cstring>
#include <span>

#include "wald/table.h"

namespace wald {

// The lowest bits of eight bytes, each 0 or 1, side by side.
inline std::uint64_t eight_bits(const std::uint8_t* ones) {
  std::uint64_t word;
  std::memcpy(&word, ones, sizeof word);
  return word * 0x0102'0408'1020'4080 >> 56;
}

// Copies the rows whose bit is set, `lefts` of them, to `left` and the others to `right`, each in their order; nothing
// is written beyond them. Bit i % 64 of bits[i / 64] belongs to rows[i].
void divide_rows(std::span<const Row> rows, const std::uint64_t* bits, std::size_t lefts, Row* left, Row* right);

// Which of some places are marked: 1 or 0 by place, and kDividedAtOnce bytes more that may be read; and the same as
// bits, where there are so few places that they fit the longest register, and so many are divided that it is used.
constexpr std::size_t kDividedAtOnce = 32;
struct PlaceMarks {
  static constexpr std::size_t kBits = 512;
  static constexpr std::size_t kMarkedAtOnce = 64;

  PlaceMarks() = default;
  PlaceMarks(const std::uint8_t* mark, std::size_t places, std::size_t divided);
  // Those whose codes go left by a cut behind code `last`, of at most kBits. Code and mark have room for kMarkedAtOnce
  // more.
  PlaceMarks(const std::uint8_t* code, std::size_t places, std::uint32_t last, bool missing_left, std::uint8_t* mark);

  const std::uint8_t* byte = nullptr;
  bool has_bits = false;
  alignas(64) std::uint32_t bits[kBits / 32];
};

// Of n places in some order those that are marked come first, the others go to `right`, not before where these end, in
// their order; gives how many are marked. spare has room for n and kDividedAtOnce more. Of a side that is not wanted
// nothing is known after.
struct WantedSides {
  bool left = true, right = true;
};
using DividePlaces = std::size_t (*)(std::uint16_t* places, std::size_t n, const PlaceMarks&, std::uint16_t* right,
                                     std::uint16_t* spare, WantedSides);
DividePlaces divide_places();  // the one for this processor, which need not be asked again for each of many orders
// The same of wide places; the others come right behind. spare has as much room.
std::size_t divide_places(std::uint32_t* places, std::size_t n, const PlaceMarks&, std::uint32_t* spare);

}  // namespace wald
