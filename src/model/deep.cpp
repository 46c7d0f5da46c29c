#include "model/deep.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "core/huge.h"

namespace wald {
namespace {

constexpr std::size_t kManyNodes = 600;   // of a tree, on average, to be worth it
constexpr std::size_t kLongVector = 4;    // numbers, of which zeros are worth leaving out
constexpr std::size_t kFewVectors = 256;  // whose numbers are a byte

// Only tests of two ways whose missing values go one of them; no linear leaves.
bool plain(const Forest& forest, const Asked& asked) {
  return forest.terms.empty() && !asked.any(Asked::kEachLevel) && !asked.any(Asked::kSpreads) &&
         !asked.any(Asked::kAsks);
}

std::size_t most_nodes(const Forest& forest) {
  std::size_t most = 0;
  for (std::size_t t = 0; t < forest.trees(); ++t) most = std::max(most, forest.tree(t).nodes.size());
  return most;
}

}  // namespace

DeepWalk::DeepWalk(const Model& model, const Asked& asked, const CircuitPlan& plan, bool missing, bool wanted)
    : forest_(model.forest()), plan_(plan) {
  const std::size_t trees = forest_.trees();
  if (!wanted || forest_.nodes.size() < kManyNodes * trees || trees == 0) return;
  if (!plain(forest_, asked) || !cells_.find(model, asked, plan, missing)) return;
  choose_steps(model);
  votes_ = VoteCounts(forest_);
  if (forest_.width() >= kLongVector) find_singles();
  // What a node costs to lay out and what steps over codes spare a row.
  constexpr std::size_t kNodesARow = 96;
  least_rows_ = forest_.nodes.size() / trees / kNodesARow;
}

void DeepWalk::choose_steps(const Model& model) {
  const std::size_t nodes = most_nodes(forest_);
  const bool few = forest_.values.size() / forest_.width() <= kFewVectors;
  if (cells_.sets()) {
    if (few ? mask_steps<FewMaskStep>(model, nodes) : mask_steps<ManyMaskStep>(model, nodes)) return;
    cells_.number(0, 1);
    steps_.emplace<Steps<SetStep>>(SetStep{}, model, cells_);
  } else if (cells_.number(0, 0) <= NarrowStep::kMostCells && cells_.most_cuts() <= NarrowStep::kMostCuts &&
             nodes <= NarrowStep::kMostNodes && few) {
    steps_.emplace<Steps<NarrowStep>>(NarrowStep{}, model, cells_);
  } else {
    steps_.emplace<Steps<WideStep>>(WideStep{}, model, cells_);
  }
}

// As many bits for a cell's number as there are cells, for a place as there are nodes: the rest is for codes.
template <class Step>
bool DeepWalk::mask_steps(const Model& model, std::size_t nodes) {
  if (nodes > std::size_t{1} << Step::kPlaceBits) return false;
  for (std::uint32_t bits = 1; bits <= 8; ++bits) {
    const Step step{.cell_bits = bits, .below_child = 64 - static_cast<std::uint32_t>(std::bit_width(nodes))};
    const std::size_t codes = step.last();
    if (codes < 32 || codes < cells_.most_levels()) return false;  // 32: the number of a vector
    if (cells_.number(codes, 1) > std::size_t{1} << bits) continue;
    steps_.emplace<Steps<Step>>(step, model, cells_);
    return true;
  }
  return false;
}

void DeepWalk::find_singles() {
  const std::size_t width = forest_.width();
  singles_.resize(forest_.values.size() / width);
  parallel_for(singles_.size(), 1 << 14, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::span<const double> says(forest_.values.data() + v * width, width);
      std::size_t others = 0;
      for (std::size_t o = 0; o < width; ++o)
        if (says[o] != 0 && others++ == 0) singles_[v] = {says[o], o};
      if (others > 1) singles_[v].output = kMany;
    }
  });
}

// --- rows -----------------------------------------------------------------------------------------------------------

