// Small symmetric systems, in one fixed order of operations.
#pragma once
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace wald {

// Solves a x = b for a symmetric positive definite a, row by row (Cholesky). False = not definite.
inline bool solve(std::vector<double> a, std::vector<double> b, std::vector<double>& x) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    const double pivot = a[j * n + j];
    for (std::size_t i = j; i < n; ++i)
      for (std::size_t k = 0; k < j; ++k) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    if (!(a[j * n + j] > 1e-13 * pivot)) return false;
    const double root = std::sqrt(a[j * n + j]);
    for (std::size_t i = j; i < n; ++i) a[i * n + j] /= root;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  x = std::move(b);
  return true;
}

}  // namespace wald
