// One run of boosting: the scores of all rows, and a tree for each output a round.
//
// A round: (1) the derivatives of the loss at the scores; (2) rounded to a grid of a power of two; (3) a tree of Newton
// steps; (4) its leaves filled anew where the loss has an exact answer; (5) its values, times the learning rate, added
// to the scores. Values are multiples of one power of two, fine enough to be exact for all purposes and coarse enough
// that sums of them are exact: scores do not depend on the order of the trees, and a run taken up again has the same
// bits.
#pragma once
#include <span>
#include <vector>

#include "learn/boost.h"
#include "loss/objective.h"
#include "tree/newton.h"
#include "tree/tree.h"

namespace wald {

struct BoostedTree {
  Tree tree;
  int output = 0;
};

class Booster {
 public:
  // Everything named must outlive it. rows: ascending, of positive weight.
  Booster(const Binned&, const Objective&, const Boost&, std::vector<Row> rows, const Run&);

  void round();
  int rounds() const { return rounds_; }
  std::span<const double> score() const { return score_; }  // of all rows of the table, `outputs` a row
  double measured(std::span<const Row> rows) const { return objective_.measured(rows, score_); }
  std::span<const Row> rows() const { return rows_; }
  const std::vector<double>& base() const { return base_; }

  // The trees as they are to be summed, of the round last kept.
  void keep();
  std::vector<BoostedTree> kept() const;

 private:
  std::vector<std::size_t> dropped() const;
  void scale(BoostedTree&, double factor) const;
  void add(const BoostedTree&, double sign);
  void grow_one(int output, std::span<const Row> sample, std::span<const double> g, std::span<const double> h);
  void refit(Tree&, int output, const std::vector<std::uint32_t>& leaf) const;

  const Binned& x_;
  const Objective& objective_;
  const Boost& how_;
  const Run run_;  // without progress: a tree's is not worth telling
  const std::vector<Row> rows_;
  const std::size_t outputs_;
  std::vector<double> base_;
  double unit_ = 1;  // of scores
  std::vector<double> score_, g_, h_;
  std::vector<BoostedTree> trees_;
  std::vector<BoostedTree> kept_;  // only where later rounds change the trees of earlier ones
  std::size_t kept_count_ = 0;
  int rounds_ = 0;
};

}  // namespace wald
