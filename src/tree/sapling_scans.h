// The scan that suits a target.
#pragma once
#include <algorithm>

#include "tree/sapling_many.h"
#include "tree/sapling_scan.h"

namespace wald::sapling {

inline int most_codes(const Binned& x) {
  int most = 1;
  for (const BinnedColumn& c : x.columns) most = std::max(most, c.codes);
  return most;
}

// Of the columns whose codes ManyScan counts class by class: numbers in nodes of at most so many rows, and categories.
inline int most_counted(const Binned& x, std::size_t classes, std::size_t rows) {
  int most = 1;
  for (const BinnedColumn& c : x.columns)
    if (c.type == ColumnType::Number && ManyScan<ClassEntry>::counts(rows, classes, c.codes))
      most = std::max(most, c.codes);
  return most;
}
inline int most_levels(const Binned& x) {
  int most = 1;
  for (const BinnedColumn& c : x.columns)
    if (c.type == ColumnType::Category) most = std::max(most, c.codes);
  return most;
}

// body(scan); rows: the most a node will have.
template <class Body>
auto with_scan(const Binned& x, const Gini& gini, std::size_t rows, Body body) {
  const int most = most_codes(x), levels = most_levels(x);
  if (gini.classes == 2 && gini.row_weight.empty()) return body(PairScan<TwoCounted>(TwoCounted{gini}, most));
  if (gini.classes == 2) return body(PairScan<TwoWeighted>(TwoWeighted{{gini}}, most));
  if (!gini.row_weight.empty()) return body(ManyScan<WeightedClassEntry>(gini, most, 0, levels));
  const int counted = most_counted(x, static_cast<std::size_t>(gini.classes), rows);
  return body(ManyScan<ClassEntry>(gini, most, counted, levels));
}
template <class Body>
auto with_scan(const Binned& x, const Variance& variance, std::size_t, Body body) {
  return body(PairScan<NumberKind>(NumberKind{variance}, most_codes(x)));
}
template <class Body>
auto with_scan(const Binned& x, const Blind&, std::size_t, Body body) {
  return body(PairScan<BlindKind>(BlindKind{}, most_codes(x)));
}

}  // namespace wald::sapling
