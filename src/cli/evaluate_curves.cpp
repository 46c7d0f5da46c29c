#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/chart.h"
#include "cli/evaluate.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "core/file.h"
#include "core/statistics.h"
#include "core/text.h"

namespace wald::cli {
namespace {

Chart roc_chart(const Evaluation& e) {
  Chart out{.title = "ROC curve", .x = "fpr", .y = "tpr", .series = {}, .square = true, .diagonal = true};
  Series curve{.name = "curve", .sign = "*", .points = {}, .joined = true}, hull{"hull", "o", {}};
  for (const RocPoint& p : e.roc.points) curve.points.emplace_back(e.roc.fpr(p), e.roc.tpr(p));
  for (const RocPoint& p : e.hull) hull.points.emplace_back(e.roc.fpr(p), e.roc.tpr(p));
  out.series = {std::move(curve), std::move(hull)};
  return out;
}

Chart pr_chart(const Evaluation& e) {
  Chart out{.title = "precision and recall", .x = "recall", .y = "precision", .series = {}, .square = true};
  Series curve{.name = "curve", .sign = "*", .points = {}, .joined = true};
  for (const RocPoint& p : e.roc.points)
    if (p.tp + p.fp > 0) curve.points.emplace_back(p.tp / e.roc.positives, p.tp / (p.tp + p.fp));
  out.series = {std::move(curve)};
  return out;
}

Chart calibration_chart(const Evaluation& e) {
  Chart out{.title = "calibration",
            .x = "predicted probability",
            .y = "share that came true",
            .series = {},
            .square = true,
            .diagonal = true};
  Series curve{"rows", "o", {}};
  for (const CalibrationBin& bin : e.bins) curve.points.emplace_back(bin.said, bin.came_true);
  out.series = {std::move(curve)};
  return out;
}

Chart chart_of(const Evaluation& e, std::string_view name) {
  return name == "roc" ? roc_chart(e) : name == "pr" ? pr_chart(e) : calibration_chart(e);
}

// The curve with its thresholds, which a chart has no place for.
std::string roc_csv(const Evaluation& e) {
  std::string text = "fpr,tpr,threshold,on_hull\n";
  std::size_t corner = 0;  // the hull is a part of the curve, in its order
  for (const RocPoint& p : e.roc.points) {
    const bool on_hull = corner < e.hull.size() && e.hull[corner] == p;
    corner += on_hull;
    text += fmt::format("{},{},{},{}\n", exact_text(e.roc.fpr(p)), exact_text(e.roc.tpr(p)), exact_text(p.threshold),
                        on_hull ? "yes" : "no");
  }
  return text;
}
std::string pr_csv(const Evaluation& e) {
  std::string text = "recall,precision,threshold\n";
  for (const RocPoint& p : e.roc.points)
    if (p.tp + p.fp > 0)
      text += fmt::format("{},{},{}\n", exact_text(p.tp / e.roc.positives), exact_text(p.tp / (p.tp + p.fp)),
                          exact_text(p.threshold));
  return text;
}
std::string calibration_csv(const Evaluation& e) {
  std::string text = "predicted,came_true,weight\n";
  for (const CalibrationBin& bin : e.bins)
    text += fmt::format("{},{},{}\n", exact_text(bin.said), exact_text(bin.came_true), exact_text(bin.weight));
  return text;
}

}  // namespace

Status check_curves(const Arguments& given) {
  for (const char* option : {"roc", "pr", "calibration"})
    if (given.text(option) == "-")
      return usage(fmt::format("--{} needs a file: standard output has the measures", option),
                   fmt::format("give --{} FILE", option));
  for (const char* option : {"roc", "pr", "calibration"})
    if (given.has(option))
      if (Status free = check_output(given.text(option), given); !free) return free;
  return Done{};
}

Status write_curves(const Evaluation& e, const Arguments& given) {
  for (const std::string option : {"roc", "pr", "calibration"}) {
    if (!given.has(option)) continue;
    const std::string path = given.text(option);
    if (path.ends_with(".svg") || path.ends_with(".json")) {
      if (Status done = write_chart(chart_of(e, option), path, given); !done) return done;
      continue;
    }
    if (Status possible = check_output(path, given); !possible) return possible;
    const std::string text = option == "roc" ? roc_csv(e) : option == "pr" ? pr_csv(e) : calibration_csv(e);
    if (Status done = replace_file(path, text, given.has("force")); !done) return done;
  }
  return Done{};
}

Status plot_curves(const Evaluation& e, const Arguments& given, Terminal& terminal) {
  if (!given.has("plot") || terminal.json) return Done{};
  terminal.print("\n");
  print_chart(chart_of(e, given.text("plot")), terminal);
  return Done{};
}

Status add_intervals(const Arguments& given, const Model& model, const Predictions& p, const Target& y,
                     std::span<const double> weight, std::span<const std::vector<double>> more, const Measuring& how,
                     const Run& run, Evaluation& e) {
  if (!given.has("intervals")) return Done{};
  const double level = read_number(given.text("intervals")).value_or(-1);
  if (!(level > 0 && level < 1))
    return usage(fmt::format("--intervals: '{}' is not a share", printable(given.text("intervals"))),
                 "give how sure they are to be, for example 0.95");
  const Result<std::uint64_t> resamples = given.whole("resamples", 1000, 10, 1'000'000);
  if (!resamples) return resamples.error();
  e.intervals = bootstrap_intervals(
      p.rows, weight, how.query, level, static_cast<int>(*resamples), run, [&](std::span<const double> drawn) {
        return measure_weighted(model.schema, p, y, drawn, e.binary.positive, more, how).list;
      });
  if (model.schema.target.level.size() != 2 || e.weighted) return Done{};
  const AreaVariance area =
      delong(column_of(p.value, 2, e.binary.positive), std::get<Classes>(y).code, e.binary.positive);
  const double half = normal_quantile((1 + level) / 2) * std::sqrt(area.variance);
  for (MeasureInterval& one : e.intervals)
    if (one.name == "auc" && !std::isnan(half))
      one = {"auc", std::fmax(0, area.area - half), std::fmin(1, area.area + half), "delong"};
  return Done{};
}

}  // namespace wald::cli
