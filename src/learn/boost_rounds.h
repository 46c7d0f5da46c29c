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
#include "tree/grow.h"
#include "tree/linear_steps.h"
#include "tree/newton.h"
#include "tree/tree.h"

namespace wald {

class Watch;
struct Before;

class Booster {
 public:
  // Everything named must outlive it. rows: ascending, of positive weight. watched: further rows whose scores are kept;
  // those of another table are told of every tree.
  Booster(const Binned&, const Objective&, const Boost&, std::vector<Row> rows, std::vector<Row> watched, const Run&,
          const Before* = nullptr, const LinearSteps* = nullptr, Watch* other = nullptr);

  bool round();                            // false: interrupted, and nothing has changed
  void take_up(const std::vector<Tree>&);  // trees of a run like this one, as if grown now
  int grown() const { return static_cast<int>(trees_.size() / a_round_); }  // rounds
  double measured(std::span<const Row> rows) const { return objective_.measured(rows, score_); }
  std::span<const Row> watched() const { return watched_; }
  const std::vector<double>& base() const { return base_; }
  const std::vector<double>& scores() const { return score_; }  // `outputs` a row, of its rows and the watched
  const std::vector<Tree>& trees() const { return trees_; }
  std::vector<Tree> trees_after(int rounds) const;  // as they were then; so many as are grown, or one less

  // The trees of the round last kept; once taken, it is at its end.
  void keep();
  void keep_as(int rounds, std::vector<Tree> as_they_were);  // with dropout; without, they are the first of its trees
  std::vector<Tree> kept() const;
  std::vector<Tree> take_kept();

 private:
  std::vector<std::size_t> dropped() const;
  std::size_t first_output(const Tree& tree) const { return tree.output == kAllOutputs ? 0 : tree.output; }
  void scale(Tree&, double factor) const;
  // What linear leaves add is rounded to multiples of this where trees are taken away again; 0 = it is not.
  double linear_unit(const Tree& tree) const { return how_.drop > 0 ? unit_[first_output(tree)] : 0; }
  void add(const Tree&, std::span<const Row>, double sign);  // to the scores of these rows
  // To those of the rows that grew it: each tree notes its leaves, and all of a round are added together.
  std::size_t node_grain(const Tree&) const;
  void note_grown(const Tree&, std::size_t number);
  void add_leaves(const Tree&);  // at once, where scores are few
  void add_noted(std::span<const Tree>, std::span<const Row>);
  void add_watched(const Tree&, double sign);
  Tree grow_one(std::size_t output, std::span<const Row> sample);
  Tree grow_vector(std::span<const Row> sample);
  void fix(std::size_t output, FixedGradients&) const;  // its derivatives, rounded
  GrowOptions options_for(std::size_t tree, double hessian) const;
  void finish(Tree&) const;  // its leaves, once it is grown
  void refit(Tree&) const;

  const Binned& x_;
  const Objective& objective_;
  const Boost& how_;
  const LinearSteps* const linear_;  // null = leaves are constant
  Watch* const other_;
  const Run run_;  // without progress: a tree's is not worth telling
  const std::vector<Row> rows_, watched_;
  const std::size_t outputs_, a_round_;  // trees a round
  std::vector<double> base_;
  std::vector<double> unit_;   // of scores, one an output
  std::vector<double> scale_;  // what the gain of each output counts where one tree serves all
  std::vector<double> score_, g_, h_;
  std::vector<Tree> trees_, kept_;  // kept_: only where later rounds change the trees of earlier ones
  std::size_t kept_count_ = 0;
  std::vector<std::pair<std::size_t, Tree>> replaced_;  // by the last round: trees that it left out, as they were
  int rounds_ = 0;                                      // those of the model before included
  GrowSpace space_;
  std::vector<std::vector<std::uint16_t>> noted_;  // each tree of the round: the leaf of each row that grew it
  std::vector<FixedGradients> gradients_;          // of the tree being grown, one an output that it serves
};

}  // namespace wald
