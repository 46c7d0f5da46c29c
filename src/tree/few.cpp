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
    Tree& tree = grown_->tree;
    const auto outputs = static_cast<std::size_t>(tree.outputs);
    tree.cover[node] = scan.weight();
    scan.leaf(std::span(tree.values).subspan(node * outputs, outputs));
    grown_->range[node] = {first_ + first, first_ + last};
  }
  template <class Scan>
  void leaf(std::uint32_t, const Scan&) {}

  std::uint32_t split(std::uint32_t node, Split& split, int, std::uint32_t set_at, double gain_unit) {
    Tree& tree = grown_->tree;
    const std::size_t child = tree.nodes.size();
    settle(*x_, split);
    TreeNode& made = tree.nodes[node];
    made.column = split.column;
    made.child = static_cast<std::uint32_t>(child);
    made.missing = split.missing_left ? 0 : 1;
    made.test = split.set ? Test::Set : Test::Threshold;
    made.ref = split.set ? set_at : split.bin;
    tree.gain[node] = std::clamp(split.gain * gain_unit, 0.0, std::numeric_limits<double>::max());
    if (!split.set) tree.threshold[node] = split.threshold;
    tree.nodes.resize(child + 2), tree.threshold.resize(child + 2), tree.gain.resize(child + 2);
    tree.cover.resize(child + 2), grown_->range.resize(child + 2);
    tree.values.resize((child + 2) * static_cast<std::size_t>(tree.outputs));
    return static_cast<std::uint32_t>(child);
  }
  std::vector<std::uint64_t>& sets() { return grown_->tree.sets; }

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
