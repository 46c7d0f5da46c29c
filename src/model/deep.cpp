#include "model/deep.h"

#include <algorithm>
#include <array>

namespace wald {
namespace {

constexpr std::size_t kTogether = 16;           // rows of a group
constexpr std::size_t kManyNodes = 600;         // of a tree, on average, to be worth it
constexpr std::size_t kMostColumns16 = 0xFFFF;  // and thresholds of a column

// Only tests of two ways whose missing values go one of them; no linear leaves.
bool plain(const Forest& forest) {
  if (!forest.terms.empty() || forest.cuts.size() > kMostColumns16) return false;
  for (const auto& cuts : forest.cuts)
    if (cuts.size() >= kMostColumns16) return false;
  return std::ranges::all_of(forest.nodes, [](const Node& node) {
    return node.is_leaf() || (node.test() != Test::EachLevel && node.missing() < 2);
  });
}

}  // namespace

DeepWalk::DeepWalk(const Model& model, bool wanted) : forest_(model.forest()) {
  if (!wanted || forest_.nodes.size() < kManyNodes * forest_.trees() || forest_.trees() == 0 || !plain(forest_)) return;
  const std::size_t columns = model.schema.columns.size();
  categories_.resize(columns), used_.resize(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    categories_[c] = model.schema.columns[c].type == ColumnType::Category;
    if (model.schema.columns[c].level.size() >= kMostColumns16) return;
  }
  nodes_.reserve(forest_.nodes.size());
  for (std::size_t t = 0; t < forest_.trees(); ++t) {
    std::uint32_t at = 0;
    for (const Node& node : forest_.tree(t).nodes) {
      const bool set = node.test() == Test::Set;
      sets_ = sets_ || set;
      if (node.is_leaf()) {
        nodes_.push_back({at, 0, 0, 0xFFFF'FFFF});
      } else {
        used_[node.column()] = true;
        nodes_.push_back({node.child, static_cast<std::uint16_t>(node.column()),
                          static_cast<std::uint16_t>((node.missing() == 1 ? kMissingRight : 0) | (set ? kSet : 0)),
                          node.ref});
      }
      ++at;
    }
  }
}

// Of numbers how many thresholds are below, of categories the level.
void DeepWalk::read_codes(CellColumns cells, std::size_t rows, Room& room) const {
  const std::size_t columns = used_.size();
  room.code.resize(rows * columns);
  for (std::size_t c = 0; c < columns; ++c) {
    if (!used_[c]) continue;
    const double* cell = cells[c];
    std::uint16_t* to = room.code.data() + c;
    const std::vector<double>& cuts = forest_.cuts[c];
    for (std::size_t r = 0; r < rows; ++r, to += columns) {
      const double x = cell[r];
      if (x != x) *to = kNone;
      else if (categories_[c]) *to = static_cast<std::uint16_t>(x);
      else *to = static_cast<std::uint16_t>(std::ranges::lower_bound(cuts, x) - cuts.begin());
    }
  }
}

template <bool kSets>
void DeepWalk::add_tree(std::size_t t, std::size_t rows, const Room& room, double* score) const {
  const std::size_t columns = used_.size(), width = forest_.width();
  const auto outputs = static_cast<std::size_t>(forest_.outputs);
  const Step* nodes = nodes_.data() + forest_.first[t];
  const std::uint64_t* sets = forest_.sets.data();
  if (!forest_.output.empty()) score += forest_.output[t];
  for (std::size_t begin = 0; begin < rows; begin += kTogether) {
    const std::size_t some = std::min(kTogether, rows - begin);
    std::array<std::uint32_t, kTogether> at{};
    std::array<const std::uint16_t*, kTogether> code;
    for (std::size_t j = 0; j < kTogether; ++j) code[j] = room.code.data() + (begin + std::min(j, some - 1)) * columns;
    for (std::uint32_t moved = 1; moved != 0;) {
      moved = 0;
      for (std::size_t j = 0; j < kTogether; ++j) {
        const Step& step = nodes[at[j]];
        const std::uint32_t c = code[j][step.column];
        std::uint32_t right = c > step.ref;
        if constexpr (kSets) {
          const bool set = (step.kind & kSet) != 0 && c != kNone;
          const std::uint64_t word = sets[set ? step.ref + c / 64 : 0];
          right = set ? ~(word >> (c % 64)) & 1 : right;
        }
        right = c == kNone ? step.kind & kMissingRight : right;
        const std::uint32_t next = step.child + right;
        moved |= next ^ at[j];
        at[j] = next;
      }
    }
    const Node* own = forest_.nodes.data() + forest_.first[t];
    for (std::size_t j = 0; j < some; ++j) {
      const double* says = forest_.values.data() + own[at[j]].ref * width;
      double* to = score + (begin + j) * outputs;
      for (std::size_t o = 0; o < width; ++o) to[o] += says[o];
    }
  }
}

void DeepWalk::score(CellColumns cells, std::size_t rows, double* score, Room& room) const {
  const auto outputs = static_cast<std::size_t>(forest_.outputs);
  for (std::size_t i = 0; i < rows * outputs; ++i) score[i] = forest_.base[i % outputs];
  read_codes(cells, rows, room);
  for (std::size_t t = 0; t < forest_.trees(); ++t)
    if (sets_) add_tree<true>(t, rows, room, score);
    else add_tree<false>(t, rows, room, score);
}

}  // namespace wald
