#include "learn/boost.h"

#include <fmt/format.h>

#include <numeric>
#include <optional>

#include "core/parallel.h"
#include "learn/assemble.h"
#include "learn/boost_constraints.h"
#include "learn/boost_loss.h"
#include "learn/boost_quantiles.h"
#include "learn/boost_resume.h"
#include "learn/boost_stop.h"
#include "learn/learner.h"
#include "tree/assembler.h"
#include "tree/linear_steps.h"
#include "wald/loss.h"
#include "wald/version.h"

namespace wald {
namespace {

Model without_trees(const Task& task, const Boost& how, Link link, const Run& run, const Rounds& rounds) {
  Model out{.schema = schema_of(task), .link = link};
  if (link == Link::Ordered) out.schema.quantiles = *read_quantiles(how.quantile);
  out.made = {.version = std::string(kVersion),
              .learner = "boost",
              .options = option_texts(how),
              .seed = run.seed,
              .rows = task.x.rows};
  if (rounds.checkpoint || rounds.resume != nullptr) mark(out, task, rounds);
  return out;
}

// 0 is out of reach on a logarithmic scale: trees would go after it to the last round, and no column tells more of it.
bool all_zero(const Boost& how, const Objective& objective, const Rounds& rounds) {
  const auto zero = [](double y) { return y == 0; };
  return objective.score == ScoreIs::Log && how.start == kUnlimited && rounds.from == nullptr &&
         objective.targets != nullptr && std::ranges::all_of(objective.targets->y, zero);
}

// Second derivatives of an amount are in its unit: in a large one all rows together may be too little for two leaves.
std::string unit_words(const Boosted& boosted, const Boost& how, const Objective& objective,
                       const std::vector<Row>& rows, Row all) {
  const auto leaf = [](const Tree& tree) { return tree.nodes.size() == 1; };
  if (objective.score != ScoreIs::Log || how.trees == 0 || !std::ranges::all_of(boosted.trees, leaf)) return "";
  std::vector<double> g(all), h(all);
  objective.slopes(rows, std::vector<double>(all, boosted.base[0]), g, h);
  const double sum = std::accumulate(h.begin(), h.end(), 0.0);
  if (!(sum < 2 * how.min_leaf)) return "";
  return fmt::format(
      "the second derivatives of all rows sum to {:.3g}, so that no two leaves can have {} each: give smaller "
      "--min-hessian and --l2, or, to poisson and tweedie, the target in a smaller unit",
      sum, how.min_leaf);
}

Result<Model> fit_objective(const Task& task, const Boost& given, const Objective& objective, Link link, const Run& run,
                            const Rounds& rounds, Watch* watch = nullptr) {
  if (Status fits = check_leaf(given, objective); !fits) return fits.error();
  const auto checked = constrained(given, task, objective, rounds.prepared);
  if (!checked) return checked.error();
  Boost how = *checked;
  if (how.rows < Boost().rows && how.rows * static_cast<double>(task.x.rows) < 1)
    return usage(fmt::format("--rows {} of {} rows is not one row", how.rows, with_commas(task.x.rows)),
                 fmt::format("give at least {:.3g}", 1 / static_cast<double>(task.x.rows)));
  if (Status room = check_digits(how, task.x.rows, trees_a_round(objective, how) < objective.outputs); !room)
    return room.error();
  if (all_zero(how, objective, rounds)) how.trees = how.early_stop = 0;
  const auto x = bin(task.x, how.bins);
  if (!x) return x.error();
  Model model = without_trees(task, how, link, run, rounds);
  std::optional<Before> before;
  std::optional<Halfway> halfway;
  if (rounds.from != nullptr) {
    if (how.drop > 0)
      return usage("--drop leaves out and rescales earlier trees, but those of the model to go on from stay",
                   "leave --drop away, or train all rounds anew without --continue");
    auto made = before_of(*rounds.from, model, task, trees_a_round(objective, how), run);
    if (!made) return made.error();
    if (rounds.from_knows_rows && how.early_stop > 0 && watch == nullptr)
      return usage(
          "the model to go on from has learned all of these rows: none can be held out to choose the rounds on",
          "give --early-stop none and --trees, or rows it has not seen by --stop-on FILE");
    before = std::move(*made);
    if (watch != nullptr) {
      auto said = predict(*rounds.from, rounds.stop_by->x, run);
      if (!said) return said.error();
      before->watched = std::move(said->score);
    }
  }
  if (rounds.resume != nullptr) {
    auto made = halfway_of(*rounds.resume, model, *x);
    if (!made) return made.error();
    halfway = std::move(*made);
  }
  std::optional<LinearSteps> linear;
  if (how.leaf == BoostLeaf::Linear) linear.emplace(task.x, how.ridge, how.leaf_terms);
  const std::vector<double> zero(static_cast<std::size_t>(objective.outputs));
  Surroundings around{.run = run,
                      .rounds = rounds,
                      .before = before ? &*before : nullptr,
                      .halfway = halfway ? &*halfway : nullptr,
                      .linear = linear ? &*linear : nullptr,
                      .watch = watch};
  if (rounds.checkpoint)
    around.checkpoint = [&](const Halfway& now) { rounds.checkpoint(checkpoint_of(now, zero, model)); };
  Boosted boosted = boost(*x, objective, how, weighted_rows(task), around);
  if (boosted.trees.empty() && run.stopped())
    return Error{ErrorKind::Interrupted, "interrupted before the first tree", ""};
  if (rounds.ended && rounds.from == nullptr)
    if (const std::string why = unit_words(boosted, how, objective, weighted_rows(task), task.x.rows); !why.empty())
      rounds.ended(why);
  std::vector<Tree> trees = rounds.from != nullptr ? trees_of(*rounds.from) : std::vector<Tree>{};
  std::ranges::move(boosted.trees, std::back_inserter(trees));
  model.body = assemble(boosted.base, task.x.columns.size(), trees);
  model.curve = std::move(boosted.curve);
  return model;
}

}  // namespace

Result<Model> fit_boost_rounds(const Task& task, const Boost& how, const Run& run, const Rounds& rounds) {
  const Result<std::vector<double>> quantiles = read_quantiles(how.quantile);
  if (!quantiles) return quantiles.error();
  if (Status fits = check_loss(task, how); !fits) return fits.error();
  if (const std::string small = size_words(task); !small.empty() && rounds.noted) rounds.noted(small);
  const Result<Targets> targets = targets_of(task, how);
  if (!targets) return targets.error();
  const LossName loss = loss_for(task, how);
  const Link link = quantiles->size() > 1 ? Link::Ordered : link_of(loss);
  Result<std::unique_ptr<Watch>> watch = std::unique_ptr<Watch>();
  if (rounds.stop_by != nullptr) watch = Watch::of(task, *targets, *rounds.stop_by, loss, how);
  if (!watch) return watch.error();
  return fit_objective(task, how, objective_for(loss, task, how, *targets), link, run, rounds, watch->get());
}

Result<Model> fit_boost(const Task& task, const OwnLoss& loss, const Settings& settings, const Run& run) {
  const auto how = read_options<Boost>("boost", settings);
  if (!how) return how.error();
  if (Status fits = check_own_loss(*how); !fits) return fits.error();
  const Result<Targets> targets = targets_of(task, *how);
  if (!targets) return targets.error();
  Result<Model> model = failure("not trained");
  with_threads(run.threads,
               [&] { model = fit_objective(task, *how, objective_of(loss, *targets), loss.link, run, Rounds{}); });
  return model;
}

Learner boost_learner() {
  return by_rounds(learner<Boost, fit_boost_rounds>(
      "boost", "trees grown one after another, each on what the others left (gradient boosting)"));
}

}  // namespace wald
