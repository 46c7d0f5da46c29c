#include "model/deep_layout.h"

#include <algorithm>
#include <bit>

namespace wald {
namespace {

// Where a test stands in the table of cells: by its column and way of missing values, from the two ends of `what`.
constexpr std::size_t kWays = 4;
std::size_t cell_at(std::uint32_t what) { return std::rotl(what, 2) & 0x3FFF'FFFF; }

// A choice that is no branch.
template <class Word>
Word either(bool first, Word a, Word b) {
  return b ^ ((a ^ b) & (Word{0} - Word{first}));
}

// A threshold's word, without the child, is that of ref 0 less so much for each above. cells: the former.
template <class Step>
void lay(const Step&, const Model&, bool, const auto* cells, const std::uint64_t*, std::span<const Node> nodes,
         LaidOut<Step>& out) {
  using Word = typename Step::Word;
  const Word one = Step::test(0, 0, 0) - Step::test(0, 0, 1), child = Step::leaf(1, 0);
  Word* const to = out.steps.data();
  std::uint32_t k = 0;
  if constexpr (std::is_same_v<Step, NarrowStep>) k = lay_many(nodes, cells, to);
  for (; k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    const Word test = child * node.child + static_cast<Word>(cells[cell_at(node.what)]) - one * node.ref;
    to[k] = either(node.is_leaf(), Step::leaf(k, node.ref), test);
  }
}

// The word of a set is its levels, moved by one for missing and by the cell's number, and all codes' bits the other way
// round. That of a threshold is kept turned back, so that the same is done to it.
template <class Says>
void lay(const MaskStep<Says>& step, const Model& model, bool apart, const std::uint64_t* cells,
         const std::uint64_t* tests, std::span<const Node> nodes, LaidOut<MaskStep<Says>>& out) {
  MaskKinds kinds{.turn = static_cast<int>(step.cell_bits + 1),
                  .below_child = static_cast<int>(step.below_child),
                  .below_set = static_cast<int>(step.cell_bits)};
  for (std::uint32_t k = 0; k < 8; ++k) {
    const std::uint32_t way = k / 4;
    const bool set = k % 4 == static_cast<std::uint32_t>(Test::Set);
    kinds.from[k] = set ? model.forest().sets.data() : tests + 1 - (apart ? way : 0);
    kinds.flip[k] = set ? step.set(~std::uint64_t{0} - (1 - way)) : 0;
    kinds.all[k] = k % 4 == static_cast<std::uint32_t>(Test::Leaf) ? 0 : ~std::uint64_t{0};
  }
  std::uint64_t* const to = out.steps.data();
  for (std::uint32_t k = lay_many(kinds, nodes, cells, to); k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    const std::uint32_t kind = node.what >> 28 & 7;
    const std::uint64_t all = kinds.all[kind];
    const std::uint64_t right = std::rotl(kinds.from[kind][node.ref & all], kinds.turn) ^ kinds.flip[kind];
    const std::uint64_t test = (right + cells[cell_at(node.what)]) | std::uint64_t{node.child} << kinds.below_child;
    const std::uint64_t end = std::uint64_t{node.ref} << kinds.below_set | std::uint64_t{k} << kinds.below_child;
    to[k] = end ^ ((end ^ test) & all);
  }
}

// The codes that go right, bit by bit, of the w-th 64: 0 for missing, then the levels.
std::uint64_t right_of(const std::uint64_t* left, bool missing_right, std::size_t levels, std::size_t w) {
  const std::uint64_t before = w > 0 ? left[w - 1] >> 63 : !missing_right;
  return ~((w * 64 < levels ? left[w] : 0) << 1 | before);
}

// cells: the numbers of cells.
void lay(const SetStep&, const Model& model, bool apart, const std::uint64_t* cells, const std::uint64_t*,
         std::span<const Node> nodes, LaidOut<SetStep>& out) {
  out.sets.clear();
  for (std::uint32_t k = 0; k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    const auto cell = static_cast<std::uint32_t>(cells[cell_at(node.what)]);
    if (node.test() != Test::Set) {  // where missing values go left codes count from 1
      const std::uint32_t most = node.ref + 1 - (apart ? node.what >> 30 : 0);
      out.steps[k] = node.is_leaf() ? SetStep::leaf(k, node.ref) : SetStep::test(node.child, cell, most);
      continue;
    }
    const std::size_t levels = model.schema.columns[node.column()].level.size();
    const std::uint64_t* left = model.forest().sets.data() + node.ref;
    const bool is_long = levels > SetStep::kMostShort, missing_right = node.missing() == 1;
    const std::uint64_t right = is_long ? out.sets.size() : right_of(left, missing_right, levels, 0);
    out.steps[k] = SetStep::set(node.child, cell, right, is_long);
    for (std::size_t w = 0; is_long && w * 64 <= levels; ++w)
      out.sets.push_back(right_of(left, missing_right, levels, w));
  }
}

}  // namespace

template <class Step>
DeepLayout<Step>::DeepLayout(const Step& step, const Model& model, const DeepCells& cells)
    : step_(step), model_(&model), apart_(cells.missing()), cells_(kWays * model.schema.columns.size()) {
  constexpr bool kMask = requires { step_.last(); }, kSet = requires { Step::kLongSet; };
  for (std::uint32_t c = 0; c < model.schema.columns.size(); ++c)
    for (std::uint32_t way = 0; way < 2; ++way)
      if constexpr (kMask || kSet) cells_[kWays * c + way] = cells.of(c, way);
      else cells_[kWays * c + way] = Step::test(0, cells.of(c, way), 1 - (apart_ ? way : 0));
  if constexpr (kMask)  // two at least, for leaves look there too
    for (std::size_t most = 0; most <= std::max<std::size_t>(cells.most_cuts(), 1); ++most) {
      const std::uint64_t right = step_.set(~std::uint64_t{0} << (most % step_.last() + 1)) + most / step_.last();
      tests_.push_back(std::rotr(right, static_cast<int>(step_.cell_bits + 1)));
    }
}

template <class Step>
void DeepLayout<Step>::lay_out(std::span<const Node> nodes, LaidOut<Step>& out) const {
  out.steps.resize(std::max(out.steps.size(), nodes.size()));
  lay(step_, *model_, apart_, cells_.data(), tests_.data(), nodes, out);
}

template class DeepLayout<NarrowStep>;
template class DeepLayout<WideStep>;
template class DeepLayout<FewMaskStep>;
template class DeepLayout<ManyMaskStep>;
template class DeepLayout<SetStep>;

}  // namespace wald
