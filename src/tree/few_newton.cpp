#include "tree/few_grow.h"
#include "tree/newton.h"
#include "tree/sapling_newton.h"

namespace wald::growing {

namespace {

// Rows are counted along with the cuts of numbers only, each as one.
bool suits(const Binned& x, const Newton& newton) {
  const LeastRows& least = newton.least;
  const bool levels = std::ranges::any_of(x.columns, [](const auto& c) { return c.type == ColumnType::Category; });
  return newton.fits_doubles() && (!least.any() || (least.weight.empty() && !levels));
}

}  // namespace

std::unique_ptr<Few> few_grower(const Binned& x, const Newton& newton, const GrowOptions& how, double all,
                                std::unique_ptr<Few> before) {
  constexpr std::size_t kWorthwhile = 64;  // where only fewer rows are few, there are few values too, and fast sums
  std::size_t bins = 0;
  int codes = 1;
  for (const BinnedColumn& c : x.columns) bins += static_cast<std::size_t>(c.codes), codes = std::max(codes, c.codes);
  const std::size_t most = std::min({sapling::kBlockRows, newton.packed_rows(), most_touched(x, bins, 2)});
  if (!suits(how) || !suits(x, newton) || most < kWorthwhile) return nullptr;
  using Own = FewOf<sapling::NewtonScan>;
  if (auto* kept = dynamic_cast<Own*>(before.get())) kept->begin(newton, how, all);
  else
    before = std::make_unique<Own>(x, sapling::NewtonScan(newton, codes, sapling::kBlockRows), how, sapling::kBlockRows,
                                   all);
  before->most = most;
  if (how.max_depth > 0) before->deepest = how.max_depth - 2;  // one level alone is not worth putting rows in order
  return before;
}

}  // namespace wald::growing
