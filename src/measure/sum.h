// A sum of doubles that loses almost nothing (Neumaier 1974): measures of ten million rows keep their last digits.
#pragma once
#include <cmath>

namespace wald {

class Sum {
 public:
  void operator+=(double x) {
    const double total = total_ + x;
    lost_ += std::fabs(total_) >= std::fabs(x) ? (total_ - total) + x : (x - total) + total_;
    total_ = total;
  }
  operator double() const { return total_ + lost_; }

 private:
  double total_ = 0, lost_ = 0;
};

}  // namespace wald
