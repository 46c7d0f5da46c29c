// Isolation forest (Liu, Ting and Zhou 2008): rows that few random cuts set apart are odd. No target.
#pragma once
#include "learn/options.h"
#include "prepare/bin.h"
#include "wald/model.h"
#include "wald/task.h"

namespace wald {

struct Isolation {
  int trees = 128;
  int rows = 256;
  int max_depth = 0;
  int bins = 255;
  static constexpr auto table() {
    constexpr int kMost = 1'000'000;
    return std::tuple{
        NumberOption<Isolation, int>{"trees", &Isolation::trees, 1, kMost, "trees to grow"},
        NumberOption<Isolation, int>{"rows-per-tree", &Isolation::rows, 2, kMost, "rows drawn for each tree"},
        NumberOption<Isolation, int>{
            "max-depth", &Isolation::max_depth, 1, kMost,
            "longest path from the root to a leaf; auto is the binary logarithm of rows-per-tree", "auto", 0},
        NumberOption<Isolation, int>{"bins", &Isolation::bins, 2, kMaxBins, kBinsWords, "exact", kMaxBins}};
  }
};

// The mean depth at which one of n rows is alone in a tree of random cuts: 2 H(n - 1) - 2 (n - 1) / n, H the harmonic
// numbers.
double isolation_depth(double rows);

// The model predicts a number in [0, 1]: about 1/2 is ordinary, towards 1 is odd.
Result<Model> fit_isolation(const Task&, const Isolation&, const Run&);

}  // namespace wald
