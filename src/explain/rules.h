// A tree as rules: one conjunction a leaf (disjunctive normal form), which classify exactly as the tree does.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "wald/model.h"

namespace wald {

// All the tests of one column on the way to a leaf, merged. A number holds when above < value <= most; a level when
// it is among `levels`. A missing value, and a level unseen in training, hold when `missing` is set.
struct Condition {
  std::uint32_t column = 0;
  std::optional<double> above, most;
  std::optional<std::vector<std::int32_t>> levels;  // ascending
  bool missing = true;

  bool holds(double value) const;        // NaN = missing
  bool holds(std::int32_t level) const;  // -1 = missing or unseen
  bool operator==(const Condition&) const = default;
};

struct Rule {
  std::uint32_t leaf = 0;
  std::vector<Condition> when;  // in the order in which the tree asks
};

// Where a node sends missing values down every branch (kMissingEverywhere) or asks surrogates, no condition holds for
// them.
std::vector<Rule> tree_rules(const Model&, std::size_t tree);
std::string condition_text(const Model&, const Condition&);
std::string rules_text(const Model&, std::size_t tree);

}  // namespace wald
