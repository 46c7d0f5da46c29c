// The last rows of a branch, finished by a loop of their own. A tree of a forest has most of its nodes where a handful
// of rows is left, and what such a node costs is not its rows but everything around them. So the codes of up to 32 rows
// are turned once, so that a column is a register or two; a node is then the list of its rows, and all columns drawn
// for it are judged together, every row of each against every cut. For rows that count, of classes.
#pragma once
#include <array>
#include <cstdint>

namespace wald::sapling {

constexpr std::size_t kTwigRows = 32, kTwigColumns = 64;
constexpr std::size_t kTwigBlock = 16;    // rows whose codes fit the least register
constexpr std::uint32_t kTwigCount = 63;  // the most that rows may count for: then 16 bits hold a cut's sums
constexpr std::size_t kTwigAhead = 8;     // nodes whose draws are made at a time

struct alignas(64) TwigRows {
  // Columns of kTwigRows codes; the same with 255 for the missing values, where there are some; and one of zeros.
  std::array<std::uint8_t, (2 * kTwigColumns + 1) * kTwigRows> code;
  std::array<std::uint8_t, kTwigRows> count, label;  // label: among the classes there are
  std::array<const std::uint8_t*, kTwigRows> row;    // its codes, and as many bytes as fit a register
  std::uint64_t varied, missing;                     // bits of columns: of two codes; that miss values
};

// A node of a twig: its rows class by class, and after the last of them any.
struct TwigNode {
  alignas(32) std::array<std::uint8_t, kTwigRows> at;
  std::uint32_t rows = 0, count = 0;  // count: what they count for
  std::uint32_t node = 0;
  int depth = 0;
};

// What all nodes share.
struct TwigRules {
  std::size_t columns = 0, wanted = 0;  // and how many are drawn for a node
  std::uint64_t seed = 0;
  std::uint32_t tree = 0;
  std::uint32_t least = 1;                                                     // that a side must count for
  std::uint64_t categories = 0;                                                // bits of columns
  std::uint32_t ahead = kNoneAhead;                                            // the first of the nodes ...
  alignas(64) std::array<std::array<std::uint32_t, 4 * kTwigAhead>, 2> words;  // ... whose first words are these
  // Laid out as the codes: whether a column is of levels.
  alignas(64) std::array<std::uint8_t, (2 * kTwigColumns + 1) * kTwigRows> level = {};

  static constexpr std::uint32_t kNoneAhead = 0x8000'0000;
};

struct TwigCut {
  bool any = false;
  std::uint32_t column = 0;
  bool has_missing = false, missing_right = false;  // in the column, among the node's rows
  std::uint32_t bin = 0, next = 0;                  // of a column of numbers, as in Split
  std::uint32_t left = 0, left_rows = 0;            // bits of the node's rows, and how many
  alignas(32) std::array<std::uint8_t, kTwigRows> left_at = {}, right_at = {};
  std::uint32_t all = 0, left_all = 0;  // what the rows count for
  std::uint32_t squares = 0, left_squares = 0, right_squares = 0;
};

// Turns the codes of the rows, and says what they are like.
void turn_twig(TwigRows&, std::size_t rows, std::size_t columns);
// The first of the best cuts of the columns drawn. The node has rows of two classes or more.
void choose_twig(const TwigRows&, const TwigNode&, TwigRules&, TwigCut&);
bool twigs_pay();  // whether this processor has what they need

}  // namespace wald::sapling
