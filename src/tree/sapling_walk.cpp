#include <algorithm>
#include <array>

#include "tree/deep_kernel.h"
#include "tree/sapling.h"

namespace wald {

RowCodes::RowCodes(const Binned& x) : place_(x.columns.size()), narrow_(x.columns.size()), wide_(x.columns.size()) {
  std::size_t tested = 0;
  for (std::size_t c = 0; c < x.columns.size(); ++c) {
    if (const auto* narrow = std::get_if<0>(&x.columns[c].code)) narrow_[c] = narrow->data();
    else wide_[c] = std::get<1>(x.columns[c].code).data();
    tested += x.columns[c].codes > 1;
  }
  if (x.by_rows.width != tested || tested == 0 || tested > kMostWalkedByRows) return;
  by_rows_ = x.by_rows.code.data(), stride_ = x.by_rows.stride;
  for (std::uint32_t k = 0; k < x.by_rows.column.size(); ++k) place_[x.by_rows.column[k]] = k;
}

std::uint32_t child_of(const Sapling& tree, const RowCodes& x, std::uint32_t at, Row row) {
  const Node& node = tree.nodes[at];
  const std::uint32_t code = x.at(row, node.column());
  if (node.test() == Test::Threshold) return node.child + (code == 0 ? node.what >> 30 : code > node.ref);
  if (code == 0) return node.child + node.missing();
  return node.child + !(tree.sets[node.ref + (code - 1) / 64] >> ((code - 1) % 64) & 1);
}

std::uint32_t leaf_of(const Sapling& tree, const RowCodes& x, Row row) {
  std::uint32_t at = 0;
  while (!tree.nodes[at].is_leaf()) at = child_of(tree, x, at, row);
  return at;
}

namespace {

// Any tree and table: several rows walk at once, so that none waits for memory.
void walk_rows(const Sapling& tree, const RowCodes& x, std::span<const Row> rows, std::span<std::uint32_t> leaf) {
  constexpr std::size_t kTogether = 64;
  std::array<std::uint32_t, kTogether> moving;
  for (std::size_t begin = 0; begin < rows.size(); begin += kTogether) {
    std::size_t left = std::min(kTogether, rows.size() - begin);
    for (std::size_t i = 0; i < left; ++i) leaf[begin + i] = 0, moving[i] = static_cast<std::uint32_t>(begin + i);
    while (left > 0) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < left; ++i) {
        const std::uint32_t at = moving[i], next = child_of(tree, x, leaf[at], rows[at]);
        leaf[at] = next;
        moving[kept] = at;
        kept += !tree.nodes[next].is_leaf();
      }
      left = kept;
    }
  }
}

constexpr std::size_t kMost16 = 0xFFFF;

// The tree for walk_down(); none where a step has no room for it.
std::vector<DeepStep> steps_of(const Sapling& tree, const RowCodes& x) {
  std::vector<DeepStep> out;
  if (tree.nodes.size() > DeepStep::kChild) return out;
  out.reserve(tree.nodes.size());
  for (const Node& node : tree.nodes) {
    DeepStep& step = out.emplace_back();
    if (node.is_leaf()) continue;
    const bool set = node.test() == Test::Set;
    const std::uint32_t ref = set ? node.ref : node.ref - 1;  // bins count from 1
    if (ref > kMost16) return {};
    step = deep_step(tree.nodes, node, node.child, x.place(node.column()), ref);
  }
  return out;
}

// Some thousand rows at a time, of a table that lies row by row.
class Walk {
 public:
  Walk(const DeepTree& tree, const RowCodes& x) : tree_(tree), x_(x) {
    for (auto* list : {&row_, &at_, &ended_, &leaf_}) list->resize(kTile + kDeepPadding);
  }
  static constexpr std::size_t kTile = 1024;

  // leaf[i] is that of rows[i], which are few enough for a tile and ascend. Says whether they lie near enough.
  bool down(std::span<const Row> rows, std::span<std::uint32_t> leaf) {
    const std::size_t first = rows.front(), span = rows.back() - first + 1;
    if (span * x_.stride() > kMostBytes) return false;
    for (std::size_t i = 0; i < rows.size(); ++i) row_[i] = static_cast<std::uint32_t>(rows[i] - first), at_[i] = 0;
    walk_down(tree_, rows.size(),
              DeepRows{x_.by_rows() + first * x_.stride(), static_cast<std::uint32_t>(x_.stride()), row_.data(),
                       at_.data(), ended_.data(), leaf_.data()});
    if (of_row_.size() < span) of_row_.resize(span);
    for (std::size_t i = 0; i < rows.size(); ++i) of_row_[ended_[i]] = leaf_[i];
    for (std::size_t i = 0; i < rows.size(); ++i) leaf[i] = of_row_[rows[i] - first];
    return true;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 28;
  const DeepTree& tree_;
  const RowCodes& x_;
  std::vector<std::uint32_t> row_, at_, ended_, leaf_;
  std::vector<std::uint32_t> of_row_;  // of those from the first on
};

}  // namespace

void leaves_of(const Sapling& tree, const RowCodes& x, std::span<const Row> rows, std::span<std::uint32_t> leaf) {
  if (tree.nodes[0].is_leaf()) {
    std::ranges::fill(leaf, 0u);
    return;
  }
  const std::vector<DeepStep> steps = x.by_rows() != nullptr ? steps_of(tree, x) : std::vector<DeepStep>{};
  if (steps.empty()) return walk_rows(tree, x, rows, leaf);
  const DeepTree deep{steps.data(), tree.sets.empty() ? nullptr : tree.sets.data()};
  Walk walk(deep, x);
  for (std::size_t begin = 0; begin < rows.size(); begin += Walk::kTile) {
    const std::size_t some = std::min(Walk::kTile, rows.size() - begin);
    const auto these = rows.subspan(begin, some);
    if (!walk.down(these, leaf.subspan(begin, some))) walk_rows(tree, x, these, leaf.subspan(begin, some));
  }
}

}  // namespace wald