// Rows that all trees are taken through at once.
template <class Step>
struct DeepWalk::Block {
  // What a thread needs.
  struct Room {
    Answers answers;
    LaidOut<Step> tree;
    std::size_t laid_out = kNever;  // the number of that tree
  };
  Block(const Steps<Step>& of, std::size_t rows_at_most, const DeepWalk& walk)
      : steps(of),
        most((rows_at_most + kBlockRows - 1) / kBlockRows * kBlockRows),
        rooms(static_cast<std::size_t>(thread_count())) {
    const std::size_t all = most * walk.cells_.stride() + kCellsBeyond;
    memory.resize(all * sizeof(Cell) + most * walk.forest_.trees());
    cells = reinterpret_cast<Cell*>(memory.data());
    slot = reinterpret_cast<std::uint8_t*>(cells + all);
    if constexpr (!kInPlace) found.resize(most * walk.forest_.trees());
  }
  bool fits(std::size_t needed) const {
    return needed <= most && rooms.size() == static_cast<std::size_t>(thread_count());
  }
  std::size_t bytes() const { return memory.size() + found.size() * sizeof(Found); }
  // A byte takes the slot's place, which has been read by then: the fewer bytes are touched first, the better.
  using Cell = typename Step::Cell;
  using Found = typename Step::Found;
  static constexpr bool kInPlace = std::is_same_v<Found, std::uint8_t>;
  Found* found_at(std::size_t at) {
    if constexpr (kInPlace) return slot + at;
    else return found.data() + at;
  }
  Room& room() {
    auto& own = rooms[static_cast<std::size_t>(thread_index())];
    if (!own) own = std::make_unique<Room>();
    return *own;
  }

  // What leaves ask for may lie so many cells behind those of the last row.
  static constexpr std::size_t kCellsBeyond = NarrowStep::kMostCells * NarrowStep::kRowsTogether;

  const Steps<Step>& steps;
  const std::size_t most;                // rows
  std::span<const LaidOut<Step>> trees;  // none where they are not kept
  std::size_t rows = 0;
  // Not set, so that whoever fills them is the first to touch them.
  UnsetHugeVector<std::byte> memory;  // of the next two
  Cell* cells = nullptr;              // row x cell
  std::uint8_t* slot = nullptr;       // part of kBlockRows rows x tree x row: where it leaves the circuit
  UnsetHugeVector<Found> found;       // the same of the vector that its leaf says, unless in its place
  std::vector<std::unique_ptr<Room>> rooms;
};

// The more, the less often the forest is laid out; within bounds.
template <class Step>
std::size_t DeepWalk::block_rows() const {
  constexpr std::size_t kThreadBytes = std::size_t{8} << 20, kLeast = 2 * kBlockRows;
  const std::size_t found = Block<Step>::kInPlace ? 0 : sizeof(typename Step::Found);
  const std::size_t row =
      cells_.stride() * sizeof(typename Step::Cell) + forest_.trees() * (sizeof(std::uint8_t) + found);
  const std::size_t rows = kThreadBytes * static_cast<std::size_t>(thread_count()) / row;
  return std::max(rows / kBlockRows * kBlockRows, kLeast);
}

// The last one, if it does: memory that is given back and asked for again costs more than to count the votes in it.
template <class Step>
std::shared_ptr<DeepWalk::Block<Step>> DeepWalk::take_block(const Steps<Step>& steps, std::size_t most) const {
  std::shared_ptr<Block<Step>> spare;
  {
    const std::lock_guard lock(steps.lock);
    spare.swap(steps.spare);
  }
  return spare && spare->fits(most) ? spare : std::make_shared<Block<Step>>(steps, most, *this);
}

