// The cuts of a column of two classes, all judged at once.
#pragma once
#include <cstddef>
#include <cstdint>

namespace wald::sapling {

constexpr std::size_t kTwoAtOnce = 16;  // room for gains, and behind what lies left, is asked for beyond the last

struct TwoCuts {
  const std::uint64_t* upto;  // what lies left of each cut: counts of the first class, and of the second 32 bits higher
  std::size_t count;
  std::uint64_t all;  // of the node
};
// What each cut gains beyond the parent's score, minus infinity where a side has less than the least weight, which is
// above 0. Gives the most.
double judge_two(const TwoCuts&, double parent, double least, double* gain);

}  // namespace wald::sapling
