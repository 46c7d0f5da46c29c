#include "tree/few.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "tree/partition.h"
#include "tree/sapling_grow.h"
#include "tree/sapling_scans.h"

namespace wald::growing {
namespace {

// Where a node has fewer rows than its histogram has cells for each column, its own loop pays more for the cells than
// this one for putting rows in order: so with many classes subtrees of more rows count as few.
std::size_t few_rows(const Binned& x, int width) {
  std::size_t cells = 0;
  for (const BinnedColumn& c : x.columns) cells += static_cast<std::size_t>(c.codes * width);
  return std::clamp<std::size_t>(cells / std::max<std::size_t>(1, x.columns.size()), sapling::kBlockRows, 1u << 13);
}

class TreeSink {
 public:
  explicit TreeSink(const Binned& x) : x_(&x) {}
  void into(Grown& grown, std::size_t first) { grown_ = &grown, first_ = first; }

  template <class Scan>
  void visit(std::uint32_t node, const Scan& scan, std::size_t first, std::size_t last) {
    Grown::Node& here = grown_->nodes[node];
    here.cover = scan.weight();
    here.range = {first_ + first, first_ + last};
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

bool suits(const GrowOptions& how) {
  return how.max_leaves <= 0 && how.columns_per_node <= 0 && how.columns_per_level <= 0 && how.columns_per_tree <= 0 &&
         how.missing != MissingRule::Surrogates && how.monotone.empty() && how.together.empty();
}

template <class C>
GrowFew grower_of(const Binned& x, const C& criterion, const GrowOptions& how, double all) {
  if (!suits(how)) return {};
  SaplingOptions options;
  static_cast<GrowOptions&>(options) = how;
  const std::size_t most = few_rows(x, criterion.width());
  return sapling::with_scan(x, criterion, most, [&](auto scan) -> GrowFew {
    using Grower = sapling::Grower<decltype(scan), TreeSink>;
    const auto grower = std::make_shared<Grower>(x, std::move(scan), TreeSink(x), options, 0, most, all);
    return {most, [grower](const FewNode& at, std::span<Row> rows) {
              grower->sink().into(at.into, at.first);
              grower->grow(at.node, at.depth, rows);
              for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = grower->row(i);
            }};
  });
}

}  // namespace

GrowFew few_grower(const Binned& x, const Gini& gini, const GrowOptions& how, double all) {
  if (gini.classes > std::numeric_limits<std::uint16_t>::max()) return {};
  return grower_of(x, gini, how, all);
}
GrowFew few_grower(const Binned& x, const Variance& variance, const GrowOptions& how, double all) {
  return grower_of(x, variance, how, all);
}

}  // namespace wald::growing
