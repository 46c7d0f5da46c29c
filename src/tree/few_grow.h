// The loop of saplings as a grower of subtrees of few rows, for few*.cpp to instantiate.
#pragma once
#include <algorithm>
#include <limits>
#include <utility>

#include "tree/few.h"
#include "tree/partition.h"
#include "tree/sapling_grow.h"

namespace wald::growing {

class TreeSink {
 public:
  static constexpr bool kAnyOrder = false;  // of the rows: those of a leaf keep theirs

  explicit TreeSink(const Binned& x) : x_(&x) {}
  void into(Grown& grown, std::size_t first) { grown_ = &grown, first_ = first; }

  template <class Scan>
  void visit(std::uint32_t node, const Scan& scan, std::size_t first, std::size_t last) {
    Grown::Node& here = grown_->nodes[node];
    here.cover = scan.weight();
    here.first = static_cast<Row>(first_ + first), here.last = static_cast<Row>(first_ + last);
    scan.leaf(grown_->values_of(node));
  }
  template <class Scan>
  void leaf(std::uint32_t, const Scan&) {}

  std::uint32_t split(std::uint32_t node, Split& split, int, std::uint32_t set_at, double gain_unit) {
    const std::uint32_t child = grown_->add(2);
    settle(*x_, split);
    Grown::Node& here = grown_->nodes[node];
    here.node = {.column = split.column,
                 .child = child,
                 .ref = split.set ? set_at : split.bin,
                 .missing = static_cast<std::uint16_t>(split.missing_left ? 0 : 1),
                 .test = split.set ? Test::Set : Test::Threshold};
    here.gain = std::clamp(split.gain * gain_unit, 0.0, std::numeric_limits<double>::max());
    if (!split.set) here.threshold = split.threshold;
    return child;
  }
  std::vector<std::uint64_t>& sets() { return grown_->sets; }

 private:
  const Binned* x_;
  Grown* grown_ = nullptr;
  std::size_t first_ = 0;
};

inline bool suits(const GrowOptions& how) {
  return how.max_leaves <= 0 && how.columns_per_node <= 0 && how.columns_per_level <= 0 && how.columns_per_tree <= 0 &&
         how.missing != MissingRule::Surrogates && how.monotone.empty() && how.together.empty();
}

inline SaplingOptions options_of(const GrowOptions& how) {
  SaplingOptions out;
  static_cast<GrowOptions&>(out) = how;
  return out;
}

template <class Scan>
class FewOf : public Few {
 public:
  FewOf(const Binned& x, Scan scan, const GrowOptions& how, std::size_t rows, double all)
      : grower_(x, std::move(scan), TreeSink(x), options_of(how), 0, rows, all) {
    most = rows;
  }
  void grow(const FewNode& at, std::span<Row> rows) override {
    grower_.sink().into(at.into, at.first);
    grower_.grow(at.node, at.depth, rows);
    grower_.put_rows(rows);
  }
  template <class C>
  void begin(const C& criterion, const GrowOptions& how, double all) {
    grower_.scan().begin(criterion);
    grower_.begin(options_of(how), all);
  }

 private:
  sapling::Grower<Scan, TreeSink> grower_;
};

}  // namespace wald::growing
