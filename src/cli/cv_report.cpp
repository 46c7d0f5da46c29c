#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/cv.h"
#include "cli/fit.h"
#include "cli/json.h"
#include "core/text.h"

namespace wald::cli {
namespace {

std::vector<std::string> told_measures(const Judged& judged, const Task& task) {
  using Names = std::vector<std::string>;
  Names out = task.classifies()    ? Names{"accuracy", "f1", "auc", "log_loss"}
              : task.query.empty() ? Names{"rmse", "mae", "r2"}
                                   : Names{"ndcg", std::string(ndcg_told(judged.list[0].found.measures[0])), "map"};
  std::erase_if(out, [&](const std::string& name) {  // of no use for any of them
    return std::ranges::all_of(judged.list,
                               [&](const Contender& c) { return c.found.measures[0].find(name) == nullptr; });
  });
  if (std::ranges::find(out, judged.measure) == out.end()) out.push_back(judged.measure);
  return out;
}

void print_judged(const Judged& judged, const Task& task, Terminal& terminal) {
  std::vector<std::vector<std::string>> lines(1, {"learner"});
  const std::vector<std::string> told = told_measures(judged, task);
  lines[0].insert(lines[0].end(), told.begin(), told.end());
  lines[0].push_back("time");
  for (const Contender& c : judged.list) {
    lines.push_back({c.learner});
    for (const std::string& name : told) lines.back().push_back(spread_text(moments_of(c.found.of(name))));
    lines.back().push_back(seconds_text(c.found.seconds));
  }
  terminal.print(fmt::format("{}\n", judged.division));
  terminal.print(table_text(lines));
  const std::vector<Paired> tests = against_best(judged);
  if (!tests.empty()) terminal.print("\n");
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (i == judged.best || tests[i].freedom < 1) continue;
    terminal.print(fmt::format("{} is {} than {}: {} {} by {:.3g} ± {:.2g} (p = {:.2g})\n",
                               judged.list[judged.best].learner, tests[i].p < 0.05 ? "better" : "not clearly better",
                               judged.list[i].learner, judged.measure,
                               more_is_better(judged.measure) ? "higher" : "lower", std::fabs(tests[i].difference),
                               tests[i].error, tests[i].p));
  }
}

nlohmann::ordered_json judged_json(const Judged& judged, const Task& task) {
  nlohmann::ordered_json out = {{"rows", task.x.rows},
                                {"target", task.target},
                                {"task", task.classifies() ? "classes" : "numbers"},
                                {"folds", judged.folds.size()},
                                {"division", judged.division},
                                {"measure", judged.measure},
                                {"best", judged.list[judged.best].learner}};
  const std::vector<Paired> tests = against_best(judged);
  for (std::size_t i = 0; i < judged.list.size(); ++i) {
    const Contender& c = judged.list[i];
    nlohmann::ordered_json one = {{"learner", c.learner}, {"options", c.settings}};
    for (const Measure& m : c.found.measures[0].list) {
      const std::vector<double> values = c.found.of(m.name);
      const Moments moments = moments_of(values);
      one["metrics"][m.name] = {{"mean", moments.mean}, {"std", moments.deviation}, {"folds", values}};
    }
    if (i < tests.size() && i != judged.best && tests[i].freedom > 0)
      one["against_best"] = {{"difference", tests[i].difference},
                             {"error", tests[i].error},
                             {"t", tests[i].t},
                             {"freedom", tests[i].freedom},
                             {"p", tests[i].p}};
    for (const Settings& chosen : c.chosen) one["chosen"].push_back(chosen);
    one["seconds"] = c.found.seconds;
    out["learners"].push_back(std::move(one));
  }
  out["seconds"] = {{"total", judged.seconds}};
  if (judged.interrupted) out["interrupted"] = true;
  return out;
}

}  // namespace

std::string spread_text(const Moments& m) {
  if (std::isnan(m.deviation)) return measure_text(m.mean);
  return fmt::format("{} ± {:.2g}", measure_text(m.mean), m.deviation);
}

bool more_is_better(std::string_view measure) {
  for (const char* loss :
       {"log_loss", "brier", "rmse", "mse", "mae", "mape", "max_error", "pinball", "calibration_error"})
    if (measure == loss || measure.starts_with(std::string(loss) + "(")) return false;
  return true;
}

std::vector<Paired> against_best(const Judged& judged) {
  std::vector<Paired> out;
  if (judged.list.size() < 2) return out;
  const std::vector<double> best = judged.list[judged.best].found.of(judged.measure);
  for (const Contender& c : judged.list)
    out.push_back(compare_paired(best, c.found.of(judged.measure), held_per_trained(judged.folds)));
  return out;
}

void report_judged(const Judged& judged, const Task& task, Terminal& terminal) {
  if (terminal.json) print_json(judged_json(judged, task), terminal);
  else print_judged(judged, task, terminal);
}

}  // namespace wald::cli
