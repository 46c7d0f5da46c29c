#include <algorithm>
#include <iterator>

#include "wald/tune.h"

namespace wald {

Result<Nested> validate_tuned(std::string_view learner, const Task& task, const Settings& fixed,
                              std::span<const Fold> folds, const TuneOptions& how, int inner, const Run& run,
                              const std::function<void(std::size_t)>& told) {
  Nested out;
  const auto tell = [&](const auto&) {
    if (told) told(out.chosen.size());
  };
  Run quietly = run;
  quietly.progress = tell;
  for (const Fold& fold : folds) {
    const Task train = take_rows(task, fold.train);
    const Result<std::vector<Fold>> parts = make_folds(train, {.folds = inner}, run.seed);
    if (!parts) return parts.error();
    const Result<Tuned> tuned = tune(learner, train, fixed, *parts, how, {}, quietly);
    if (run.stopped()) break;
    if (!tuned) return tuned.error();
    const Settings chosen = tuned->trials[tuned->worthwhile ? tuned->best : 0].settings;
    Settings used = fixed;
    used.insert(chosen.begin(), chosen.end());
    Result<Validation> one = cross_validate(learner, task, used, std::span(&fold, 1), quietly, tell, how.decide);
    if (run.stopped()) break;
    if (!one) return one.error();
    std::ranges::move(one->measures, std::back_inserter(out.found.measures));
    std::ranges::move(one->predictions, std::back_inserter(out.found.predictions));
    out.found.outputs = one->outputs;
    out.found.seconds += one->seconds;
    for (const Trial& trial : tuned->trials) out.found.seconds += trial.seconds;
    out.chosen.push_back(chosen);
    tell(0);
  }
  return out;
}

}  // namespace wald
