#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/deciding.h"
#include "cli/evaluate.h"
#include "cli/fit.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/training.h"
#include "cli/verbs.h"
#include "core/fixed.h"
#include "core/text.h"
#include "measure/judged.h"
#include "measure/measures.h"
#include "measure/out_of_bag.h"
#include "measure/roc.h"
#include "wald/forests.h"
#include "wald/privacy.h"

namespace wald::cli {
namespace {

using nlohmann::ordered_json;

Result<Binary> binary_options(const Arguments& given, const Schema& schema) {
  Binary out;
  out.costs_given = given.has("cost") || given.has("odds");
  for (std::string_view option : {"cost", "odds", "positive", "roc", "pr"})
    if (given.has(option) && schema.target.level.size() != 2)
      return usage(fmt::format("--{} is for two classes; this model predicts {}", option,
                               schema.classifies() ? fmt::format("{} of them", schema.target.level.size()) : "numbers"),
                   "leave it away");
  for (std::string_view option : {"calibration", "plot"})
    if (given.has(option) && !schema.classifies())
      return usage(fmt::format("--{} is for classes; this model predicts numbers", option), "leave it away");
  if (given.text("plot", "calibration") != "calibration" && schema.target.level.size() != 2)
    return usage(fmt::format("--plot {} is for two classes", given.text("plot")), "take --plot calibration");
  if (given.has("positive")) {
    const auto found = std::ranges::find(schema.target.level, given.text("positive"));
    if (found == schema.target.level.end()) {
      const std::string guess = did_you_mean(given.text("positive"), schema.target.level);
      return usage(fmt::format("--positive: the model knows no class '{}'", printable(given.text("positive"))),
                   guess.empty() ? fmt::format("its classes are {} and {}", printable(schema.target.level[0]),
                                               printable(schema.target.level[1]))
                                 : guess);
    }
    out.positive = static_cast<std::int32_t>(found - schema.target.level.begin());
  }
  const Result<Costs> costs = costs_of(given);
  if (!costs) return costs.error();
  out.costs = *costs;
  return out;
}

Result<Judged> judged_rows(const Arguments& given, const Model& model, const Run& run, Terminal& terminal) {
  const Result<Table> table = read_data_for(model, given.operands[1], given, run, terminal);
  if (!table) return table.error();
  terminal.doing = "measuring";
  return judged(Predictor(model), *table, {.query = given.text("query"), .weight = given.text("weight")}, run);
}

// The training rows as the trees see them that did not learn from them, with their weights of training.
Result<Judged> judged_out_of_bag(const Arguments& given, const Model& model, const Run& run, Terminal& terminal) {
  for (std::string_view option : {"weight", "query"})
    if (given.has(option))
      return usage(fmt::format("--{} is of other rows; those of training count as they did there", option),
                   "leave it away, or --out-of-bag");
  if (Status draws = check_bags(model); !draws) return draws.error();
  const Result<TrainingRows> training = training_rows(model, given.operands[1], given, run, terminal);
  if (!training) return training.error();
  const Result<OutOfBag> bag = predict_out_of_bag(model, training->task, run);
  if (!bag) return bag.error();
  const std::vector<Row> rows = rows_out_of_bag(training->task, *bag);
  if (rows.empty())
    return bad_data("no row is out of the bag of any tree", "train more trees, or measure on rows of another table");
  Task some = take_rows(training->task, rows);
  Judged out{take_rows(bag->predictions, rows), std::move(some.y), {}, {}, measuring_for(model),
             bag->predictions.warnings};
  for (const std::int64_t weight : some.weight) out.weight.push_back(from_fixed(weight, kWeightBits));
  return out;
}

Result<Evaluation> evaluate(const Arguments& given, const Model& model, const Judged& rows, const Run& run) {
  const Result<Binary> binary = binary_options(given, model.schema);
  if (!binary) return binary.error();
  const auto& [p, target, more, weights, how, warnings] = rows;
  Evaluation out{.weighted = !weights.empty(), .binary = *binary, .warnings = warnings};
  out.measures = measure_weighted(model.schema, p, target, weights, binary->positive, more, how);
  if (Status done = add_intervals(given, model, p, target, weights, more, how, run, out); !done) return done.error();
  if (model.schema.classifies()) out.bins = calibration_bins(p, std::get<Classes>(target), weights, binary->positive);
  if (model.schema.target.level.size() == 2) {
    out.roc =
        roc_curve(column_of(p.value, 2, binary->positive), std::get<Classes>(target).code, binary->positive, weights);
    out.hull = roc_hull(out.roc);
    out.best = operating_point(out.roc, binary->costs);
    out.threshold = threshold_of(column_of(p.value, 2, 1), std::get<Classes>(target).code, weights, binary->positive,
                                 binary->costs);
  }
  return out;
}

ordered_json threshold_json(double threshold) {
  return std::isinf(threshold) ? ordered_json(nullptr) : ordered_json(threshold);
}

ordered_json operating_json(const Evaluation& e) {
  if (!e.best) return nullptr;
  const RocPoint& at = e.best->at;
  return {{"threshold", threshold_json(at.threshold)},
          {"tpr", e.roc.tpr(at)},
          {"fpr", e.roc.fpr(at)},
          {"tp", at.tp},
          {"fp", at.fp},
          {"fn", e.roc.positives - at.tp},
          {"tn", e.roc.negatives - at.fp},
          {"cost", e.best->cost},
          {"cost_fp", e.binary.costs.false_positive},
          {"cost_fn", e.binary.costs.false_negative},
          {"odds", e.binary.costs.odds.value_or(e.roc.negatives / e.roc.positives)}};
}

ordered_json evaluation_json(const Evaluation& e, const Model& model, double seconds) {
  ordered_json out = {{"rows", e.measures.rows}};
  for (const Measure& m : e.measures.list) out["metrics"][m.name] = m.value;
  for (const MeasureInterval& one : e.intervals)
    out["intervals"][one.name] = {{"low", one.low}, {"high", one.high}, {"how", one.how}};
  if (!e.measures.classes.empty()) {
    out["classes"] = e.measures.classes;
    if (e.measures.classes.size() == 2) out["positive"] = model.schema.target.level[e.binary.positive];
    out["confusion"] = e.measures.confusion;
    const std::vector<ClassScores> scores = class_scores(e.measures.confusion);
    for (std::size_t k = 0; k < scores.size(); ++k)
      out["per_class"].push_back({{"class", e.measures.classes[k]},
                                  {"precision", scores[k].precision},
                                  {"recall", scores[k].recall},
                                  {"f1", scores[k].f1},
                                  {"support", scores[k].support}});
    for (const CalibrationBin& bin : e.bins)
      out["calibration"].push_back({{"predicted", bin.said}, {"came_true", bin.came_true}, {"weight", bin.weight}});
    out["operating_point"] = operating_json(e);
    for (const RocPoint& p : e.hull)
      if (e.roc.defined())
        out["roc_hull"].push_back(
            {{"fpr", e.roc.fpr(p)}, {"tpr", e.roc.tpr(p)}, {"threshold", threshold_json(p.threshold)}});
  }
  out["warnings"] = e.warnings;
  out["seconds"] = {{"total", seconds}};
  return out;
}

std::string weight_number(double w) {
  return w == std::floor(w) && w < 1e15 ? with_commas(static_cast<std::uint64_t>(w)) : fmt::format("{:.4g}", w);
}

constexpr std::size_t kWideConfusion = 12;  // beyond it a matrix does not fit a page; --json has it

void print_confusion(const Measures& m, Terminal& terminal) {
  const std::size_t n = m.classes.size();
  if (n > kWideConfusion) {
    terminal.note(fmt::format("the confusion matrix of {} classes is left out; --json has it", n));
    return;
  }
  std::vector<std::vector<std::string>> lines(1, {""});
  for (const std::string& name : m.classes) lines[0].push_back("predicted " + printable(name, 20));
  for (std::size_t k = 0; k < n; ++k) {
    lines.push_back({"actual " + printable(m.classes[k], 20)});
    for (double w : m.confusion[k]) lines.back().push_back(weight_number(w));
  }
  terminal.print("\n");
  terminal.print(table_text(lines));
}

void print_classes(const Evaluation& e, Terminal& terminal) {
  const Measures& m = e.measures;
  std::vector<std::vector<std::string>> lines = {
      {"class", e.weighted ? "weight" : "rows", "precision", "recall", "f1"}};
  const std::vector<ClassScores> scores = class_scores(m.confusion);
  for (std::size_t k = 0; k < scores.size(); ++k)
    lines.push_back({printable(m.classes[k], 40), weight_number(scores[k].support), measure_text(scores[k].precision),
                     measure_text(scores[k].recall), measure_text(scores[k].f1)});
  terminal.print("\n");
  terminal.print(table_text(lines));
}

void print_operating_point(const Evaluation& e, Terminal& terminal) {
  const std::string name = printable(e.measures.classes[e.binary.positive], 40);
  if (!e.best) {
    terminal.print("\nno operating point: the rows are all of one class\n");
    return;
  }
  const RocPoint& at = e.best->at;
  const std::string rule = std::isinf(at.threshold)
                               ? fmt::format("never call {}", name)
                               : fmt::format("call {} where p_{} >= {}", name, name, exact_text(at.threshold));
  terminal.print(fmt::format(
      "\noperating point for costs fp={:g}, fn={:g}, odds {:.4g}:1\n  {}\n  tpr {}  fpr {}  expected cost {} a row\n",
      e.binary.costs.false_positive, e.binary.costs.false_negative,
      e.binary.costs.odds.value_or(e.roc.negatives / e.roc.positives), rule, measure_text(e.roc.tpr(at)),
      measure_text(e.roc.fpr(at)), measure_text(e.best->cost)));
}

void print_evaluation(const Evaluation& e, Terminal& terminal) {
  const bool classes = !e.measures.classes.empty();
  const bool binary = e.measures.classes.size() == 2;
  terminal.print(fmt::format(
      "{}{}\n", terminal.bold(plural(e.measures.rows, "row")),
      binary ? fmt::format("   positive class {}", printable(e.measures.classes[e.binary.positive], 40)) : ""));
  // The measures of several targets carry the target's name, which may be longer than any measure's.
  constexpr std::size_t kUsual = 19;
  std::size_t widest = kUsual;
  const auto label = [](const Measure& m) { return printable(m.name, 60); };
  for (const Measure& m : e.measures.list) widest = std::max(widest, display_width(label(m)) + 1);
  for (const Measure& m : e.measures.list) {
    // --json has them all
    if (m.name.starts_with("micro_") || m.name.starts_with("macro_") || m.name.starts_with("weighted_")) continue;
    const auto found = std::ranges::find(e.intervals, m.name, &MeasureInterval::name);
    const std::string between = found == e.intervals.end()
                                    ? ""
                                    : fmt::format("   {} to {}{}", measure_text(found->low), measure_text(found->high),
                                                  found->how == "delong" ? " (DeLong)" : "");
    const std::string name = label(m), space(widest - display_width(name), ' ');
    terminal.print(fmt::format("  {}{}{}{}\n", name, space, measure_text(m.value), between));
  }
  if (classes) print_confusion(e.measures, terminal);
  if (classes) print_classes(e, terminal);
  if (e.binary.costs_given) print_operating_point(e, terminal);
}

// The model, made to decide by the operating point.
Status write_model(const Evaluation& e, Model model, const Arguments& given, Terminal& terminal) {
  if (is_private(model.made.learner))
    return Error{ErrorKind::PrivacyRefusal,
                 "a threshold found on rows would tell of them, and the model claims to protect its own",
                 "decide by hand: wald predict writes the probabilities"};
  if (!e.threshold) return bad_data("no operating point: the rows are all of one class", "give rows of both classes");
  model.threshold = e.threshold;
  keep_deciding(given, model);
  const std::string path = given.text("output");
  if (Status saved = save(model, path, given.has("force") ? Overwrite::Allow : Overwrite::Refuse); !saved) return saved;
  if (!terminal.json) terminal.print(fmt::format("saved {}, which decides so\n", printable(path, 200)));
  return Done{};
}

// What can be known before the rows are looked at.
Status check_evaluate(const Arguments& given) {
  if (Status ok = check_curves(given); !ok) return ok;
  for (const char* option : {"resamples", "seed"})
    if (given.has(option) && !given.has("intervals"))
      return usage(fmt::format("--{} is of --intervals", option), "add --intervals 0.95, or leave it away");
  if (!given.has("output")) return Done{};
  if (!given.has("cost") && !given.has("odds"))
    return usage("-o keeps a model that decides by an operating point, but none is asked for",
                 "give --cost fp=A,fn=B or --odds NEG:POS");
  if (given.text("output") == "-")
    return usage("a model is not for reading and cannot be printed", "give a file: -o MODEL.wald");
  return check_output(given.text("output"), given);
}

}  // namespace

Status run_evaluate(const Arguments& given, Terminal& terminal) {
  const Stopwatch total;
  if (Status ok = check_evaluate(given); !ok) return ok;
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  const Result<Model> model = load_model(given.operands[0], terminal);
  if (!model) return model.error();
  if (const Result<Binary> asked = binary_options(given, model->schema); !asked) return asked.error();
  const Result<Judged> rows = given.has("out-of-bag") ? judged_out_of_bag(given, *model, *run, terminal)
                                                      : judged_rows(given, *model, *run, terminal);
  if (!rows) return rows.error();
  const Result<Evaluation> result = evaluate(given, *model, *rows, *run);
  if (!result) return result.error();
  if (run->stopped()) return interrupted_error();
  for (const std::string& warning : result->warnings) terminal.warn(warning);
  if (Status written = write_curves(*result, given); !written) return written;
  if (terminal.json) print_json(evaluation_json(*result, *model, total.seconds()), terminal);
  else print_evaluation(*result, terminal);
  if (Status plotted = plot_curves(*result, given, terminal); !plotted) return plotted;
  if (given.has("output"))
    if (Status written = write_model(*result, *model, given, terminal); !written) return written;
  terminal.detail(fmt::format("total {}", seconds_text(total.seconds())));
  return Done{};
}

}  // namespace wald::cli
