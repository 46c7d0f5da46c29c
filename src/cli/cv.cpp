#include "cli/cv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/deciding.h"
#include "cli/fit.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "wald/tune.h"

namespace wald::cli {
namespace {

// Every option given goes to the learners that have it; one that none has is refused.
Result<std::vector<Contender>> contenders(const Arguments& given) {
  std::vector<std::string> names = given.has("learner") ? given.list("learner") : std::vector<std::string>{};
  if (names.empty()) names.emplace_back(kDefaultLearner);
  std::vector<Contender> out;
  for (const std::string& name : names) {
    if (Status known = check_settings(name, {}); !known) return known.error();
    if (Status open = refuse_private(name); !open) return open.error();
    if (std::ranges::any_of(out, [&](const Contender& c) { return c.learner == name; }))
      return usage(fmt::format("learner {} is named twice", name), "name each once");
    for (const LearnerInfo& info : learners())
      if (info.name == name && !info.needs_target)
        return usage(fmt::format("learner {} has no target to be judged by", name), "name others");
    Contender one{.learner = name};
    for (const Option& option : learner_options(name))
      if (given.has(option.name)) one.settings[option.name] = given.text(option.name);
    if (Status settings = check_settings(name, one.settings); !settings) return settings.error();
    out.push_back(std::move(one));
  }
  for (const Option& option : learner_options())
    if (given.has(option.name) &&
        std::ranges::none_of(out, [&](const Contender& c) { return c.settings.contains(option.name); }))
      return usage(
          fmt::format("{} {} no option --{}", fmt::join(names, ", "), names.size() == 1 ? "has" : "have", option.name),
          check_settings(names[0], {{option.name, given.text(option.name)}}).error().cure);
  return out;
}

// Learner by learner; what an interrupt leaves unfinished is dropped.
Status judge(const Task& task, const Run& run, Judged& judged, Terminal& terminal) {
  const std::size_t all = judged.folds.size() * judged.list.size();
  terminal.doing = "cross-validating";
  for (std::size_t i = 0; i < judged.list.size() && !run.stopped(); ++i) {
    Contender& one = judged.list[i];
    const auto told = [&](std::size_t done) {
      if (run.progress) run.progress({"cross-validating", i * judged.folds.size() + done, all});
    };
    terminal.beside = one.learner;
    told(0);
    if (judged.search) {
      Result<Nested> nested =
          validate_tuned(one.learner, task, one.settings, judged.folds, *judged.search, judged.inner, run, told);
      if (!nested) return nested.error();
      one.found = std::move(nested->found), one.chosen = std::move(nested->chosen);
      continue;
    }
    Result<Validation> found = cross_validate(one.learner, task, one.settings, judged.folds, run, told, judged.decide);
    if (!found) return found.error();
    one.found = std::move(*found);
  }
  std::erase_if(judged.list, [](const Contender& c) { return c.found.measures.empty(); });
  return Done{};
}

// --tune: trials or a time.
Result<std::optional<TuneOptions>> search_of(const Arguments& given, const Decide& decide) {
  if (!given.has("tune") && given.has("inner-folds"))
    return usage("--inner-folds are those of --tune", "add --tune N, or leave it away");
  if (!given.has("tune")) return std::optional<TuneOptions>{};
  TuneOptions out{.measure = {}, .decide = decide};
  const std::string text = given.text("tune");
  if (text.ends_with("s") || text.ends_with("m") || text.ends_with("h")) {
    const Result<double> seconds = read_time(text, "tune");
    if (!seconds) return seconds.error();
    out.seconds = *seconds;
    return std::optional(out);
  }
  const Result<std::uint64_t> trials = given.whole("tune", 1, 1, 100'000);
  if (!trials) return trials.error();
  out.trials = static_cast<int>(*trials);
  return std::optional(out);
}

void choose_best(Judged& judged) {
  const double sign = more_is_better(judged.measure) ? -1 : 1;
  const auto mean = [&](const Contender& c) { return sign * moments_of(c.found.of(judged.measure)).mean; };
  for (std::size_t i = 1; i < judged.list.size(); ++i)
    if (mean(judged.list[i]) < mean(judged.list[judged.best])) judged.best = i;
}

// Row, fold and prediction of every row held out, learner by learner.
Status write_predictions(const Judged& judged, const Task& task, const Arguments& given, Terminal& terminal) {
  Result<Output> out = Output::open(given, terminal);
  if (!out) return out.error();
  const std::vector<std::string>& several = judged.list.front().found.outputs;
  for (const Contender& c : judged.list)
    if (c.found.outputs != several)
      return usage(fmt::format("{} and {} predict different columns", judged.list.front().learner, c.learner),
                   "write the predictions of one learner at a time");
  std::string text = several.empty() ? "learner,row,fold,prediction" : "learner,row,fold";
  for (const std::string& name : several) text += "," + csv_cell("prediction_" + name);
  if (task.classifies())
    for (const std::string& name : task.classes().name) text += "," + csv_cell("p_" + name);
  text += "\n";
  for (const Contender& c : judged.list)
    for (std::size_t f = 0; f < c.found.predictions.size(); ++f) {
      const Predictions& p = c.found.predictions[f];
      const std::size_t width = p.rows == 0 ? 1 : p.value.size() / p.rows;
      for (std::size_t i = 0; i < p.rows; ++i) {
        text += fmt::format("{},{},{}", c.learner, judged.folds[f].held[i] + 1ull, f + 1);
        if (task.classifies()) text += "," + csv_cell(task.classes().name[static_cast<std::size_t>(p.label[i])]);
        for (std::size_t k = 0; k < width; ++k) text += "," + exact_text(p.value[i * width + k]);
        text += "\n";
      }
    }
  if (Status written = out->write(text); !written) return written;
  return out->finish();
}

}  // namespace

Status run_cv(const Arguments& given, Terminal& terminal) {
  const Stopwatch total;
  if (!given.has("target")) return no_target("cv", given);
  if (given.text("output") == "-") return usage("-o needs a file: standard output has the measures", "give -o FILE");
  if (Status ok = check_division(given); !ok) return ok;
  Result<std::vector<Contender>> list = contenders(given);
  if (!list) return list.error();
  const Result<Decide> decide = decide_of(given);
  if (!decide) return decide.error();
  if (Status whole = check_within_folds(given, *decide); !whole) return whole;
  const Result<std::optional<TuneOptions>> search = search_of(given, *decide);
  if (!search) return search.error();
  const Result<std::uint64_t> inner = given.whole("inner-folds", 3, 2, 100);
  if (!inner) return inner.error();
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  if (given.has("output"))
    if (Status free = check_output(given.text("output"), given); !free) return free;
  Result<Posed> posed = pose(given, *run, terminal);
  if (!posed) return posed.error();
  const Task& task = posed->task;
  const Result<std::string> measure = measure_of(given, task);
  if (!measure) return measure.error();

  Judged judged{.measure = *measure,
                .list = std::move(*list),
                .decide = *decide,
                .folds = posed->folds,
                .division = posed->division};
  if (*search) {
    judged.search = **search, judged.inner = static_cast<int>(*inner);
    judged.search->measure = *measure, judged.search->more_is_better = more_is_better(*measure);
    judged.division +=
        judged.search->trials > 0
            ? fmt::format("; options searched in each fold by {}", plural(judged.search->trials, "trial"))
            : fmt::format("; options searched in each fold for {}", printable(given.text("tune")));
  }
  if (Status done = judge(task, *run, judged, terminal); !done) return done;
  if (judged.list.empty()) return interrupted_error();
  choose_best(judged);
  judged.seconds = total.seconds(), judged.interrupted = run->stopped();
  report_judged(judged, task, terminal);
  if (given.has("output"))
    if (Status written = write_predictions(judged, task, given, terminal); !written) return written;
  return run->stopped() ? Status(cut_short_error()) : Status(Done{});
}

}  // namespace wald::cli
