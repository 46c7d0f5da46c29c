// A correction of class probabilities, learned from predictions of rows that the predicting model had not seen.
#pragma once
#include <cstdint>
#include <vector>

namespace wald {

struct Calibration {
  enum class Kind : std::uint8_t {
    None,
    Sigmoid,   // 1 / (1 + exp(-(slope * x + offset))), x the log-odds where the model has them, else the probability
               // (Platt 1999)
    Isotonic,  // the steps of a function of x that never falls, with straight lines between (Zadrozny and Elkan 2002)
  };
  // Isotonic: to[i] is the probability at at[i]. Sigmoid: at has the slope, to the offset.
  struct Curve {
    std::vector<double> at, to;
    bool operator==(const Curve&) const = default;
  };

  Kind kind = Kind::None;
  std::vector<Curve> curves;  // two classes: one, of the second; more: one a class, their sum then made 1
  bool operator==(const Calibration&) const = default;
};

}  // namespace wald
