#include "wald/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/cv.h"
#include "cli/deciding.h"
#include "cli/fit.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/training.h"
#include "cli/verbs.h"
#include "core/text.h"

namespace wald::cli {
namespace {

Result<double> budget_of(const Arguments& given) { return read_time(given.text("budget", "60s"), "budget"); }

nlohmann::ordered_json trial_json(const Trial& t) {
  const Moments moments = moments_of(t.score);
  return {{"options", t.settings}, {"score", moments.mean}, {"std", moments.deviation},
          {"folds", t.score},      {"share", t.share},      {"seconds", t.seconds}};
}

// What the trials of a log belong to: another table, learner or division has other scores.
nlohmann::ordered_json head_json(const Arguments& given, const std::string& learner, const Settings& fixed,
                                 const Posed& posed, const TuneOptions& how, const Run& run) {
  nlohmann::ordered_json out = {{"learner", learner},
                                {"fixed", fixed},
                                {"rows", posed.task.x.rows},
                                {"target", posed.task.target},
                                {"folds", posed.folds.size()},
                                {"division", posed.division},
                                {"measure", how.measure},
                                {"seed", run.seed},
                                {"method", static_cast<int>(how.method)}};
  for (const char* option : {"calibrate", "cost", "odds", "positive"})
    if (given.has(option)) out["deciding"][option] = given.raw(option);
  return out;
}

// A line that a crash has cut short ends the log.
Result<std::vector<Trial>> read_log(const std::string& path, const nlohmann::ordered_json& head) {
  std::ifstream file(path);
  std::vector<Trial> out;
  std::string line;
  if (!std::getline(file, line)) return out;
  if (nlohmann::ordered_json::parse(line, nullptr, false) != head)
    return bad_data(fmt::format("{} is the log of another search", printable(path, 300)),
                    "name another file, or give the options it was begun with");
  while (std::getline(file, line)) {
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    if (json.is_discarded() || !json.is_object()) break;
    Trial trial;
    try {
      for (const auto& [name, value] : json.at("options").items()) trial.settings[name] = value.get<std::string>();
      for (const auto& value : json.at("folds"))
        trial.score.push_back(value.is_null() ? kMissing : value.get<double>());
      trial.share = json.at("share").get<double>(), trial.seconds = json.at("seconds").get<double>();
    } catch (const nlohmann::json::exception&) {
      return bad_data(fmt::format("{}, line {}: not a trial", printable(path, 300), out.size() + 2),
                      "name another file");
    }
    out.push_back(std::move(trial));
  }
  return out;
}

struct Searched {
  std::string learner;
  Settings fixed;
  TuneOptions how;
  Posed posed;
  Tuned tuned;
  double seconds = 0;
  bool interrupted = false;
  std::string model;  // the file it was kept in, if it was
  const Trial& chosen() const { return tuned.trials[tuned.worthwhile ? tuned.best : 0]; }
  Settings settings() const {
    Settings out = fixed;
    out.insert(chosen().settings.begin(), chosen().settings.end());
    return out;
  }
};

std::string option_words(const Settings& settings) {
  std::string out;
  for (const auto& [name, value] : settings) out += fmt::format("{}--{} {}", out.empty() ? "" : " ", name, value);
  return out.empty() ? "the defaults" : out;
}

// The time ended before the first trial did: how long would have been enough?
std::string cut_off_text(const Searched& found) {
  const Trial& first = found.tuned.trials[0];
  const std::size_t done = found.posed.folds.front().held.size() > 1 ? first.score.size() : 0;
  const auto all = static_cast<double>(found.posed.folds.size());
  return fmt::format(
      "the budget ended within the first trial, so nothing was compared: {}; give a longer --budget, {}",
      done == 0 ? "not one fold was done"
                : fmt::format("a trial takes about {}", seconds_text(first.seconds / static_cast<double>(done) * all)),
      found.posed.folds.size() > 2 ? "fewer --folds or a faster learner" : "or a faster learner");
}

void print_searched(const Searched& found, Terminal& terminal) {
  const std::vector<Trial>& trials = found.tuned.trials;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (trials[i].share == 1 && !trials[i].score.empty()) order.push_back(i);
  const double sign = found.how.more_is_better ? -1 : 1;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return sign * moments_of(trials[i].score).mean; });
  terminal.print(
      fmt::format("{}; {} in {}\n", found.posed.division, plural(trials.size(), "trial"), seconds_text(found.seconds)));
  std::vector<std::vector<std::string>> lines = {{"trial", found.how.measure, ""}};
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 5); ++i) {
    const Moments m = moments_of(trials[order[i]].score);
    lines.push_back({std::to_string(order[i] + 1), spread_text(m), option_words(trials[order[i]].settings)});
  }
  if (!order.empty() && std::ranges::find(order.begin(), order.begin() + std::min<std::ptrdiff_t>(5, std::ssize(order)),
                                          0u) == order.begin() + std::min<std::ptrdiff_t>(5, std::ssize(order))) {
    const Moments m = moments_of(trials[0].score);
    lines.push_back({"1", spread_text(m), "the defaults"});
  }
  std::size_t wide = 0;
  for (const auto& line : lines) wide = std::max(wide, line[1].size());
  for (const auto& line : lines)
    if (!order.empty()) terminal.print(fmt::format("{}  {}  {}\n", left(line[0], 5), left(line[1], wide), line[2]));
  if (found.tuned.worthwhile) terminal.print(fmt::format("\nbest: {}\n", option_words(found.chosen().settings)));
  else if (found.tuned.compared() > 0) terminal.print("\nthe defaults are as good as anything found\n");
  else terminal.print("\nthe defaults, which were compared with nothing\n");
}

