// wald curve: error against rows, against an option, or after each round.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/chart.h"
#include "cli/cv.h"
#include "cli/fit.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "measure/curves.h"

namespace wald::cli {
namespace {

constexpr int kPoints = 8;

std::string usual_text(double value, bool whole) {
  return whole ? std::to_string(std::llround(value)) : fmt::format("{:.3g}", value);
}

// The values of --values, or some of what tune would search.
Result<std::vector<std::string>> values_of(const Arguments& given, const std::string& learner,
                                           const std::string& option) {
  if (given.has("values")) return given.list("values");
  for (const LearnerInfo& info : learners())
    for (const SearchRange& range : info.search) {
      if (info.name != learner || range.name != option) continue;
      if (!range.choices.empty()) return range.choices;
      std::vector<std::string> out;
      for (int i = 0; i < kPoints; ++i) {
        const double u = static_cast<double>(i) / (kPoints - 1);
        const double value = range.logarithmic ? range.low * std::pow(range.high / range.low, u)
                                               : range.low + u * (range.high - range.low);
        out.push_back(usual_text(value, range.whole));
        if (out.size() > 1 && out.back() == out[out.size() - 2]) out.pop_back();
      }
      return out;
    }
  std::string example = "1,2,4,8";
  std::vector<OptionInfo> known = preparation_options();
  for (const LearnerInfo& info : learners())
    if (info.name == learner) known.insert(known.end(), info.options.begin(), info.options.end());
  for (const OptionInfo& one : known)
    if (one.name == option && !one.choices.empty()) example = fmt::format("{}", fmt::join(one.choices, ","));
  return usage(fmt::format("which values of --{} are to be tried is not said", printable(option)),
               fmt::format("add --values, for example --by {} --values {}", printable(option), example));
}

// From 3 % of the rows to all, less where few rows make several shares the same.
std::vector<double> usual_shares(std::size_t rows) {
  std::vector<double> out = {1};
  for (double share = 0.6; out.size() < kPoints && share * static_cast<double>(rows) >= 2; share *= 0.6)
    out.insert(out.begin(), share);
  return out;
}

Result<std::vector<double>> shares_of(const Arguments& given, const Posed& posed) {
  if (!given.has("values")) return usual_shares(posed.folds[0].train.size());
  std::vector<double> out;
  for (const std::string& text : given.list("values")) {
    const double share = read_number(text).value_or(-1);
    if (!(share > 0 && share <= 1))
      return usage(fmt::format("--values: '{}' is not a share of the rows", printable(text)),
                   "give numbers above 0 and up to 1");
    out.push_back(share);
  }
  return out;
}

struct Curved {
  std::string learner, by, measure, division;
  std::vector<CurvePoint> points;
  Chart chart;
  bool interrupted = false;
};

Series series_of(const std::vector<CurvePoint>& points, bool held) {
  Series out{held ? "rows held out" : "training rows", held ? "o" : "·", {}, {}};
  for (const CurvePoint& point : points) {
    const Moments m = moments_of(held ? point.held : point.train);
    out.points.emplace_back(point.at, m.mean);
    out.spread.push_back(m.deviation);
  }
  return out;
}

Chart chart_of_points(const Curved& d) {
  Chart out{.title = fmt::format("{} of {} against {}", d.measure, d.learner, d.by),
            .x = d.by,
            .y = d.measure,
            .series = {series_of(d.points, false), series_of(d.points, true)}};
  if (std::ranges::any_of(d.points, [](const CurvePoint& p) { return !read_number(p.text); })) {
    for (const CurvePoint& p : d.points) out.words.push_back(p.text);
    return out;
  }
  const auto at = [](const CurvePoint& p) { return p.at; };
  const double low = std::ranges::min(d.points, {}, at).at, high = std::ranges::max(d.points, {}, at).at;
  out.logarithmic = low > 0 && high / low >= 20;
  return out;
}

void print_points(const Curved& d, Terminal& terminal) {
  std::vector<std::vector<std::string>> lines = {{d.by, "training rows", "", "rows held out", ""}};
  for (const CurvePoint& point : d.points) {
    const Moments train = moments_of(point.train), held = moments_of(point.held);
    lines.push_back({point.text, measure_text(train.mean), fmt::format("± {:.2g}", train.deviation),
                     measure_text(held.mean), fmt::format("± {:.2g}", held.deviation)});
  }
  terminal.print(fmt::format("{} of {}; {}\n", d.measure, d.learner, d.division));
  terminal.print(table_text(lines));
  terminal.print("\n");
  print_chart(d.chart, terminal);
}

nlohmann::ordered_json drawn_json(const Curved& d) {
  nlohmann::ordered_json out = {{"learner", d.learner}, {"by", d.by}, {"measure", d.measure}, {"division", d.division}};
  for (const CurvePoint& point : d.points) {
    const Moments train = moments_of(point.train), held = moments_of(point.held);
    out["points"].push_back({{"at", point.at},
                             {"value", point.text},
                             {"train", {{"mean", train.mean}, {"std", train.deviation}, {"folds", point.train}}},
                             {"held", {{"mean", held.mean}, {"std", held.deviation}, {"folds", point.held}}}});
  }
  if (d.interrupted) out["interrupted"] = true;
  return out;
}

// Of a learner that goes by rounds, told by itself.
Result<Curved> by_rounds(const std::string& learner, const Settings& settings, const Task& task, const Run& run) {
  const Result<Model> model = fit(learner, task, settings, run);
  if (!model) return model.error();
  const LearningCurve& curve = model->curve;
  if (curve.train.empty())
    return usage(fmt::format("learner {} does not go by rounds", learner), "take --by rows, or --learner boost");
  Curved out{.learner = learner, .by = "rounds", .measure = curve.measure, .division = {}, .points = {}, .chart = {}};
  out.division = curve.held.empty() ? "all rows" : fmt::format("the best is after {}", plural(curve.best, "round"));
  for (std::size_t i = 0; i < curve.train.size(); ++i) {
    CurvePoint point{
        .at = static_cast<double>(i + 1), .text = std::to_string(i + 1), .train = {curve.train[i]}, .held = {}};
    if (!curve.held.empty()) point.held = {curve.held[i]};
    out.points.push_back(std::move(point));
  }
  return out;
}

Result<Curved> by_option(const Arguments& given, const std::string& learner, const Settings& settings,
                         const Posed& posed, const Run& run) {
  CurveOptions how;
  Result<std::string> measure = measure_of(given, posed.task);
  if (!measure) return measure.error();
  how.measure = std::move(*measure);
  const std::string by = given.text("by", "rows");
  if (by == "rows") {
    Result<std::vector<double>> shares = shares_of(given, posed);
    if (!shares) return shares.error();
    how.shares = std::move(*shares);
  } else {
    Result<std::vector<std::string>> values = values_of(given, learner, by);
    if (!values) return values.error();
    how.option = by, how.values = std::move(*values);
  }
  auto points =
      validation_curve(learner, posed.task, settings, posed.folds, how, run, [&](std::size_t n, std::size_t all) {
        if (run.progress) run.progress({"drawing the curve", n, all});
      });
  if (!points) return points.error();
  return Curved{.learner = learner,
                .by = by,
                .measure = how.measure,
                .division = posed.division,
                .points = std::move(*points),
                .chart = {}};
}

// What the curve is drawn against: rows, rounds, or an option of the learner that is not fixed.
Status check_by(const Arguments& given, const std::string& learner, const std::string& by, Settings settings) {
  if (by == "rows" || by == "rounds" || !given.has("values"))
    if (Status ok = check_settings(learner, settings); !ok) return ok;
  if (by == "rows") return Done{};
  if (by == "rounds") {
    for (const char* option : {"values", "folds", "repeats", "group", "time", "folds-file", "measure"})
      if (given.has(option))
        return usage(fmt::format("--by rounds is what one training tells of itself, so --{} has no meaning", option),
                     "leave it away");
    return Done{};
  }
  std::vector<std::string> names = {"rows", "rounds"};
  for (const Option& option : learner_options(learner)) names.push_back(option.name);
  if (std::ranges::find(names, by) == names.end()) {
    const std::string guess = did_you_mean(by, names);
    return usage(fmt::format("--by: learner {} has no option '{}'", learner, printable(by)),
                 guess.empty() ? fmt::format("wald train --learner {} --help lists its options", learner) : guess);
  }
  if (given.has(by))
    return usage(fmt::format("--by varies --{}, which is given too", by), "give its values by --values");
  for (const std::string& value : given.list("values")) {
    settings[by] = value;
    if (Status ok = check_settings(learner, settings); !ok) return ok;
  }
  return Done{};
}

}  // namespace

Status run_curve(const Arguments& given, Terminal& terminal) {
  if (!given.has("target")) return no_target("curve", given);
  if (Status ok = check_division(given); !ok) return ok;
  const std::string learner = given.text("learner", std::string(kDefaultLearner)), by = given.text("by", "rows");
  if (Status known = check_settings(learner, {}); !known) return known;
  if (Status open = refuse_private(learner); !open) return open;
  Settings settings;
  for (const Option& option : learner_options())
    if (given.has(option.name)) settings[option.name] = given.text(option.name);
  if (Status ok = check_by(given, learner, by, settings); !ok) return ok;
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  if (given.has("output"))
    if (Status free = check_output(given.text("output"), given); !free) return free;
  const Result<Posed> posed = pose(given, *run, terminal);
  if (!posed) return posed.error();
  terminal.doing = "drawing the curve";
  Result<Curved> drawn = by == "rounds" ? by_rounds(learner, settings, posed->task, *run)
                                        : by_option(given, learner, settings, *posed, *run);
  if (!drawn) return drawn.error();
  if (drawn->points.empty()) return interrupted_error();
  drawn->chart = chart_of_points(*drawn), drawn->interrupted = run->stopped();
  if (terminal.json) print_json(drawn_json(*drawn), terminal);
  else if (by == "rounds") print_chart(drawn->chart, terminal);
  else print_points(*drawn, terminal);
  if (given.has("output")) {
    if (Status written = write_chart(drawn->chart, given.text("output"), given); !written) return written;
    if (!terminal.json) terminal.print(fmt::format("wrote {}\n", printable(given.text("output"), 200)));
  }
  return run->stopped() ? Status(cut_short_error()) : Status(Done{});
}

}  // namespace wald::cli
