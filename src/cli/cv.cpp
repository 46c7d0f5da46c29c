#include "cli/cv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/fit.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/text.h"

namespace wald::cli {
namespace {

// Every option given goes to the learners that have it; one that none has is refused.
Result<std::vector<Contender>> contenders(const Arguments& given) {
  std::vector<std::string> names = given.has("learner") ? given.list("learner") : std::vector<std::string>{};
  if (names.empty()) names.emplace_back(kDefaultLearner);
  std::vector<Contender> out;
  for (const std::string& name : names) {
    if (Status known = check_settings(name, {}); !known) return known.error();
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
      return usage(fmt::format("{} has no option --{}", fmt::join(names, ", "), option.name),
                   "leave it away, or name a learner that has it");
  return out;
}

// Numbers for the values of a column, in their order; missing is refused.
Result<std::vector<std::uint32_t>> ranks_of(const Column& column, std::string_view option) {
  const std::size_t rows =
      column.type() == ColumnType::Number ? column.numbers().size() : column.categories().code.size();
  std::vector<double> value(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (column.type() == ColumnType::Number) value[i] = column.numbers()[i];
    else value[i] = column.categories().code[i] < 0 ? kMissing : column.categories().code[i];
    if (std::isnan(value[i]))
      return bad_data(
          fmt::format("--{}: column '{}' is missing in row {}", option, printable(column.name), with_commas(i + 1)),
          "fill it in");
  }
  std::vector<double> distinct = value;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::uint32_t> out;
  for (const double v : value)
    out.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(distinct, v) - distinct.begin()));
  return out;
}

// The column of --folds-file, as a further one of the table, so that a row left out takes its fold along.
Status add_folds(const std::string& path, Table& table, const Run& run, Terminal& terminal, std::string& name) {
  Result<Table> file = read_data(path, {}, run, terminal);
  if (!file) return file.error();
  if (file->columns.size() != 1)
    return bad_data(fmt::format("{} has {}", printable(path, 300), plural(file->columns.size(), "column")),
                    "give one: the number of a fold for each row");
  if (file->rows != table.rows)
    return bad_data(fmt::format("{} has {}, the table {}", printable(path, 300), plural(file->rows, "row"),
                                plural(table.rows, "row")),
                    "give the number of a fold for each row of the table");
  name = "fold";
  while (table.find(name) != nullptr) name += '_';
  file->columns[0].name = name;
  table.columns.push_back(std::move(file->columns[0]));
  return Done{};
}

Status exclusive(const Arguments& given) {
  for (const auto& [one, other] : {std::pair{"folds-file", "folds"},
                                   {"folds-file", "repeats"},
                                   {"folds-file", "group"},
                                   {"folds-file", "time"},
                                   {"time", "group"},
                                   {"time", "repeats"}})
    if (given.has(one) && given.has(other))
      return usage(fmt::format("--{} and --{} exclude each other", one, other), "give one of them");
  return Done{};
}

struct Division {
  FoldOptions how;
  std::string words;
};

Result<Division> division_of(const Arguments& given, const Task& task, std::uint64_t seed) {
  Division out;
  const Result<std::uint64_t> repeats = given.whole("repeats", 1, 1, 1000);
  if (!repeats) return repeats.error();
  out.how.repeats = static_cast<int>(*repeats);
  const bool alone = given.text("folds") == "all";
  const Result<std::uint64_t> folds = alone ? Result<std::uint64_t>(task.x.rows) : given.whole("folds", 5, 2, 1u << 30);
  if (!folds) return folds.error();
  out.how.folds = static_cast<int>(*folds);
  for (const char* option : {"group", "time", "folds-file"}) {
    if (!given.has(option)) continue;
    Result<std::vector<std::uint32_t>> ranks = ranks_of(task.beside[0], option);
    if (!ranks) return ranks.error();
    (option == std::string_view("group")  ? out.how.group
     : option == std::string_view("time") ? out.how.time
                                          : out.how.given) = std::move(*ranks);
  }
  if (!out.how.given.empty()) out.how.folds = static_cast<int>(*std::ranges::max_element(out.how.given)) + 1;
  out.words = alone                    ? std::string("each row held out alone")
              : !out.how.given.empty() ? fmt::format("{} folds as given", out.how.folds)
              : !out.how.time.empty()  ? fmt::format("{} folds in the order of time", out.how.folds)
              : !out.how.group.empty() ? fmt::format("{} folds of whole groups, seed {}", out.how.folds, seed)
              : !task.query.empty()    ? fmt::format("{} folds of whole queries, seed {}", out.how.folds, seed)
              : task.classifies()      ? fmt::format("{} folds, of each class alike, seed {}", out.how.folds, seed)
                                       : fmt::format("{} folds, seed {}", out.how.folds, seed);
  if (out.how.repeats > 1) out.words += fmt::format(", {} times", out.how.repeats);
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
    Result<Validation> found = cross_validate(one.learner, task, one.settings, judged.folds, run, told);
    if (!found) return found.error();
    one.found = std::move(*found);
  }
  std::erase_if(judged.list, [](const Contender& c) { return c.found.measures.empty(); });
  return Done{};
}

