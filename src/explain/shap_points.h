// Gauss-Legendre quadrature on [0, 1]: n points integrate polynomials of degree 2n - 1 exactly.
#pragma once
#include <vector>

namespace wald {

struct Quadrature {
  std::vector<double> point, weight;  // points ascending inside (0, 1); the weights sum to 1
};

// The same bits on every machine: nothing of the system's mathematics library is used.
Quadrature gauss_legendre(int points);

}  // namespace wald
