#include "tree/few.h"

#include <limits>

#include "tree/few_grow.h"
#include "tree/sapling_scans.h"

namespace wald::growing {
namespace {

template <class C>
std::unique_ptr<Few> made(const Binned& x, const C& criterion, const GrowOptions& how, double all) {
  return sapling::with_scan(x, criterion, kFewRows, [&](auto scan) -> std::unique_ptr<Few> {
    return std::make_unique<FewOf<decltype(scan)>>(x, std::move(scan), how, all);
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
