// Leaves filled anew once the tree stands.
#pragma once
#include <cstdint>
#include <span>

#include "tree/tree.h"

namespace wald {

// Every node says the q-quantile of its rows' targets: the least that reaches the share q of their weight, or the
// middle between it and the next where it is reached exactly, so that 0.5 is the median.
void refit_quantile(Tree&, const Binned&, std::span<const Row> rows, std::span<const double> target,
                    std::span<const std::int64_t> weight, double q);

// Every node says the weighted mean of its rows' targets.
void refit_mean(Tree&, const Binned&, std::span<const Row> rows, std::span<const double> target,
                std::span<const std::int64_t> weight);

}  // namespace wald
