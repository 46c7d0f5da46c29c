#include "tree/few_grow.h"
#include "tree/newton.h"
#include "tree/sapling_newton.h"

namespace wald::growing {

std::unique_ptr<Few> few_grower(const Binned& x, const Newton& newton, const GrowOptions& how, double all,
                                std::unique_ptr<Few> before) {
  constexpr std::size_t kWorthwhile = 64;  // where only fewer rows are few, there are few values too, and fast sums
  std::size_t bins = 0;
  int codes = 1;
  for (const BinnedColumn& c : x.columns) bins += static_cast<std::size_t>(c.codes), codes = std::max(codes, c.codes);
  const std::size_t most = std::min({sapling::kBlockRows, newton.packed_rows(), most_touched(x, bins, 2)});
  if (!suits(how) || newton.least.any() || !newton.fits_doubles() || most < kWorthwhile) return nullptr;
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
