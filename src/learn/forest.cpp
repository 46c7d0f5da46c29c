#include "learn/forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "core/parallel.h"
#include "core/text.h"
#include "learn/assemble.h"
#include "learn/boost_weights.h"
#include "learn/forest_leaves.h"
#include "learn/forest_rows.h"
#include "learn/forest_size.h"
#include "learn/learner.h"
#include "prepare/steps.h"

namespace wald {
namespace {

Status check(const Task& task, const ForestOptions& how) {
  if (Status idle =
          check_idle({{how.rows > 0, how.sample != Sample::All, "rows", "--sample bootstrap, subsample or balanced"}});
      !idle)
    return idle;
  if (task.classifies()) return Done{};
  const auto for_classes = [&](std::string_view option) {
    return usage(fmt::format("{} is for classes, but the target '{}' has numbers", option, printable(task.target)),
                 "leave it away, or give --task classes");
  };
  if (how.sample == Sample::Balanced) return for_classes("--sample balanced");
  if (how.vote == Vote::Majority) return for_classes("--vote majority");
  if (how.smoothing > 0) return for_classes("--smoothing");
  return Done{};
}

int columns_drawn(const Task& task, const ForestOptions& how) {
  const double all = static_cast<double>(task.x.columns.size());
  double wanted = how.node_columns < 1 ? how.node_columns * all : how.node_columns;
  if (how.node_columns == 0)
    wanted = task.classifies() ? std::floor(std::sqrt(all)) : how.random_cut ? all : std::floor(all / 3);
  return static_cast<int>(std::clamp(std::round(wanted), 1.0, all));
}

// Of each class as much in all as of any other; the average stays 1.
std::vector<std::int64_t> balanced(const Task& task) {
  const auto weight = [&](std::size_t r) {
    return task.weight.empty() ? std::int64_t{1} << kWeightBits : task.weight[r];
  };
  std::vector<std::int64_t> of_class(task.classes().name.size());
  const std::vector<std::int32_t>& label = task.classes().code;
  for (std::size_t r = 0; r < label.size(); ++r) of_class[label[r]] += weight(r);
  const auto classes = static_cast<double>(std::ranges::count_if(of_class, [](std::int64_t w) { return w > 0; }));
  const double all = static_cast<double>(label.size()) * 0x1p30;
  std::vector<std::int64_t> out(label.size());
  for (std::size_t r = 0; r < label.size(); ++r)
    if (weight(r) > 0)
      out[r] = std::max<std::int64_t>(
          1, std::llround(static_cast<double>(weight(r)) * (all / classes / static_cast<double>(of_class[label[r]]))));
  return out;
}

// What the rows count, by their classes too.
Result<std::vector<std::int64_t>> weights_of(const Task& task, const std::string& words) {
  if (words == "none") return task.weight;
  const Result<std::vector<double>> weight = class_weighted(task, words);
  if (!weight) return weight.error();
  if (words == "balanced") return balanced(task);
  std::vector<std::int64_t> out;
  for (const double w : *weight) out.push_back(w > 0 ? std::max<std::int64_t>(1, std::llround(w * 0x1p30)) : 0);
  return out;
}

class Fit {
 public:
  Fit(const Binned& x, const Task& task, std::vector<std::int64_t> weight, const ForestOptions& how, const Run& run,
      const Rounds& rounds)
      : x_(x),
        codes_(x),
        task_(task),
        how_(how),
        run_(run),
        weight_(std::move(weight)),
        rows_(task, how_, weighted_rows(task), run.seed),
        judges_(rows_.leaves_out() && !knows_targets(rounds.prepared)) {
    if (task.classifies()) {
      gini_ = {{.label = task.classes().code,
                .row_weight = weight_,
                .classes = static_cast<int>(task.classes().name.size()),
                .smoothing = how.smoothing}};
    } else {
      fixed_ = fix_target(task.numbers(), weight_);
      variance_ = {.target = task.numbers(), .row_weight = weight_, .fixed = &fixed_};
    }
    if (rounds.out_of_bag && judges_) votes_.emplace(task.x.rows, outputs(), how.trees, VoteUnits::of(task, how.trees));
  }
  std::size_t outputs() const { return task_.classifies() ? task_.classes().name.size() : 1; }

  Forest grow() {
    std::vector<Sapling> trees(static_cast<std::size_t>(how_.trees));
    const std::size_t grown = how_.min_split == 0 ? choose_split(trees) : 0;
    each_tree("growing trees", trees.size(), [&](std::uint32_t t, Nursery& here) {
      rows_.draw(t, here.bag);
      if (t >= grown) trees[t] = grow_one(t, here);
      finish(t, trees[t], here.bag);
    });
    if (run_.stopped()) return {};
    return assemble(base(), x_, std::move(trees));
  }
  std::optional<Votes>& votes() { return votes_; }
  std::optional<double> chosen_split() const { return chosen_split_; }  // out of bag
  bool leaves_rows_out() const { return rows_.leaves_out(); }

 private:
  // What a thread has for its trees, one after another.
  struct Nursery {
    std::unique_ptr<SaplingGrower> grower;
    ForestRows::Bag bag;
  };

