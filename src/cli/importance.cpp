#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/outputs.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "explain/plot.h"
#include "measure/judged.h"
#include "wald/explain.h"
#include "wald/measure.h"

namespace wald::cli {
namespace {

struct Found {
  Importance splits;
  std::optional<PermutationImportance> shuffles;
  std::vector<double> shapley;  // empty = none
  std::vector<std::string> warnings;
};

constexpr std::size_t kShown = 30;

// The first of these that is there: mean absolute Shapley value, gain, count.
const std::vector<double>& sorted_by(const Found& found) {
  if (!found.shapley.empty()) return found.shapley;
  return found.splits.gain.empty() ? found.splits.count : found.splits.gain;
}

Result<Found> importance_of(const Model& model, const Arguments& given, const Run& run, Terminal& terminal) {
  Found out{.splits = importance(model)};
  const auto repeats = given.whole("repeats", 5, 2, 1000);
  if (!repeats) return repeats.error();
  ExplainOptions options;
  if (const auto outputs = chosen_outputs(given, model); !outputs) return outputs.error();
  else options.outputs = *outputs;
  if (given.operands.size() < 2) return out;
  const auto table = read_data_for(model, given.operands[1], given, run, terminal);
  if (!table) return table.error();
  const auto background = read_background(model, given, run, terminal);
  if (!background) return background.error();
  if (background->has_value()) options.background = &**background;
  out.warnings = warn_of_levels(model, *table, terminal);
  terminal.doing = "explaining";
  if (!model.forest().covered && options.background == nullptr && !model.forest().nodes.empty())
    terminal.note("no Shapley values: the model keeps no counts of its training rows; give a public --background FILE");
  else if (const auto shapley = mean_absolute_shapley(model, *table, options, run); !shapley) return shapley.error();
  else out.shapley = *shapley;
  if (table->find(model.schema.target.name) == nullptr) {
    terminal.note(
        fmt::format("no shuffling: the table has no column '{}', the target", printable(model.schema.target.name)));
    return out;
  }
  const auto truth = target_of(model, *table);
  if (!truth) return truth.error();
  const auto order = judge_of_order(model, *table, *truth);
  if (!order) return order.error();
  const int times = static_cast<int>(*repeats);
  auto shuffles = *order ? permutation_importance(model, *table, **order, times, run)
                         : permutation_importance(model, *table, *truth, times, run);
  if (!shuffles) return shuffles.error();
  out.shuffles = *std::move(shuffles);
  return out;
}

// Splits on a column made of several are shared out among them.
bool is_whole(double count) { return count == std::floor(count); }
std::string count_text(double count) {
  return is_whole(count) ? with_commas(static_cast<std::uint64_t>(count)) : fmt::format("{:.1f}", count);
}
nlohmann::ordered_json count_json(double count) {
  return is_whole(count) ? nlohmann::ordered_json(static_cast<std::uint64_t>(count)) : nlohmann::ordered_json(count);
}

nlohmann::ordered_json importance_json(const Model& model, const Found& found, const std::vector<std::size_t>& order) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::size_t c : order) {
    nlohmann::ordered_json one = {{"column", input_columns(model)[c].name},
                                  {"count", count_json(found.splits.count[c])}};
    if (!found.splits.gain.empty()) one["gain"] = found.splits.gain[c];
    if (!found.splits.cover.empty()) one["cover"] = found.splits.cover[c];
    if (!found.shapley.empty()) one["shapley"] = found.shapley[c];
    if (found.shuffles)
      one["permutation"] = {
          {"mean", found.shuffles->mean[c]}, {"low", found.shuffles->low[c]}, {"high", found.shuffles->high[c]}};
    list.push_back(one);
  }
  nlohmann::ordered_json out = {{"importance", list}, {"warnings", found.warnings}};
  if (found.shuffles) out["measure"] = {{"name", found.shuffles->measure}, {"value", found.shuffles->before}};
  return out;
}

