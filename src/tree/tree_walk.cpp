#include "tree/tree_walk.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace wald {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kAbreast = 16;  // rows: none waits for another's step
constexpr int kBurst = 4;             // steps before one asks whether all are in a leaf

// Where the code of each column lies in a row of by_rows.
std::vector<std::uint32_t> offsets(const Binned& x) {
  std::vector<std::uint32_t> out(x.columns.size(), kNowhere);
  for (std::uint32_t k = 0; k < x.by_rows.width; ++k) out[x.by_rows.column[k]] = k;
  auto at = static_cast<std::uint32_t>(x.by_rows.width);
  for (const RowBytes::Word& word : x.by_rows.words) out[word.column] = at, at += sizeof(std::uint16_t);
  return out;
}

}  // namespace

TreeWalk::TreeWalk(const Tree& tree, const Binned& x) : tree_(tree), x_(x), ways_{0} {
  const std::size_t bytes = x.by_rows.bytes();
  if (!tree.surrogates.empty() || bytes == 0 || bytes > std::numeric_limits<std::uint16_t>::max()) return;
  const std::vector<std::uint32_t> offset = offsets(x);
  steps_.reserve(tree.nodes.size());
  for (std::uint32_t at = 0; at < tree.nodes.size(); ++at)
    if (!add(tree.nodes[at], at, offset)) {
      steps_.clear();
      return;
    }
}

bool TreeWalk::add(const TreeNode& node, std::uint32_t at, std::span<const std::uint32_t> offset) {
  constexpr std::uint16_t kAll = 0xFFFF;
  if (node.test == Test::Leaf) {
    steps_.push_back({.child = at, .ways = 0, .most = kAll, .offset = 0, .wide = 0, .in_set = 0, .less = 0});
    return true;
  }
  if (node.test == Test::EachLevel || node.missing > 1 || offset[node.column] == kNowhere) return false;
  const auto codes = static_cast<std::uint32_t>(x_.columns[node.column].codes);
  Step step{.child = node.child,
            .ways = 0,
            .most = kAll,
            .offset = static_cast<std::uint16_t>(offset[node.column]),
            .wide = codes > 256 ? kAll : std::uint16_t{255},
            .in_set = 0,
            .less = 0};
  if (node.test == Test::Set) {
    step.in_set = 1, step.ways = static_cast<std::uint32_t>(ways_.size());
    ways_.push_back(static_cast<std::uint8_t>(node.missing));
    for (std::uint32_t level = 0; level + 1 < codes; ++level)
      ways_.push_back(!(tree_.sets[node.ref + level / 64] >> (level % 64) & 1));
  } else {  // the greatest code, all of whose values go left, may be beyond the last bin
    step.less = static_cast<std::uint8_t>(node.missing);
    step.most = static_cast<std::uint16_t>(std::min<std::uint32_t>(node.ref, kAll));
  }
  steps_.push_back(step);
  return true;
}

// No branch depends on the data: nobody could foresee it.
inline std::uint32_t TreeWalk::next(const std::uint8_t* row, std::uint32_t at) const {
  const Step& s = steps_[at];
  std::uint16_t read;
  std::memcpy(&read, row + s.offset, sizeof read);
  const std::uint32_t code = read & s.wide;
  const std::uint32_t greater = code - s.less > static_cast<std::uint32_t>(s.most) - s.less;
  return s.child + greater + ways_[s.ways + (code & (0u - s.in_set))];
}

void TreeWalk::leaves_of(std::span<const Row> rows, std::uint32_t* leaf) const {
  if (steps_.empty()) {
    for (std::size_t i = 0; i < rows.size(); ++i) leaf[i] = leaf_of(tree_, x_, rows[i]);
    return;
  }
  for (std::size_t begin = 0; begin < rows.size(); begin += kAbreast) {
    const std::size_t some = std::min(kAbreast, rows.size() - begin);
    const std::uint8_t* row[kAbreast];
    std::uint32_t at[kAbreast] = {};
    for (std::size_t j = 0; j < kAbreast; ++j) row[j] = x_.by_rows.of(rows[begin + std::min(j, some - 1)]);
    for (bool moving = true; moving;) {
      for (int k = 0; k < kBurst; ++k)
        for (std::size_t j = 0; j < kAbreast; ++j) at[j] = next(row[j], at[j]);
      moving = false;
      for (std::size_t j = 0; j < kAbreast; ++j) moving |= steps_[at[j]].child != at[j];
    }
    std::copy_n(at, some, leaf + begin);
  }
}

}  // namespace wald