nlohmann::ordered_json searched_json(const Searched& found) {
  nlohmann::ordered_json out = {{"learner", found.learner},           {"rows", found.posed.task.x.rows},
                                {"division", found.posed.division},   {"measure", found.how.measure},
                                {"best", trial_json(found.chosen())}, {"worthwhile", found.tuned.worthwhile},
                                {"compared", found.tuned.compared()}};
  out["best"]["options"] = found.settings();
  for (const Trial& t : found.tuned.trials) out["trials"].push_back(trial_json(t));
  out["seconds"] = {{"total", found.seconds}};
  if (!found.model.empty()) out["model"] = found.model;
  if (found.interrupted) out["interrupted"] = true;
  return out;
}

Result<TuneOptions> tune_options(const Arguments& given) {
  TuneOptions out;
  const std::string method = given.text("method", "bayes");
  out.method = method == "random"    ? TuneMethod::Random
               : method == "grid"    ? TuneMethod::Grid
               : method == "halving" ? TuneMethod::Halving
                                     : TuneMethod::Bayes;
  const Result<std::uint64_t> trials = given.whole("trials", 0, 1, 1'000'000), grid = given.whole("grid", 3, 2, 100);
  if (!trials) return trials.error();
  if (!grid) return grid.error();
  out.trials = static_cast<int>(*trials), out.grid = static_cast<int>(*grid);
  const Result<double> seconds = budget_of(given);
  if (!seconds) return seconds.error();
  if (given.has("budget") || !given.has("trials")) out.seconds = *seconds;
  return out;
}

// Each trial is on the disk before the next is begun.
Result<std::ofstream> open_log(const std::string& path, const nlohmann::ordered_json& head,
                               const std::vector<Trial>& kept) {
  std::ofstream out(path, std::ios::trunc);
  out << head.dump() << '\n';
  for (const Trial& t : kept) out << trial_json(t).dump() << '\n';
  out.flush();
  if (!out)
    return failure(fmt::format("cannot write {}", printable(path, 300)), "name a file in a folder you may write to");
  return out;
}

