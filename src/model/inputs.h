// From the columns that trees ask to those of the table they are made of. What belongs to a made column is its input's;
// of one made of several inputs (a product, a region) each gets an equal part.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "wald/model.h"

namespace wald {

class Inputs {
 public:
  explicit Inputs(const Model&);

  bool same() const { return same_; }               // nothing is made
  std::size_t columns() const { return columns_; }  // inputs
  std::size_t made() const { return source_.size(); }
  const std::vector<std::size_t>& of(std::size_t made) const { return source_[made]; }
  double part(std::size_t made) const { return 1.0 / static_cast<double>(source_[made].size()); }

  void add(std::span<const double> made, double* into) const;    // into[input] += its part
  std::vector<double> sums(std::span<const double> made) const;  // one an input

 private:
  std::vector<std::vector<std::size_t>> source_;  // inputs of each made column
  std::size_t columns_ = 0;
  bool same_ = true;
};

}  // namespace wald
