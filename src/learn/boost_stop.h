// How many rounds: found on rows held out, then grown on all rows.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "learn/boost_rounds.h"

namespace wald {

struct Boosted {
  std::vector<double> base;
  std::vector<BoostedTree> trees;
  std::string measure;
  std::vector<double> train, held;  // after each round
  int best = 0;                     // rounds kept
};

// The part of each row, 0 .. parts - 1, drawn so that every part has its share of each class, and of small and large
// targets alike.
std::vector<int> divide_rows(std::span<const Row> rows, const Targets&, int parts, std::uint64_t seed);

Boosted boost(const Binned&, const Objective&, const Boost&, const std::vector<Row>& rows, const Run&);

}  // namespace wald
