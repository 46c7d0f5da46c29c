// Noise, exactly: each draw has the probability its formula says, computed with whole numbers alone (Canonne, Kamath
// and Steinke 2020, "The discrete Gaussian for differential privacy", algorithms 1 to 3; McKenna and Sheldon 2020,
// "Permute-and-flip").
//
// These know scales. What may be released goes through budget.h, which knows sensitivities and what is left to spend.
#pragma once
#include <cstdint>
#include <span>

#include "privacy/entropy.h"

namespace wald {

// A fraction >= 0, held so that products of the samplers fit 128 bits.
struct Fraction {
  Wide over = 0, under = 1;
};
inline constexpr int kUnderBits =
    120;  // denominators stay below 2^120: with 64 to 127 terms of a series they still fit

bool bernoulli_exp(Entropy&, Fraction exponent);  // true with probability exp(-exponent)

// P[x] ~ exp(-|x| * under / over), the scale being over / under. over, under < 2^48.
std::int64_t discrete_laplace(Entropy&, std::uint64_t over, std::uint64_t under);

// P[x] ~ exp(-x^2 / (2 variance)) up to 2^-700. 1 <= variance < 2^58.
inline constexpr int kVarianceBits = 58;
std::int64_t discrete_gaussian(Entropy&, std::uint64_t variance);

// The place of one of the scores: a higher one is likelier, exp(epsilon / (2 sensitivity)) times a unit. Private with
// epsilon = over / under where adding or removing a contributor moves no score by more than the sensitivity.
// Scores lie within 2^40 of each other, sensitivity and under are below 2^40, over is below 2^41.
std::size_t permute_and_flip(Entropy&, std::span<const std::int64_t> scores, std::uint64_t sensitivity,
                             std::uint64_t over, std::uint64_t under);

}  // namespace wald
