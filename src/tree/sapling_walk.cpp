#include <algorithm>
#include <array>
#include <cstring>

#include "core/parallel.h"
#include "tree/deep_steps.h"
#include "tree/sapling.h"

namespace wald {

RowCodes::RowCodes(const Binned& x) : place_(x.columns.size()), narrow_(x.columns.size()), wide_(x.columns.size()) {
  std::size_t tested = 0;
  for (const BinnedColumn& c : x.columns) codes_.push_back(static_cast<std::uint32_t>(c.codes));
  for (std::size_t c = 0; c < x.columns.size(); ++c) {
    if (const auto* narrow = std::get_if<0>(&x.columns[c].code)) narrow_[c] = narrow->data();
    else wide_[c] = std::get<1>(x.columns[c].code).data();
    tested += x.columns[c].codes > 1;
  }
  if (x.by_rows.width != tested || tested == 0 || tested > kMostWalkedByRows) return;
  by_rows_ = x.by_rows.code.data(), stride_ = x.by_rows.stride;
  missing_.resize(x.columns.size());
  parallel_for(missing_.size(), 1, [&](std::size_t c, std::size_t) {
    missing_[c] = codes_[c] > 1 && std::memchr(narrow_[c], 0, x.rows) != nullptr;
  });
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

constexpr std::uint32_t kWordCodes = 64;

// The levels of a set go left, and codes count from 1.
void put_right(const std::uint64_t* left, std::size_t codes, bool missing, std::vector<std::uint64_t>& right) {
  std::uint64_t carried = missing ? 0 : 1;
  for (std::size_t w = 0; w <= codes / 64; ++w) {
    const std::uint64_t word = w * 64 + 1 < codes ? left[w] : 0;
    right.push_back(~(word << 1 | carried));
    carried = word >> 63;
  }
}

// No branch depends on what a node is: nobody could foresee it.
void put_steps(const Sapling& tree, const RowCodes& x, DeepTree& out) {
  out.missing_right = false;
  for (std::uint32_t k = 0; k < tree.nodes.size(); ++k) {
    const Node& node = tree.nodes[k];
    const std::uint32_t leaf = 0u - std::uint32_t{node.is_leaf()};
    const std::uint32_t number = 0u - std::uint32_t{node.test() == Test::Threshold};
    const bool missing_right = (node.what >> 30 & number & std::uint32_t{x.missing(node.column())}) != 0;
    out.steps[k] = DeepStep::word((k & leaf) | (node.child & ~leaf), x.place(node.column()),
                                  ((node.ref - missing_right) | ~number) & DeepStep::kEvery, missing_right);
    out.missing_right |= missing_right;
  }
}

void put_sets(const Sapling& tree, const RowCodes& x, DeepTree& out) {
  std::uint32_t most_codes = 0;  // of levels: the bits of a cut of numbers are 0, whichever is looked at
  for (const Node& node : tree.nodes)
    most_codes = std::max(most_codes, x.codes(node.column()) & (0u - std::uint32_t{node.test() == Test::Set}));
  out.right.assign(tree.nodes.size(), 0);
  if (most_codes <= kWordCodes) {
    for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
      const Node& node = tree.nodes[k];
      const std::uint64_t set = 0 - std::uint64_t{node.test() == Test::Set};
      out.right[k] = ~(tree.sets[node.ref & set] << 1 | (1 - (node.what >> 30))) & set;
    }
    return;
  }
  out.long_sets.assign(DeepTree::kZeros, 0);
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const Node& node = tree.nodes[k];
    if (node.test() != Test::Set) continue;
    out.right[k] = out.long_sets.size();
    put_right(tree.sets.data() + node.ref, x.codes(node.column()), node.missing() == 1, out.long_sets);
  }
}

// The tree for walk_down(). Codes are bytes.
void make_deep(const Sapling& tree, const RowCodes& x, DeepTree& out) {
  out.steps.resize(tree.nodes.size()), out.right.clear(), out.long_sets.clear();
  put_steps(tree, x, out);
  if (!tree.sets.empty()) put_sets(tree, x, out);
}

}  // namespace

void leaves_of(const Sapling& tree, const RowCodes& x, std::span<const Row> rows, std::span<std::uint32_t> leaf) {
  if (tree.nodes[0].is_leaf()) {
    std::ranges::fill(leaf, 0u);
    return;
  }
  if (x.by_rows() == nullptr) return walk_rows(tree, x, rows, leaf);
  thread_local DeepTree deep;  // asked for once for tree after tree
  make_deep(tree, x, deep);
  walk_down(deep, DeepCodes{x.by_rows(), x.stride()}, rows, leaf.data());
}

}  // namespace wald