template <class Step>
bool DeepWalk::read(Block<Step>& block, std::size_t part, CellColumns columns) const {
  if (part == 0)
    std::fill_n(block.cells + block.most * cells_.stride(), Block<Step>::kCellsBeyond, typename Step::Cell{});
  const std::size_t from = part * kBlockRows, rows = std::min(kBlockRows, block.rows - from);
  Answers& answers = block.room().answers;
  if (!cells_.read(block.steps.layout.step(), columns, rows, block.cells + from * cells_.stride(), answers))
    return false;
  std::uint8_t* slot = block.slot + from * forest_.trees();
  if (plan_.trees.empty()) {  // all rows start at the top
    std::fill_n(slot, kBlockRows * forest_.trees(), std::uint8_t{0});
    return true;
  }
  for (const Circuit& circuit : plan_.trees) {
    find_slots(circuit, plan_.questions_of(circuit, answers.missing), answers.yes.data(), slot);
    slot += kBlockRows;
  }
  return true;
}

// Rows of parts begin .. end - 1.
template <class Step>
void DeepWalk::walk(Block<Step>& block, std::size_t t, std::size_t begin, std::size_t end) const {
  static constexpr std::uint32_t kTop = 0;
  const auto nodes = forest_.tree(t).nodes;
  auto& room = block.room();
  if (block.trees.empty() && room.laid_out != t) block.steps.layout.lay_out(nodes, room.tree), room.laid_out = t;
  const LaidOut<Step>& tree = block.trees.empty() ? room.tree : block.trees[t];
  for (std::size_t part = begin; part < end; ++part) {
    const std::size_t at = part * kBlockRows * forest_.trees() + t * kBlockRows;
    const Descent<Step> descent{.step = block.steps.layout.step(),
                                .steps = tree.steps.data(),
                                .sets = tree.sets.data(),
                                .start = plan_.trees.empty() ? &kTop : plan_.node.data() + plan_.trees[t].slot,
                                .slot = block.slot + at,
                                .cells = block.cells + part * kBlockRows * cells_.stride(),
                                .stride = cells_.stride(),
                                .rows = std::min(kBlockRows, block.rows - part * kBlockRows),
                                .found = block.found_at(at)};
    descend(descent);
    if constexpr (Step::kSaysPlace)
      for (std::size_t r = 0; r < descent.rows; ++r) descent.found[r] = nodes[descent.found[r]].ref;
  }
}

// As many as keep their scores in the cache while all trees add to them.
std::size_t rows_together(std::size_t outputs) {
  constexpr std::size_t kScores = (std::size_t{16} << 10) / sizeof(double), kLeast = 64;
  return std::clamp(std::bit_floor(kScores / outputs), kLeast, kBlockRows);  // of one part
}

// to: row x output. kWidth: of the vectors, 0 where it is none of the small ones.
template <std::size_t kWidth, class Found>
void add_vectors(const double* values, std::size_t width, const Found* found, std::size_t rows, double* to,
                 std::size_t outputs) {
  for (std::size_t r = 0; r < rows; ++r, to += outputs) {
    const double* says = values + found[r] * (kWidth == 0 ? width : kWidth);
    if constexpr (kWidth == 2) {  // both are read before one is written, so that they are added at once
      const double first = says[0], second = says[1];
      const double sums[2] = {to[0] + first, to[1] + second};
      to[0] = sums[0], to[1] = sums[1];
    } else {
      for (std::size_t o = 0; o < (kWidth == 0 ? width : kWidth); ++o) to[o] += says[o];
    }
  }
}

