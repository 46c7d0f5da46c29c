#include "learn/forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "core/parallel.h"
#include "core/text.h"
#include "learn/assemble.h"
#include "learn/forest_leaves.h"
#include "learn/forest_rows.h"
#include "learn/learner.h"

namespace wald {
namespace {

Status check(const Task& task, const ForestOptions& how) {
  if (task.classifies()) return Done{};
  const auto for_classes = [&](std::string_view option) {
    return usage(fmt::format("{} is for classes, but the target '{}' has numbers", option, printable(task.target)),
                 "leave it away, or give --task classes");
  };
  if (how.sample == Sample::Balanced) return for_classes("--sample balanced");
  if (how.class_weights == RowWeights::Balanced) return for_classes("--class-weights balanced");
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

class Fit {
 public:
  Fit(const Binned& x, const Task& task, const ForestOptions& how, const Run& run, bool watch_out_of_bag)
      : x_(x),
        codes_(x),
        task_(task),
        how_(how),
        run_(run),
        weight_(how.class_weights == RowWeights::Balanced ? balanced(task) : task.weight),
        rows_(task, how, weighted_rows(task), run.seed) {
    if (task.classifies()) {
      gini_ = {{.label = task.classes().code,
                .row_weight = weight_,
                .classes = static_cast<int>(task.classes().name.size()),
                .smoothing = how.smoothing}};
    } else {
      fixed_ = fix_target(task.numbers(), weight_);
      variance_ = {.target = task.numbers(), .row_weight = weight_, .fixed = &fixed_};
    }
    if (watch_out_of_bag) votes_.emplace(task.x.rows, outputs(), how.trees, fixed_.shift);
  }
  std::size_t outputs() const { return task_.classifies() ? task_.classes().name.size() : 1; }

  Forest grow() {
    std::vector<Sapling> trees(static_cast<std::size_t>(how_.trees));
    parallel_for(trees.size(), 1, [&](std::size_t t, std::size_t) {
      if (run_.stopped()) return;
      trees[t] = grow_one(static_cast<std::uint32_t>(t));
      tell();
    });
    if (run_.stopped()) return {};
    return assemble(base(), x_, std::move(trees));
  }
  std::optional<Votes>& votes() { return votes_; }

 private:
  // What a thread has for its trees, one after another.
  struct Nursery {
    std::unique_ptr<SaplingGrower> grower;
    ForestRows::Bag bag;
  };

  Sapling grow_one(std::uint32_t t) {
    auto& [grower, bag] = nurseries_[static_cast<std::size_t>(thread_index())];
    if (!grower)
      grower = task_.classifies() ? sapling_grower(x_, gini_, how_, run_.seed)
                                  : sapling_grower(x_, variance_, how_, run_.seed);
    rows_.draw(t, bag);
    Sapling tree = grower->grow(bag.grow, t);
    if (!bag.fill.empty())
      task_.classifies() ? refill(tree, codes_, bag.fill, gini_) : refill(tree, codes_, bag.fill, variance_);
    if (how_.vote == Vote::Majority) keep_greatest(tree.values, outputs());
    if (votes_) votes_->add(tree, codes_, bag.out);
    if (task_.classifies()) share_out(tree.values, outputs(), how_.trees);
    else
      for (double& v : tree.values) v /= how_.trees;
    return tree;
  }
  // What the shares of the trees lack of 1 by rounding.
  std::vector<double> base() const {
    std::vector<double> out(outputs(), 0.0);
    if (task_.classifies()) out[0] = 1 - how_.trees * share_unit(how_.trees);
    return out;
  }
  void tell() {
    if (!run_.progress) return;
    const std::lock_guard lock(telling_);
    run_.progress({.stage = "growing trees", .done = ++done_, .total = static_cast<std::uint64_t>(how_.trees)});
  }

  const Binned& x_;
  const RowCodes codes_;
  const Task& task_;
  const ForestOptions& how_;
  const Run& run_;
  const std::vector<std::int64_t> weight_;
  const ForestRows rows_;
  FixedTarget fixed_;
  Gini gini_;
  Variance variance_;
  std::optional<Votes> votes_;
  std::vector<Nursery> nurseries_ = std::vector<Nursery>(static_cast<std::size_t>(thread_count()));
  std::mutex telling_;
  std::uint64_t done_ = 0;
};

}  // namespace

Result<Model> fit_forest(const Task& task, const ForestOptions& given, const Run& run, const Rounds& rounds) {
  if (Status fits = check(task, given); !fits) return fits.error();
  ForestOptions how = given;
  how.columns_per_node = columns_drawn(task, how);
  if (how.min_split == 0) how.min_split = task.classifies() ? 2 : 6;
  if (how.min_gain > 0) how.zero_gain = false;
  const auto x = bin(task.x, how.bins);
  if (!x) return x.error();
  Fit fit(*x, task, how, run, rounds.out_of_bag && how.sample != Sample::All);
  Model model{.schema = schema_of(task),
              .body = fit.grow(),
              .link = task.classifies() ? Link::Probabilities : Link::Identity,
              .made = {}};
  if (fit.votes() && !run.stopped()) rounds.out_of_bag(fit.votes()->predictions(model));
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