Status search(const Arguments& given, const Run& run, Searched& found, Terminal& terminal) {
  const nlohmann::ordered_json head = head_json(given, found.learner, found.fixed, found.posed, found.how, run);
  std::vector<Trial> earlier;
  std::optional<std::ofstream> log;
  if (const std::string path = given.text("log"); !path.empty()) {
    if (given.has("resume") && std::filesystem::exists(path)) {
      Result<std::vector<Trial>> read = read_log(path, head);
      if (!read) return read.error();
      earlier = std::move(*read);
    } else if (Status free = check_output(path, given); !free) {
      return free;
    }
    Result<std::ofstream> opened = open_log(path, head, earlier);
    if (!opened) return opened.error();
    log = std::move(*opened);
  }
  terminal.doing = "tuning";
  const std::size_t known = earlier.size();
  const auto told = [&](const Tuned& now) {
    if (log && now.trials.size() > known && !now.first_cut_off)
      *log << trial_json(now.trials.back()).dump() << '\n', log->flush();
    terminal.beside =
        fmt::format("best {} {}", found.how.measure, measure_text(moments_of(now.trials[now.best].score).mean));
  };
  Result<Tuned> tuned =
      tune(found.learner, found.posed.task, found.fixed, found.posed.folds, found.how, std::move(earlier), run, told);
  if (!tuned) return tuned.error();
  found.tuned = std::move(*tuned);
  return Done{};
}

// A model of all rows with what was found.
Status keep_best(const Arguments& given, const Run& run, Searched& found, Terminal& terminal) {
  terminal.doing = "training";
  Result<Model> model = fit_deciding(found.learner, found.posed.task, found.settings(), found.how.decide, run);
  if (!model) return model.error();
  if (run.stopped()) return cut_short_error();
  keep_roles(given, found.posed.read, *model);
  const std::string path = given.text("output");
  if (Status saved = save(*model, path, given.has("force") ? Overwrite::Allow : Overwrite::Refuse); !saved)
    return saved;
  found.model = path;
  if (!terminal.json) terminal.print(fmt::format("saved {}\n", printable(path, 200)));
  return Done{};
}

Status check_tune(const Arguments& given) {
  if (!given.has("target")) return no_target("tune", given);
  if (given.has("resume") && !given.has("log"))
    return usage("--resume needs to know the log", "name it: --log FILE --resume");
  if (given.has("grid") && given.text("method") != "grid")
    return usage("--grid is of --method grid", "add --method grid, or leave it away");
  if (given.has("output"))
    if (Status free = check_output(given.text("output"), given); !free) return free;
  return check_division(given);
}

}  // namespace

Status run_tune(const Arguments& given, Terminal& terminal) {
  const Stopwatch total;
  if (Status ok = check_tune(given); !ok) return ok;
  Searched found{.learner = given.text("learner", std::string(kDefaultLearner))};
  if (Status known = check_settings(found.learner, {}); !known) return known;
  if (Status open = refuse_private(found.learner); !open) return open;
  for (const Option& option : learner_options())
    if (given.has(option.name)) found.fixed[option.name] = given.text(option.name);
  if (Status settings = check_settings(found.learner, found.fixed); !settings) return settings;
  const Result<TuneOptions> how = tune_options(given);
  if (!how) return how.error();
  const Result<Decide> decide = decide_of(given);
  if (!decide) return decide.error();
  if (Status whole = check_within_folds(given, *decide); !whole) return whole;
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  Result<Posed> posed = pose(given, *run, terminal);
  if (!posed) return posed.error();
  found.posed = std::move(*posed);
  const Result<std::string> measure = measure_of(given, found.posed.task);
  if (!measure) return measure.error();
  found.how = *how, found.how.decide = *decide;
  found.how.measure = *measure, found.how.more_is_better = more_is_better(*measure);
  if (Status done = search(given, *run, found, terminal); !done) return done;
  if (found.tuned.trials.empty()) return interrupted_error();
  found.seconds = total.seconds();
  if (!terminal.json) print_searched(found, terminal);
  if (found.tuned.first_cut_off) terminal.warn(cut_off_text(found));
  if (!found.tuned.refused.empty()) terminal.warn("some combinations could not be learned: " + found.tuned.refused);
  const Status kept = given.has("output") && !run->stopped() ? keep_best(given, *run, found, terminal) : Status(Done{});
  found.interrupted = run->stopped();
  if (terminal.json && (kept || found.interrupted)) print_json(searched_json(found), terminal);
  return found.interrupted ? Status(cut_short_error()) : kept;
}

}  // namespace wald::cli
