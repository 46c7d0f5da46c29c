#include "tree/sapling.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "core/huge.h"
#include "core/parallel.h"
#include "tree/pool.h"
#include "tree/sapling_grow.h"
#include "tree/sapling_scans.h"
#include "tree/sapling_sink.h"
#include "tree/threshold.h"

namespace wald {
namespace sapling {

std::vector<CodeColumn> code_columns(const Binned& x) {
  std::vector<CodeColumn> out;
  for (std::uint32_t c = 0; c < x.columns.size(); ++c) {
    const BinnedColumn& column = x.columns[c];
    if (column.codes <= 1) continue;
    CodeColumn& made = out.emplace_back();
    made = {.number = c,
            .index = static_cast<std::uint32_t>(out.size() - 1),
            .type = column.type,
            .codes = column.codes,
            .binned = &column};
    if (const auto* narrow = std::get_if<0>(&column.code)) made.narrow = narrow->data();
    else made.wide = std::get<1>(column.code).data();
  }
  return out;
}

// Extremely randomised trees (Geurts, Ernst and Wehenkel 2006): a cut of numbers is uniform between the least and the
// greatest, put into the gap of bins it falls into. Where infinities leave nothing to draw between, uniform over bins.
void draw_cut(const CodeColumn& column, std::span<std::uint16_t> occupied, Draws& draws, Split& into) {
  const bool has_missing = occupied[0] == 0;
  const auto values = occupied.subspan(has_missing ? 1 : 0);
  into.set = column.type == ColumnType::Category;
  into.missing_left = draws.below(2) == 0;
  if (values.size() == 1) {  // the cut says "is missing"
    into.missing_left = false;
    into.bin = values[0], into.next = 0;
    if (into.set) into.left.assign(1, static_cast<std::uint16_t>(values[0] - 1));
    return;
  }
  if (into.set) {
    const std::size_t left = 1 + draws.below(values.size() - 1);
    into.left.clear();
    for (std::size_t i = 0; i < left; ++i) {
      std::swap(values[i], values[i + draws.below(values.size() - i)]);
      into.left.push_back(static_cast<std::uint16_t>(values[i] - 1));
    }
    std::ranges::sort(into.left);
    return;
  }
  const std::uint32_t first = values.front(), last = values.back();
  const double low = column.binned->lowest[first - 1], high = column.binned->highest[last - 1], u = draws.unit();
  if (const double t = low * (1 - u) + high * u; std::isfinite(t)) {
    const auto begin = column.binned->highest.begin();
    into.bin = static_cast<std::uint32_t>(std::upper_bound(begin, begin + last, t) - begin);
  } else {
    into.bin = first + static_cast<std::uint32_t>(u * (last - first));
  }
  into.bin = std::clamp(into.bin, first, last - 1);
  into.next = into.bin + 1;
}

}  // namespace sapling

namespace {

template <class Scan>
class GrowerOf : public SaplingGrower {
 public:
  GrowerOf(const Binned& x, const Scan& scan, const SaplingOptions& how, std::uint64_t seed)
      : how_(how), grower_(x, scan, sapling::SaplingSink(scan.outputs()), how, seed) {}
  Sapling grow(std::span<const Drawn> rows, std::uint32_t tree) override {
    how_.tree = tree;
    grower_.begin(how_, -1);
    grower_.grow(0, 0, rows);
    return grower_.sink().take();
  }