// What the trees say of rows begin .. end - 1, all of one part. score: of these.
template <class Step>
void DeepWalk::add(Block<Step>& block, std::size_t begin, std::size_t end, double* score) const {
  const auto outputs = static_cast<std::size_t>(forest_.outputs);
  const std::size_t width = forest_.width(), trees = forest_.trees();
  const auto* found = block.found_at(begin / kBlockRows * kBlockRows * trees + begin % kBlockRows);
  if constexpr (Block<Step>::kInPlace)
    if (votes_.exact()) {
      for (std::size_t row = 0; row < end - begin; row += VoteCounts::kRows)
        votes_.score(found + row, kBlockRows, std::min(VoteCounts::kRows, end - begin - row), score + row * outputs);
      return;
    }
  const double* values = forest_.values.data();
  // Adding 0 makes -0 a 0, as it would become by any number that a tree says: from here on zeros need not be added.
  for (std::size_t i = 0; i < (end - begin) * outputs; ++i) score[i] = forest_.base[i % outputs] + 0.0;
  for (std::size_t t = 0; t < trees; ++t, found += kBlockRows) {
    double* to = score + (forest_.output.empty() ? 0 : forest_.output[t]);
    if (width == 1) {
      add_vectors<1>(values, width, found, end - begin, to, outputs);
    } else if (width == 2) {
      add_vectors<2>(values, width, found, end - begin, to, outputs);
    } else if (singles_.empty()) {
      add_vectors<0>(values, width, found, end - begin, to, outputs);
    } else {
      for (std::size_t r = 0; r < end - begin; ++r, to += outputs) {
        const Single& single = singles_[found[r]];
        if (single.output != kMany) to[single.output] += single.value;
        else add_vectors<0>(values, width, found + r, 1, to, outputs);
      }
    }
  }
}

template <class Step>
void DeepWalk::lay_out(const Steps<Step>& steps) const {
  steps.trees.resize(forest_.trees());
  parallel_for(forest_.trees(), 1,
               [&](std::size_t t, std::size_t) { steps.layout.lay_out(forest_.tree(t).nodes, steps.trees[t]); });
}

template <class Step>
std::size_t DeepWalk::score_as(const Steps<Step>& steps, std::size_t from, std::size_t rows, bool keep, Cells columns,
                               double* score, GoesOn goes_on) const {
  if (keep) std::call_once(kept_, [&] { lay_out(steps); });
  const auto outputs = static_cast<std::size_t>(forest_.outputs), threads = static_cast<std::size_t>(thread_count());
  const std::size_t most = std::min(block_rows<Step>(), rows - from), trees = forest_.trees();
  std::shared_ptr<Block<Step>> taken = take_block(steps, most);
  Block<Step>& block = *taken;
  block.trees = keep ? steps.trees : std::span<const LaidOut<Step>>();
  std::size_t done = from;
  for (; done < rows && goes_on(done); done += block.rows) {
    block.rows = std::min(most, rows - done);
    std::atomic<bool> sound = true;
    const std::size_t parts = (block.rows + kBlockRows - 1) / kBlockRows;
    parallel_for(block.rows, kBlockRows, [&](std::size_t begin, std::size_t end) {
      if (sound && !read(block, begin / kBlockRows, columns(done + begin, done + end))) sound = false;
    });
    if (!sound) break;
    // Where trees are few for the threads, several take the same.
    const std::size_t shares = std::min(parts, (2 * threads + trees - 1) / trees);
    parallel_for(trees * shares, 1, [&](std::size_t i, std::size_t) {
      const std::size_t share = i % shares;
      walk(block, i / shares, parts * share / shares, parts * (share + 1) / shares);
    });
    parallel_for(block.rows, rows_together(outputs),
                 [&](std::size_t begin, std::size_t end) { add(block, begin, end, score + (done + begin) * outputs); });
  }
  constexpr std::size_t kMostSpare = std::size_t{16} << 20;
  if (block.bytes() <= kMostSpare) {
    const std::lock_guard lock(steps.lock);
    steps.spare.swap(taken);
  }
  return done;
}

std::size_t DeepWalk::score(std::size_t from, std::size_t rows, bool keep, Cells columns, double* score,
                            GoesOn goes_on) const {
  return std::visit(
      [&]<class Kind>(const Kind& steps) {
        if constexpr (std::is_same_v<Kind, std::monostate>) return from;
        else return score_as(steps, from, rows, keep, columns, score, goes_on);
      },
      steps_);
}

}  // namespace wald
