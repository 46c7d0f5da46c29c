#include "tree/few.h"

#include <algorithm>
#include <limits>

#include "tree/few_grow.h"
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

template <class C>
std::unique_ptr<Few> made(const Binned& x, const C& criterion, const GrowOptions& how, double all) {
  const std::size_t most = few_rows(x, criterion.width());
  return sapling::with_scan(x, criterion, most, [&](auto scan) -> std::unique_ptr<Few> {
    return std::make_unique<FewOf<decltype(scan)>>(x, std::move(scan), how, most, all);
  });
}

}  // namespace

std::unique_ptr<Few> few_grower(const Binned& x, const Gini& gini, const GrowOptions& how, double all,
                                std::unique_ptr<Few>) {
  if (!suits(how) || gini.classes > std::numeric_limits<std::uint16_t>::max()) return nullptr;
  return made(x, gini, how, all);
}
std::unique_ptr<Few> few_grower(const Binned& x, const Variance& variance, const GrowOptions& how, double all,
                                std::unique_ptr<Few>) {
  return suits(how) ? made(x, variance, how, all) : nullptr;
}

}  // namespace wald::growing
