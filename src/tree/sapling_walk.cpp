#include <algorithm>
#include <array>

#include "tree/deep_steps.h"
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
    if (node.is_leaf()) {
      out.push_back(deep_leaf(out.size()));
      continue;
    }
    const std::uint32_t ref = node.test() == Test::Set ? node.ref : node.ref - 1;  // bins count from 1
    if (ref >= kMost16) return {};
    out.push_back(deep_step(node, node.child, x.place(node.column()), ref));
  }
  return out;
}

}  // namespace

void leaves_of(const Sapling& tree, const RowCodes& x, std::span<const Row> rows, std::span<std::uint32_t> leaf) {
  if (tree.nodes[0].is_leaf()) {
    std::ranges::fill(leaf, 0u);
    return;
  }
  const std::vector<DeepStep> steps = x.by_rows() != nullptr ? steps_of(tree, x) : std::vector<DeepStep>{};
  if (steps.empty()) return walk_rows(tree, x, rows, leaf);
  const DeepTree deep{steps.data(), tree.sets.empty() ? nullptr : tree.sets.data()};
  walk_down(deep, DeepCodes{x.by_rows(), x.stride()}, rows, leaf.data());
}

}  // namespace wald
