#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/fit.h"
#include "cli/output.h"
#include "cli/private_train.h"
#include "cli/reading.h"
#include "cli/training.h"
#include "cli/verbs.h"
#include "core/shell.h"
#include "core/text.h"
#include "wald/privacy.h"

namespace wald::cli {
namespace {

Result<std::string> output_of(const Arguments& given) {
  if (given.has("output") && given.text("output").empty()) return usage("-o names no file", "name it: -o MODEL.wald");
  std::string path = given.text("output", default_output(given.operands[0]));
  if (path.empty()) return usage("standard input has no name to call the model after", "name it: -o MODEL.wald");
  if (path == "-") return usage("a model is not for reading and cannot be printed", "give a file: -o MODEL.wald");
  return path;
}

// Columns of a schema that the table does not have: a name mistyped, or a schema of another table.
std::vector<std::string> lacking(const Declarations& schema, const Table& table) {
  std::vector<std::string> out;
  for (const Declared& declared : schema.columns)
    if (!declared.left_out() && table.find(declared.name) == nullptr)
      out.push_back(fmt::format("the schema declares '{}', a column that {} lacks", printable(declared.name),
                                printable(table.source, 300)));
  return out;
}

// How the table had to be read, for a command that reads it again.
std::string reading_words(const Arguments& given) {
  std::string out;
  for (const char* option : {"delimiter", "decimal"})
    if (given.has(option)) out += fmt::format(" --{} {}", option, shell_word(given.text(option)));
  for (const char* option : {"header", "no-header"})
    if (given.has(option)) out += fmt::format(" --{}", option);
  return out;
}

// A learner that wants no target.
bool finds_groups(const Arguments& given) {
  const std::string learner = given.text("learner", std::string(kDefaultLearner));
  return std::ranges::any_of(learners(),
                             [&](const LearnerInfo& info) { return info.name == learner && !info.needs_target; });
}

// Models that the learner goes on from, and where it leaves what is needed to resume.
struct Loaded {
  std::optional<Model> from, checkpoint;
};

// "log_loss 0.312, best 0.309 after 57"
std::string so_far(const LearningCurve& curve) {
  if (curve.held.empty() || curve.best == 0)
    return curve.train.empty() ? "" : fmt::format("{} {:.5g}", curve.measure, curve.train.back());
  return fmt::format("{} {:.5g}, best {:.5g} after {}", curve.measure, curve.held.back(), curve.held[curve.best - 1],
                     curve.best);
}

// What a person wants to know of a file that was to be resumed from.
Error no_checkpoint(Error error) {
  constexpr std::string_view kModel = "damaged model";
  if (error.kind != ErrorKind::BadModel) return error;
  if (const auto at = error.message.find(kModel); at != std::string::npos)
    error.message.replace(at, kModel.size(), "damaged checkpoint");
  error.cure = "start anew: leave --resume away and give --force to replace it";
  return error;
}

Status go_on_from(const Arguments& given, Rounds& rounds, Loaded& loaded, Terminal& terminal) {
  const std::string path = given.text("checkpoint");
  if (given.has("resume") && path.empty())
    return usage("--resume needs to know the checkpoint", "name it: --checkpoint FILE --resume");
  if (given.has("continue")) {
    for (const char* option : {"calibrate", "cost", "odds"})
      if (given.has(option))
        return usage(
            fmt::format("--{} is learned from models of the same rounds, which --continue does not make", option),
            "train all rounds at once, or leave one of the two away");
    Result<Model> model = load_model(given.text("continue"), terminal);
    if (!model) return model.error();
    rounds.from = &loaded.from.emplace(std::move(*model));
  }
  rounds.told = [&terminal](const LearningCurve& curve) { terminal.beside = so_far(curve); };
  if (path.empty()) return Done{};
  if (given.has("resume") && std::filesystem::exists(path)) {
    Result<Model> model = load_model(path, terminal);
    if (!model) return no_checkpoint(model.error());
    rounds.resume = &loaded.checkpoint.emplace(std::move(*model));
  } else if (!given.has("force") && std::filesystem::exists(path)) {
    return usage(fmt::format("{} exists already", printable(path, 200)),
                 "add --resume to take up the run that left it, or give another name, or --force to replace it");
  } else if (Status free = check_output(path, given); !free) {
    return free;
  } else if (given.has("resume")) {
    terminal.note(fmt::format("there is no checkpoint {} to resume from: the run begins anew", printable(path, 200)));
  }
  rounds.checkpoint = [path, &terminal](const Model& model) {
    if (Status saved = save(model, path, Overwrite::Allow); !saved) terminal.warn(saved.error().message);
  };
  return Done{};
}

void remove_checkpoint(const Arguments& given) {
  std::error_code gone;
  if (given.has("checkpoint")) std::filesystem::remove(given.text("checkpoint"), gone);
}

Error kept(const Fitted& fitted, const Decide& decide, const std::string& path, const std::string& checkpoint) {
  const bool lacks =
      (decide.calibrate != Calibration::Kind::None && fitted.model.calibration.kind == Calibration::Kind::None) ||
      (decide.costs && !fitted.model.threshold);
  return {ErrorKind::Interrupted,
          fmt::format("interrupted: the best so far, {}, is in {}{}", plural(fitted.model.forest().trees(), "tree"),
                      printable(path, 200), lacks ? "; it has not learned to decide as asked" : ""),
          !checkpoint.empty() && std::filesystem::exists(checkpoint)
              ? "to go on, give the same command with --resume and --force"
              : ""};
}

}  // namespace

Status run_train(const Arguments& given, Terminal& terminal) {
  const Stopwatch total;
  const std::string& data = given.operands[0];
  const bool grouping = finds_groups(given);
  if (!given.has("target") && !grouping) return no_target("train", given);
  if (grouping)
    for (const char* option : {"target", "task", "holdout", "valid", "stop-on", "drop-missing-target", "calibrate",
                               "cost", "odds", "positive", "query"})
      if (given.has(option))
        return usage(fmt::format("learner {} has no target, so --{} has no meaning", given.text("learner"), option),
                     "leave it away; --ignore keeps a column out");
  const Result<std::string> path = output_of(given);
  if (is_private(given.text("learner"))) return path ? run_private_train(given, *path, terminal) : path.error();
  for (const char* option : {"ledger", "contributor", "accept-observed-bounds"})
    if (given.has(option))
      return usage(fmt::format("--{} protects nothing here: learner {} is not private", option,
                               given.has("learner") ? printable(given.text("learner")) : "boost"),
                   "add --learner private-boost, or leave it away");
  Result<FitRequest> request = fit_request(given, terminal);
  if (!request) return request.error();
  if (!path) return path.error();
  if (const Declared* whose = request->read.declared.contributor(); whose != nullptr)
    terminal.note(fmt::format("'{}' says whose a row is, but learner {} protects nobody; --learner private-boost does",
                              printable(whose->name), request->learner));
  Loaded loaded;
  if (Status known = go_on_from(given, request->rounds, loaded, terminal); !known) return known;
  const Declarations declared = request->read.declared;
  if (loaded.from) read_going_on(*loaded.from, request->read);
  request->may_write = [&] { return check_output(*path, given); };

  const Stopwatch reading;
  Result<Table> table = read_data(data, request->read, request->run, terminal);
  if (!table) return table.error();
  const double read_seconds = reading.seconds();
  const std::vector<std::string> warnings = lacking(declared, *table);
  for (const std::string& warning : warnings) terminal.warn(warning);
  Roles roles = roles_of(given, *table, declared);
  roles.no_target = grouping;
  Result<Fitted> fitted = fit_table(std::move(*table), roles, *request, terminal);
  if (!fitted) return fitted.error();
  fitted->read_seconds = read_seconds;
  fitted->warnings.insert(fitted->warnings.begin(), warnings.begin(), warnings.end());

  keep_roles(given, request->read, fitted->model);
  terminal.doing = "saving";
  const Overwrite overwrite = given.has("force") ? Overwrite::Allow : Overwrite::Refuse;
  if (Status saved = save(fitted->model, *path, overwrite); !saved) return saved;
  if (fitted->interrupted) return kept(*fitted, request->decide, *path, given.text("checkpoint"));
  remove_checkpoint(given);
  Written written{.source = data, .path = *path};
  written.next = {(fitted->model.forest().trees() == 1 ? "wald tree " : "wald show ") + shell_word(*path)};
  if (data != "-")
    written.next.push_back(fmt::format("wald predict {} {}", shell_word(*path), shell_word(data)) +
                           reading_words(given));
  if (!fitted->measures && !grouping)
    written.next.push_back("add --holdout 0.2 to measure on rows the model has not seen");
  written.total_seconds = total.seconds();
  report_fit(*fitted, written, terminal);
  return Done{};
}

}  // namespace wald::cli
