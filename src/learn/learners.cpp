// The list of learners. To add one: write its file, add its line.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

#include "core/parallel.h"
#include "core/text.h"
#include "learn/assemble.h"
#include "learn/cart.h"
#include "learn/elsewhere.h"
#include "learn/forest_leaves.h"
#include "learn/learner.h"
#include "learn/preparing.h"
#include "wald/learn.h"
#include "wald/privacy.h"
#include "wald/rounds.h"
#include "wald/version.h"

namespace wald {
namespace {

const std::vector<Learner>& all_learners() {
  static const std::vector<Learner> all = [] {
    std::vector<Learner> out{learner<Cart, fit_cart>("cart", "one decision tree (CART)"), boost_learner()};
    std::ranges::move(forest_learners(), std::back_inserter(out));
    for (const Learner& l : {isolation_learner(), adaboost_learner(), anyboost_learner()}) out.push_back(l);
    std::ranges::move(quinlan_learners(), std::back_inserter(out));
    for (const Learner& l : {clusters_learner(), private_boost_learner()}) out.push_back(l);
    return out;
  }();
  return all;
}

Result<const Learner*> find(std::string_view name) {
  std::vector<std::string> names;
  for (const Learner& l : all_learners()) {
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
  for (const Learner& l : all_learners()) out.push_back({l.name, l.help, l.options(), l.needs_target, l.search()});
  return out;
}

std::vector<OptionInfo> preparation_options() { return option_infos<Preparing>(); }

namespace {

// An option of other learners: which these are.
Status check_names(const Learner& learner, const Settings& settings) {
  const auto has = [](const Learner& l, std::string_view option) {
    const std::vector<OptionInfo> options = l.options();
    return std::ranges::find(options, option, &OptionInfo::name) != options.end();
  };
  for (const auto& [option, text] : settings) {
    std::vector<std::string_view> others;
    for (const Learner& l : all_learners())
      if (has(l, option)) others.push_back(l.name);
    if (others.empty() || has(learner, option)) continue;
    const std::string_view ours = known_elsewhere(option);
    return usage(fmt::format("learner {} has no option --{}", learner.name, printable(option)),
                 has(learner, ours)
                     ? fmt::format("did you mean --{}? --{} is an option of {}", ours, option, fmt::join(others, ", "))
                     : fmt::format("it is an option of {}; leave it away, or choose {}", fmt::join(others, ", "),
                                   others.size() == 1 ? "that learner" : "one of them"));
  }
  return Done{};
}

}  // namespace

Status check_settings(std::string_view name, const Settings& settings) {
  const auto learner = find(name);
  if (!learner) return learner.error();
  if (Status known = check_names(**learner, settings); !known) return known;
  Settings own = settings;
  if (!(*learner)->is_private)
    if (const Result<Preparing> asked = take_preparing(own); !asked) return asked.error();
  return (*learner)->check(name, own);
}

Result<Model> fit(std::string_view name, const Task& task, const Settings& settings, const Run& run) {
  return fit(name, task, settings, run, Rounds{});
}

namespace {

// Fits the preparation, then the learner to what it makes.
Result<Model> fit_prepared(const Learner& learner, const Task& task, const Settings& settings, const Run& run,
                           const Rounds& rounds) {
  Settings own = settings;
  Result<Preparing> asked = Preparing{};
  if (!learner.is_private) asked = take_preparing(own);
  if (!asked) return asked.error();
  const auto goes_on_from = [&](const Preparation& how) -> Status {
    for (const Model* before : {rounds.from, rounds.resume})
      if (before != nullptr && before->preparation != how)
        return usage("the model to go on from was made from a table prepared in another way",
                     "give the same table and the same options of preparation");
    return Done{};
  };
  if (*asked == Preparing{}) {
    if (Status same = goes_on_from({}); !same) return same.error();
    return learner.fit(learner.name, task, own, run, rounds);
  }
  if (Status ok = check_preparing(*asked, task, learner.needs_target); !ok) return ok.error();
  Result<Prepared> prepared = prepare_task(task, *asked, run);
  if (!prepared) return prepared.error();
  if (prepared->how.empty()) prepared->how = {};  // rows were weighed or drawn, and no column was made
  if (Status same = goes_on_from(prepared->how); !same) return same.error();
  // The learner sees the prepared table, and so must the model it goes on from.
  std::optional<Model> from, resume;
  Rounds wrapped = rounds;
  wrapped.columns_know_targets = knows_targets(prepared->how);
  Task stop_by;
  if (rounds.stop_by != nullptr) {
    stop_by = *rounds.stop_by;
    Result<Table> seen = prepare(Model{.preparation = prepared->how}, stop_by.x);
    if (!seen) return seen.error();
    stop_by.x = std::move(*seen);
    wrapped.stop_by = &stop_by;
  }
  const auto bare = [](const Model* model, std::optional<Model>& into) -> const Model* {
    if (model == nullptr) return nullptr;
    into = *model;
    into->preparation = {};
    return &*into;
  };
  wrapped.from = bare(rounds.from, from), wrapped.resume = bare(rounds.resume, resume);
  std::optional<OutOfBag> bag;  // of the rows that are left
  if (rounds.out_of_bag && !prepared->rows.empty()) wrapped.out_of_bag = [&](OutOfBag told) { bag = std::move(told); };
  if (rounds.checkpoint)
    wrapped.checkpoint = [&](Model model) {
      model.preparation = prepared->how;
      rounds.checkpoint(model);
    };
  Result<Model> model = learner.fit(learner.name, prepared->task, own, run, wrapped);
  if (!model) return model;
  model->preparation = std::move(prepared->how);
  const auto texts = option_texts(*asked);
  for (const auto& [option, text] : option_texts(Preparing{}))
    if (texts.at(option) != text) model->made.options[option] = texts.at(option);
  // It was told of the rows that are left, as they were weighed; what is out of bag is measured of all, as they weigh.
  if (bag || asked->balance != Balance::None) forget_expected(*model);
  if (!bag) return model;
  const Result<OutOfBag> all = of_all_rows(*bag, prepared->rows, *model, task, run);
  if (!all) return all.error();
  rounds.out_of_bag(*all);
  return model;
}

}  // namespace

Result<Model> fit(std::string_view name, const Task& task, const Settings& settings, const Run& run,
                  const Rounds& given) {
  const auto learner = find(name);
  if (!learner) return learner.error();
  if (!task.more_targets.empty() && !learns_several(name))
    return usage(fmt::format("{} learns one target, not {}", name, 1 + task.more_targets.size()),
                 "take --learner boost or cart, or train one model a target");
  if (!(*learner)->by_rounds && (given.from != nullptr || given.resume != nullptr))
    return usage(fmt::format("learner {} does not go by rounds: there is nothing to go on from", name),
                 "leave --continue and --resume away, or choose boost");
  if (given.checkpoint && name != "boost")
    return usage(fmt::format("learner {} leaves no checkpoints", name), "leave --checkpoint away, or choose boost");
  if (given.stop_by != nullptr && name != "boost")
    return usage(fmt::format("learner {} does not stop by the rows of another table", name),
                 "measure on them afterwards, or choose boost");
  Result<Model> model = failure("not trained");
  std::string print;
  Rounds rounds = given;
  with_threads(run.threads, [&] {
    if (rounds.from != nullptr)
      rounds.from_knows_rows = std::ranges::count(learned_from(rounds.from->made), fingerprint(task)) > 0;
    // Neither waits for the other. Hashing the table gives a second thread something to do from the first moment, so
    // that it is awake when a fit of a millisecond has work to share.
    parallel_for(2, 1, [&](std::size_t part, std::size_t) {
      if (part == 0) model = fit_prepared(**learner, task, settings, run, rounds);
      else print = fingerprint(task);
    });
  });
  if (run.stopped() && !((*learner)->by_rounds && model))
    return Error{ErrorKind::Interrupted, "interrupted while training; no model was made", ""};
  if (!model) return model;
  model->made.version = kVersion;
  model->made.learner = name;
  model->made.seed = run.seed;
  model->made.rows = task.x.rows;
  model->made.fingerprint = std::move(print);
  if (rounds.from != nullptr)
    model->made.options[kContinued] = fmt::format("{}", fmt::join(learned_from(rounds.from->made), ","));
  return model;
}

bool is_private(std::string_view name) {
  const auto learner = find(name);
  return learner && (*learner)->is_private;
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

bool learns_several(std::string_view learner) { return learner == "cart" || learner == "boost"; }

std::string ended_words(std::string_view learner, std::size_t rounds, int asked, std::string_view why) {
  return fmt::format("{} ended after {} of {}{}: {}", learner, rounds,
                     plural(static_cast<std::uint64_t>(asked), "round"),
                     rounds == 0 ? ", so that the model says the same of every row" : "", why);
}

std::vector<Row> weighted_rows(const Task& task) {
  std::vector<Row> rows(task.x.rows);
  std::iota(rows.begin(), rows.end(), Row{0});
  if (!task.weight.empty()) std::erase_if(rows, [&](Row r) { return task.weight[r] <= 0; });
  return rows;
}

}  // namespace wald
