// A row of the list of learners. Each learner's file makes its own, so that the list need not know what they are made
// of.
#pragma once
#include <string_view>
#include <vector>

#include "learn/options.h"
#include "wald/learn.h"
#include "wald/model.h"
#include "wald/rounds.h"
#include "wald/run.h"
#include "wald/task.h"

namespace wald {

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

inline Learner without_target(Learner learner) {
  learner.needs_target = false;
  return learner;
}
inline Learner by_rounds(Learner learner) {
  learner.by_rounds = true;
  return learner;
}

inline Learner privately(Learner learner) {
  learner.is_private = true;
  return learner;
}

template <class Options, auto Fit>
Learner learner(const char* name, std::string_view help) {
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

Learner boost_learner();
std::vector<Learner> forest_learners();
Learner isolation_learner();
Learner adaboost_learner();
Learner anyboost_learner();
std::vector<Learner> quinlan_learners();
Learner clusters_learner();
Learner private_boost_learner();

}  // namespace wald