 private:
  SaplingOptions how_;
  sapling::Grower<Scan, sapling::SaplingSink> grower_;
};

template <class C>
std::unique_ptr<SaplingGrower> grower_of(const Binned& x, const C& criterion, const SaplingOptions& how,
                                         std::uint64_t seed) {
  return sapling::with_scan(x, criterion, x.rows, [&](const auto& scan) -> std::unique_ptr<SaplingGrower> {
    return std::make_unique<GrowerOf<std::remove_cvref_t<decltype(scan)>>>(x, scan, how, seed);
  });
}

}  // namespace

std::unique_ptr<SaplingGrower> sapling_grower(const Binned& x, const Gini& gini, const SaplingOptions& how,
                                              std::uint64_t seed) {
  return grower_of(x, gini, how, seed);
}
std::unique_ptr<SaplingGrower> sapling_grower(const Binned& x, const Variance& variance, const SaplingOptions& how,
                                              std::uint64_t seed) {
  return grower_of(x, variance, how, seed);
}
std::unique_ptr<SaplingGrower> sapling_grower(const Binned& x, const Blind& blind, const SaplingOptions& how,
                                              std::uint64_t seed) {
  return grower_of(x, blind, how, seed);
}

namespace {

// The cuts in use of each column, and the number of each gap among them.
struct UsedCuts {
  std::vector<std::vector<double>> cuts;
  std::vector<std::vector<std::uint32_t>> number;  // of gap g at [g]
};

UsedCuts used_cuts(const Binned& x, const std::vector<Sapling>& trees) {
  UsedCuts out{std::vector<std::vector<double>>(x.columns.size()), {}};
  for (const BinnedColumn& c : x.columns) out.number.emplace_back(static_cast<std::size_t>(c.codes));
  parallel_for(trees.size(), 1, [&](std::size_t t, std::size_t) {
    for (const Node& node : trees[t].nodes) {
      if (node.test() != Test::Threshold) continue;
      const std::atomic_ref used(out.number[node.column()][node.ref]);
      if (used.load(std::memory_order_relaxed) == 0) used.store(1, std::memory_order_relaxed);
    }
  });
  for (std::size_t c = 0; c < x.columns.size(); ++c) {
    const BinnedColumn& column = x.columns[c];
    for (std::size_t g = 0; g < out.number[c].size(); ++g) {
      if (out.number[c][g] == 0) continue;
      out.number[c][g] = static_cast<std::uint32_t>(out.cuts[c].size());
      out.cuts[c].push_back(g < column.lowest.size() ? threshold_between(column.highest[g - 1], column.lowest[g])
                                                     : std::numeric_limits<double>::infinity());
    }
  }
  return out;
}

// What the trees bring along, one after the other. It is first written by those who fill it, all threads together.
template <class T>
class Joined {
 public:
  template <class Size>
  Joined(const std::vector<Sapling>& trees, Size size) : before_{0} {
    for (const Sapling& tree : trees) before_.push_back(before_.back() + size(tree));
    room_ = std::make_shared<UnsetHugeVector<std::byte>>(before_.back() * sizeof(T));
  }
  const std::vector<std::uint64_t>& before() const { return before_; }
  T* of(std::size_t tree) { return reinterpret_cast<T*>(room_->data()) + before_[tree]; }
  Array<T> take() {
    const T* const first = of(0);
    return {std::span(first, before_.back()), std::move(room_)};
  }

 private:
  std::vector<std::uint64_t> before_;
  std::shared_ptr<UnsetHugeVector<std::byte>> room_;
};

}  // namespace

Forest assemble(std::vector<double> base, const Binned& x, std::vector<Sapling> trees) {
  UsedCuts used = used_cuts(x, trees);
  const std::size_t width = base.size();
  Forest out{
      .outputs = static_cast<int>(width), .base = std::move(base), .cuts = std::move(used.cuts), .covered = true};
  std::vector<std::vector<std::uint32_t>> vector_of(trees.size());  // of a tree's own ones
  Pool pool(width);
  for (std::size_t t = 0; t < trees.size(); ++t)
    for (std::size_t at = 0; at < trees[t].values.size(); at += width)
      vector_of[t].push_back(pool.put(std::span(trees[t].values).subspan(at, width)));
  Joined<Node> nodes(trees, [](const Sapling& tree) { return tree.nodes.size(); });
  Joined<float> gain(trees, [](const Sapling& tree) { return tree.gain.size(); });
  Joined<std::uint64_t> sets(trees, [](const Sapling& tree) { return tree.sets.size(); });
  parallel_for(trees.size(), 1, [&](std::size_t t, std::size_t) {
    Node* to = nodes.of(t);
    for (Node node : trees[t].nodes) {
      if (node.is_leaf()) node.ref = vector_of[t][node.ref];
      else if (node.test() == Test::Set) node.ref += static_cast<std::uint32_t>(sets.before()[t]);
      else node.ref = used.number[node.column()][node.ref];
      std::construct_at(to++, node);
    }
    std::ranges::uninitialized_copy(trees[t].gain, std::span(gain.of(t), trees[t].gain.size()));
    std::ranges::uninitialized_copy(trees[t].sets, std::span(sets.of(t), trees[t].sets.size()));
    trees[t] = {};
  });
  if (!trees.empty()) out.first = nodes.before();
  out.nodes = nodes.take(), out.gain = gain.take(), out.sets = sets.take(), out.values = pool.take();
  return out;
}

}  // namespace wald