  // The least size of a node that is split. How many trees it grew that stay as they are: the first ones.
  std::size_t choose_split(std::vector<Sapling>& trees) {
    how_.min_split = task_.classifies() ? 2 : 6;
    if (!judges_ || trees.size() < 2) return 0;
    const double usual = std::exchange(how_.min_split, SplitSizes::kSizes.front());
    // Trees that see as many rows of each class are right about tables that have them.
    const std::vector<std::int64_t> weight = how_.sample == Sample::Balanced ? balanced(task_) : weight_;
    SplitSizes sizes(task_, rows_, weight, how_, run_.seed);
    each_tree("choosing the size of leaves", sizes.trees(), [&](std::uint32_t t, Nursery& here) {
      rows_.draw(t, here.bag);
      trees[t] = grow_one(t, here);
      if (here.bag.fill.empty()) return sizes.add(trees[t], trees[t], codes_, here.bag);
      Sapling filled = trees[t];
      fill(filled, here.bag);
      sizes.add(trees[t], filled, codes_, here.bag);
    });
    chosen_split_ = sizes.best();
    how_.min_split = chosen_split_.value_or(usual);
    if (how_.min_split == SplitSizes::kSizes.front()) return sizes.trees();
    for (Nursery& n : nurseries_) n.grower.reset();
    return 0;
  }

  template <class Do>
  void each_tree(std::string_view stage, std::size_t count, Do act) {
    std::uint64_t done = 0;
    parallel_for(count, 1, [&](std::size_t t, std::size_t) {
      if (run_.stopped()) return;
      act(static_cast<std::uint32_t>(t), nurseries_[static_cast<std::size_t>(thread_index())]);
      if (!run_.progress) return;
      const std::lock_guard lock(telling_);
      run_.progress({.stage = stage, .done = ++done, .total = count});
    });
  }

  // By its bag, which is drawn.
  Sapling grow_one(std::uint32_t t, Nursery& here) {
    if (!here.grower)
      here.grower = task_.classifies() ? sapling_grower(x_, gini_, how_, run_.seed)
                                       : sapling_grower(x_, variance_, how_, run_.seed);
    return here.grower->grow(here.bag.grow, t);
  }
  // Leaves of honest trees, by the rows of the bag that are for them.
  void fill(Sapling& tree, const ForestRows::Bag& bag) const {
    task_.classifies() ? refill(tree, codes_, bag.fill, gini_) : refill(tree, codes_, bag.fill, variance_);
  }
  void finish(std::uint32_t t, Sapling& tree, const ForestRows::Bag& bag) {
    if (!bag.fill.empty()) fill(tree, bag);
    if (how_.vote == Vote::Majority) keep_greatest(tree.values, outputs());
    if (task_.classifies()) share_out(tree.values, outputs(), how_.trees);
    else
      for (double& v : tree.values) v /= how_.trees;
    if (!votes_) return;
    for (const std::span<const Row> out : {bag.out, rows_.idle()}) votes_->add(tree, codes_, out, t);
  }
  // What the shares of the trees lack of 1 by rounding.
  std::vector<double> base() const {
    std::vector<double> out(outputs(), 0.0);
    if (task_.classifies()) out[0] = 1 - how_.trees * share_unit(how_.trees);
    return out;
  }

  const Binned& x_;
  const RowCodes codes_;
  const Task& task_;
  ForestOptions how_;
  const Run& run_;
  const std::vector<std::int64_t> weight_;
  const ForestRows rows_;
  const bool judges_;  // by rows out of bag
  FixedTarget fixed_;
  Gini gini_;
  Variance variance_;
  std::optional<Votes> votes_;
  std::vector<Nursery> nurseries_ = std::vector<Nursery>(static_cast<std::size_t>(thread_count()));
  std::optional<double> chosen_split_;
  std::mutex telling_;
};

}  // namespace

Result<Model> fit_forest(const Task& task, const ForestOptions& given, const Run& run, const Rounds& rounds) {
  if (Status fits = check(task, given); !fits) return fits.error();
  ForestOptions how = given;
  how.columns_per_node = columns_drawn(task, how);
  if (how.min_gain > 0) how.zero_gain = false;
  const auto x = bin(task.x, how.bins);
  if (!x) return x.error();
  auto weight = weights_of(task, how.class_weights);
  if (!weight) return weight.error();
  Fit fit(*x, task, std::move(*weight), how, run, rounds);
  if (knows_targets(rounds.prepared) && fit.leaves_rows_out() && rounds.noted)
    rounds.noted(
        "--regions grew its tree on the targets of all rows, so that none is new to this forest: nothing is measured "
        "or chosen out of bag; wald cv measures it, and --min-split can be tried there");
  Model model{.schema = schema_of(task),
              .body = fit.grow(),
              .link = task.classifies() ? Link::Probabilities : Link::Identity,
              .made = {}};
  if (const auto size = fit.chosen_split()) model.found[std::string(kTraining) + "min_split"] = *size;
  if (!fit.votes() || run.stopped()) return model;
  rounds.out_of_bag(fit.votes()->predictions(model));
  if (const auto error = fit.votes()->expected_error(task, how.trees))
    model.found[std::string(kExpected) + (task.classifies() ? "accuracy" : "rmse")] =
        task.classifies() ? 1 - *error : std::sqrt(*error);
  return model;
}

std::vector<Learner> forest_learners() {
  return {learner<RandomForest, fit_forest>("forest", "trees on samples of rows and columns, averaged (random forest)"),
          learner<Bagging, fit_forest>("bagging", "trees on samples of the rows, averaged"),
          learner<ExtraTrees, fit_forest>("extra-trees", "a forest whose cuts are drawn (extremely randomised trees)"),
          learner<HonestForest, fit_forest>("honest-forest",
                                            "a forest whose leaves are filled by rows that did not shape it")};
}

}  // namespace wald