std::string share_text(const std::vector<double>& all, std::size_t c) {
  const double total = std::accumulate(all.begin(), all.end(), 0.0);
  return total > 0 && std::isfinite(total) ? fmt::format("{:.1f} %", 100 * all[c] / total) : "-";
}

void print_lines(const Model& model, const Found& found, const std::vector<std::size_t>& order, Terminal& terminal) {
  std::vector<std::vector<std::string>> lines{{"column"}};
  if (!found.shapley.empty()) lines[0].push_back("mean |Shapley|");
  if (const auto& p = found.shuffles)
    lines[0].push_back(fmt::format("{}{} when shuffled (95 %)", p->measure, p->more_is_better ? " lost" : ""));
  if (!found.splits.gain.empty()) lines[0].push_back("gain");
  if (!found.splits.cover.empty()) lines[0].push_back("cover");
  lines[0].push_back("splits");
  for (std::size_t i = 0; i < std::min(order.size(), kShown); ++i) {
    const std::size_t c = order[i];
    std::vector<std::string> line{printable(input_columns(model)[c].name, 40)};
    if (!found.shapley.empty()) line.push_back(short_text(found.shapley[c]));
    if (const auto& p = found.shuffles)
      line.push_back(fmt::format("{:+.4g} ({:+.4g} to {:+.4g})", p->mean[c], p->low[c], p->high[c]));
    if (!found.splits.gain.empty()) line.push_back(share_text(found.splits.gain, c));
    if (!found.splits.cover.empty()) line.push_back(share_text(found.splits.cover, c));
    line.push_back(count_text(found.splits.count[c]));
    lines.push_back(line);
  }
  terminal.print(table_text(lines));
  if (order.size() > kShown) terminal.print(fmt::format("... {}\n", plural(order.size() - kShown, "more column")));
}

std::string picture(const Model& model, const Found& found) {
  std::vector<Bar> bars;
  const auto& p = found.shuffles;
  const std::vector<double>& sizes = p ? p->mean : sorted_by(found);
  for (const std::size_t c : largest(sizes, sizes.size())) {
    if (sizes[c] == 0) break;
    if (!p) bars.push_back({input_columns(model)[c].name, sizes[c]});
    else bars.push_back({input_columns(model)[c].name, p->mean[c], p->low[c], p->high[c]});
  }
  const std::size_t shown = std::min(bars.size(), kShown);
  const std::string unit = found.shuffles ? fmt::format("{} of {} when the column is shuffled, with 95 % intervals",
                                                        p->more_is_better ? "loss" : "increase",
                                                        p->measure == "rmse"       ? "the root mean squared error"
                                                        : p->measure == "log_loss" ? "log loss"
                                                        : p->measure == "ndcg"     ? "NDCG"
                                                                                   : p->measure)
                           : !found.shapley.empty()    ? "mean absolute Shapley value"
                           : found.splits.gain.empty() ? "number of splits"
                                                       : "sum of the gains of its splits";
  return bar_svg("Importance of columns for " + printable(model.schema.target.name, 40), unit,
                 std::span(bars).first(shown), bars.size() - shown);
}

}  // namespace

Status run_importance(const Arguments& given, Terminal& terminal) {
  for (const char* option : {"repeats", "seed", "class", "background"})
    if (given.has(option) && given.operands.size() < 2)
      return usage(fmt::format("--{} needs DATA, a table of rows", option), "write wald importance MODEL DATA");
  if (Status possible = check_picture(given, terminal, false); !possible) return possible;
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  const Result<Model> model = load_model(given.operands[0], terminal);
  if (!model) return model.error();
  const auto found = importance_of(*model, given, *run, terminal);
  if (!found) return found.error();
  if (run->stopped()) return interrupted_error();
  const std::vector<std::size_t> order = largest(sorted_by(*found), input_columns(*model).size());
  if (terminal.json) print_json(importance_json(*model, *found, order), terminal);
  else print_lines(*model, *found, order, terminal);
  return given.has("svg") ? put_picture(picture(*model, *found), given, terminal) : Done{};
}

}  // namespace wald::cli
