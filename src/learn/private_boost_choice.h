// Which columns a private tree asks for: first each column by itself, in a shuffled order; then several at once, drawn
// by how much the trees released so far moved scores along them. Made of a public seed and of releases, it costs
// nothing.
#pragma once
#include <cstdint>
#include <vector>

#include "learn/private_boost_grid.h"
#include "learn/private_boost_plan.h"

namespace wald {

class ColumnChoice {
 public:
  ColumnChoice(std::size_t columns, const Plan&, std::uint64_t seed);
  std::vector<std::size_t> next(int tree) const;
  // The tree moved scores by this much, squared and weighted.
  void learn(const Grid&, double energy);

 private:
  std::vector<std::size_t> shuffled(std::size_t round) const;
  const Plan& plan_;
  std::uint64_t seed_;
  std::vector<double> energy_;  // of each column, lately
  std::vector<bool> known_;
};

}  // namespace wald