Status choose_measure(const Arguments& given, const Task& task, Judged& judged) {
  judged.measure = given.text("measure", task.classifies() ? "log_loss" : "rmse");
  const std::vector<std::string> names = measure_names(task);
  if (std::ranges::find(names, judged.measure) != names.end()) return Done{};
  const std::string meant = did_you_mean(judged.measure, names);
  return usage(fmt::format("no measure is called '{}'", printable(judged.measure)),
               meant.empty() ? fmt::format("give one of {}", fmt::join(names, ", ")) : meant);
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
  std::string text = "learner,row,fold,prediction";
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
  if (!given.has("target"))
    return usage(
        "cv needs a target: the column to learn",
        fmt::format("name it with --target COLUMN; wald profile {} lists the columns", shell_word(given.operands[0])));
  if (given.text("output") == "-") return usage("-o needs a file: standard output has the measures", "give -o FILE");
  if (Status ok = exclusive(given); !ok) return ok;
  Result<std::vector<Contender>> list = contenders(given);
  if (!list) return list.error();
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  const Result<ReadOptions> read = fit_read_options(given);
  if (!read) return read.error();
  if (given.has("output"))
    if (Status free = check_output(given.text("output"), given); !free) return free;
  Result<Table> table = read_data(given.operands[0], *read, *run, terminal);
  if (!table) return table.error();

  std::string beside = given.has("group") ? given.text("group") : given.text("time");
  if (given.has("folds-file"))
    if (Status added = add_folds(given.text("folds-file"), *table, *run, terminal, beside); !added) return added;
  Roles roles = roles_of(given, *table);
  if (!beside.empty()) roles.beside = {beside};
  const Result<Task> task = make_task(std::move(*table), roles);
  if (!task) return task.error();
  const Result<Division> division = division_of(given, *task, run->seed);
  if (!division) return division.error();
  Result<std::vector<Fold>> folds = make_folds(*task, division->how, run->seed);
  if (!folds) return folds.error();
  if (!terminal.json && !task->notes.empty())
    terminal.print(fmt::format("{}  {}\n", terminal.bold(printable(task->x.source, 100)), task->notes[0]));
  for (std::size_t i = 1; i < task->notes.size(); ++i) terminal.note(task->notes[i]);

  Judged judged{.list = std::move(*list), .folds = std::move(*folds), .division = division->words};
  if (Status known = choose_measure(given, *task, judged); !known) return known;
  if (Status done = judge(*task, *run, judged, terminal); !done) return done;
  if (judged.list.empty()) return interrupted_error();
  choose_best(judged);
  judged.seconds = total.seconds();
  report_judged(judged, *task, terminal);
  if (given.has("output"))
    if (Status written = write_predictions(judged, *task, given, terminal); !written) return written;
  return run->stopped() ? Status(interrupted_error()) : Status(Done{});
}

}  // namespace wald::cli
