// The list of learners. To add one: write its file, add its line.
#include <fmt/format.h>

#include "core/parallel.h"
#include "core/text.h"
#include "learn/adaboost.h"
#include "learn/anyboost.h"
#include "learn/assemble.h"
#include "learn/boost.h"
#include "learn/cart.h"
#include "learn/clusters.h"
#include "learn/forest.h"
#include "learn/isolation.h"
#include "learn/options.h"
#include "learn/private_boost.h"
#include "learn/quinlan.h"
#include "wald/learn.h"
#include "wald/privacy.h"
#include "wald/rounds.h"
#include "wald/version.h"

namespace wald {
namespace {

struct Learner {
  std::string_view name, help;
  std::vector<OptionInfo> (*options)();
  Status (*check)(std::string_view, const Settings&);
  Result<Model> (*fit)(std::string_view, const Task&, const Settings&, const Run&, const Rounds&);
  std::vector<SearchRange> (*search)() = nullptr;
  bool needs_target = true;
  bool by_rounds = false;   // interrupted, it gives the best so far; may go on from a model
  bool is_private = false;  // its models tell nothing of the rows that was not paid for
};

constexpr Learner without_target(Learner learner) {
  learner.needs_target = false;
  return learner;
}
constexpr Learner by_rounds(Learner learner) {
  learner.by_rounds = true;
  return learner;
}

constexpr Learner privately(Learner learner) {
  learner.is_private = true;
  return learner;
}

Result<Model> refuse_open_rows(const Task&, const PrivateBoost&, const Run&) {
  return Error{ErrorKind::PrivacyRefusal, "a private learner takes rows with a schema, as a PrivateTask",
               "call make_private_task and fit_private"};
}

template <class Options, auto Fit>
constexpr Learner learner(const char* name, std::string_view help) {
  return {name,
          help,
          &option_infos<Options>,
          [](std::string_view own, const Settings& settings) -> Status {
            const auto options = read_options<Options>(own, settings);
            return options ? Status(Done{}) : Status(options.error());
          },
          [](std::string_view own, const Task& task, const Settings& settings, const Run& run,
             [[maybe_unused]] const Rounds& rounds) -> Result<Model> {
            const auto options = read_options<Options>(own, settings);
            if (!options) return options.error();
            Result<Model> model = [&] {
              if constexpr (requires { Fit(task, *options, run, rounds); }) return Fit(task, *options, run, rounds);
              else return Fit(task, *options, run);
            }();
            if (model) model->made.options = option_texts(*options);
            return model;
          },
          [] {
            if constexpr (requires { Options::searched(); }) return Options::searched();
            else return std::vector<SearchRange>{};
          }};
}

constexpr Learner kLearners[] = {
    learner<Cart, fit_cart>("cart", "one decision tree (CART)"),
    by_rounds(learner<Boost, fit_boost_rounds>(
        "boost", "trees grown one after another, each on what the others left (gradient boosting)")),
    learner<RandomForest, fit_forest>("forest", "trees on samples of rows and columns, averaged (random forest)"),
    learner<Bagging, fit_forest>("bagging", "trees on samples of the rows, averaged"),
    learner<ExtraTrees, fit_forest>("extra-trees", "a forest whose cuts are drawn (extremely randomised trees)"),
    learner<HonestForest, fit_forest>("honest-forest",
                                      "a forest whose leaves are filled by rows that did not shape it"),
    without_target(learner<Isolation, fit_isolation>("isolation-forest",
                                                     "how odd each row is, by how few cuts set it apart; no target")),
    by_rounds(learner<AdaBoost, fit_adaboost>("adaboost", "trees that vote, each on the rows the others get wrong")),
    by_rounds(learner<AnyBoost, fit_anyboost>("anyboost", "steepest descent on any loss, a tree a step")),
    learner<Id3, fit_id3>("id3", "one decision tree of categories (ID3)"),
    learner<C45, fit_c45>("c45", "one decision tree (C4.5)"),
    without_target(
        learner<Clusters, fit_clusters>("clusters", "groups of alike rows as the leaves of a tree; no target")),
    privately(learner<PrivateBoost, refuse_open_rows>(
        "private-boost", "boosted trees that tell next to nothing of any one contributor (differential privacy)")),
};

Result<const Learner*> find(std::string_view name) {
  std::vector<std::string> names;
  for (const Learner& l : kLearners) {
    if (l.name == name) return &l;
    names.emplace_back(l.name);
  }
  const std::string guess = did_you_mean(name, names);
  return usage(fmt::format("no learner is called '{}'", printable(name)),
               guess.empty() ? fmt::format("the learners are: {}", fmt::join(names, ", ")) : guess);
}

}  // namespace

std::vector<LearnerInfo> learners() {
  std::vector<LearnerInfo> out;
  for (const Learner& l : kLearners) out.push_back({l.name, l.help, l.options(), l.needs_target, l.search()});
  return out;
}

Status check_settings(std::string_view name, const Settings& settings) {
  const auto learner = find(name);
  return learner ? (*learner)->check(name, settings) : Status(learner.error());
}

Result<Model> fit(std::string_view name, const Task& task, const Settings& settings, const Run& run) {
  return fit(name, task, settings, run, Rounds{});
}

Result<Model> fit(std::string_view name, const Task& task, const Settings& settings, const Run& run,
                  const Rounds& rounds) {
  const auto learner = find(name);
  if (!learner) return learner.error();
  if (!task.more_targets.empty() && name != "cart" && name != "boost")
    return usage(fmt::format("{} learns one target, not {}", name, 1 + task.more_targets.size()),
                 "take --learner boost or cart, or train one model a target");
  if (!(*learner)->by_rounds && (rounds.from != nullptr || rounds.resume != nullptr))
    return usage(fmt::format("learner {} does not go by rounds: there is nothing to go on from", name),
                 "leave --continue and --resume away, or choose boost");
  Result<Model> model = failure("not trained");
  with_threads(run.threads, [&] { model = (*learner)->fit(name, task, settings, run, rounds); });
  if (run.stopped() && !((*learner)->by_rounds && model))
    return Error{ErrorKind::Interrupted, "interrupted while training; no model was made", ""};
  if (!model) return model;
  model->made.version = kVersion;
  model->made.learner = name;
  model->made.seed = run.seed;
  model->made.rows = task.x.rows;
  with_threads(run.threads, [&] { model->made.fingerprint = fingerprint(task); });
  return model;
}

bool is_private(std::string_view name) {
  const auto learner = find(name);
  return learner && (*learner)->is_private;
}

Result<Model> fit_private(std::string_view name, const PrivateTask& task, const Settings& settings, const Run& run) {
  const auto options = read_options<PrivateBoost>(name, settings);
  if (!options) return options.error();
  if (!is_private(name)) return usage(fmt::format("learner {} is not private", printable(name)), "take private-boost");
  Result<Model> model = failure("not trained");
  Entropy entropy;
  with_threads(run.threads, [&] { model = fit_private_boost(task, *options, run, entropy); });
  if (!model) return model;
  // Neither the number of rows nor a hash of them: provenance has room for what was paid for and no more.
  model->made = {.version = std::string(kVersion), .learner = std::string(name), .options = option_texts(*options)};
  return model;
}

Schema schema_of(const Task& task) {
  Schema out;
  for (const Column& c : task.x.columns)
    out.columns.push_back(
        {c.name, c.type(), c.type() == ColumnType::Category ? c.categories().level : std::vector<std::string>{}});
  out.target = {task.target, task.classifies() ? ColumnType::Category : ColumnType::Number,
                task.classifies() ? task.classes().name : std::vector<std::string>{}};
  out.more_targets = task.more_targets;
  return out;
}

std::vector<Row> weighted_rows(const Task& task) {
  std::vector<Row> rows;
  rows.reserve(task.x.rows);
  for (Row r = 0; r < task.x.rows; ++r)
    if (task.weight.empty() || task.weight[r] > 0) rows.push_back(r);
  return rows;
}

}  // namespace wald
