// From the options of cv and tune to a task and its folds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/cv.h"
#include "cli/fit.h"
#include "cli/reading.h"
#include "core/text.h"
#include "learn/boost_quantiles.h"
#include "wald/privacy.h"

namespace wald::cli {
namespace {

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

// Anything else, such as -1 for rows never held out, means something to somebody that it does not mean here.
Status check_fold_numbers(const Column& column, const std::string& path) {
  const auto refuse = [&](std::size_t row, const std::string& value) {
    return bad_data(fmt::format("{}, row {}: '{}' is not the number of a fold", printable(path, 300),
                                with_commas(row + 1), printable(value)),
                    "give whole numbers from 0 or 1 on; rows that belong together can go by --group instead");
  };
  if (column.type() == ColumnType::Category) {
    const Categories& words = column.categories();
    for (std::size_t i = 0; i < words.code.size(); ++i)
      if (words.code[i] >= 0 && !read_number(words.level[static_cast<std::size_t>(words.code[i])]))
        return refuse(i, words.level[static_cast<std::size_t>(words.code[i])]);
    return Done{};
  }
  double least = kMissing, most = kMissing;
  for (std::size_t i = 0; i < column.numbers().size(); ++i) {
    const double value = column.numbers()[i];
    if (value < 0 || value > 1e9 || value != std::floor(value))
      if (!std::isnan(value)) return refuse(i, exact_text(value));
    least = std::fmin(least, value), most = std::fmax(most, value);
  }
  if (least == most)
    return bad_data(fmt::format("{} has every row in fold {}, so that none is left to learn from", printable(path, 300),
                                exact_text(least)),
                    "give at least two folds");
  return Done{};
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
  if (Status numbers = check_fold_numbers(file->columns[0], path); !numbers) return numbers;
  name = "fold";
  while (table.find(name) != nullptr) name += '_';
  file->columns[0].name = name;
  table.columns.push_back(std::move(file->columns[0]));
  return Done{};
}

Result<std::uint64_t> repeats_of(const Arguments& given) { return given.whole("repeats", 1, 1, 1000); }
Result<std::uint64_t> folds_of(const Arguments& given) { return given.whole("folds", 5, 2, 1u << 30); }

}  // namespace

Result<double> read_time(std::string text, std::string_view option) {
  const std::string given = text;
  const double unit = text.ends_with("h") ? 3600 : text.ends_with("m") ? 60 : 1;
  if (text.ends_with("s") || text.ends_with("m") || text.ends_with("h")) text.pop_back();
  const std::optional<double> value = read_number(text);
  if (!value || !(*value > 0) || !std::isfinite(*value))
    return usage(fmt::format("--{}: '{}' is not a time", option, printable(given)),
                 "give for example 60s, 10m or 1.5h");
  return *value * unit;
}

Status check_division(const Arguments& given) {
  for (const auto& [one, other] : {std::pair{"folds-file", "folds"},
                                   {"folds-file", "repeats"},
                                   {"folds-file", "group"},
                                   {"folds-file", "time"},
                                   {"time", "group"},
                                   {"time", "repeats"}})
    if (given.has(one) && given.has(other))
      return usage(fmt::format("--{} and --{} exclude each other", one, other), "give one of them");
  if (const auto repeats = repeats_of(given); !repeats) return repeats.error();
  if (given.text("folds") == "all") return Done{};
  const auto folds = folds_of(given);
  return folds ? Status(Done{}) : usage(folds.error().message, folds.error().cure + ", or all");
}

Status check_within_folds(const Arguments& given, const Decide& decide) {
  if (decide.empty() && !given.has("tune")) return Done{};
  const bool decides = !decide.empty();
  for (const char* option : {"group", "time", "folds-file"})
    if (given.has(option))
      return usage(fmt::format("{} the rows of a fold at random, which --{} is there to prevent",
                               decides ? "--calibrate, --cost and --odds divide" : "--tune divides", option),
                   decides ? "leave one of the two away"
                           : fmt::format("leave one of the two away, or search by wald tune --{}", option));
  return Done{};
}

namespace {

Result<Division> division_of(const Arguments& given, const Task& task, std::uint64_t seed) {
  Division out;
  const Result<std::uint64_t> repeats = repeats_of(given);
  if (!repeats) return repeats.error();
  out.how.repeats = static_cast<int>(*repeats);
  const bool alone = given.text("folds") == "all";
  const Result<std::uint64_t> folds = alone ? Result<std::uint64_t>(task.x.rows) : folds_of(given);
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

}  // namespace

// Scores on the rows that a private model was made from tell of them, and nobody has paid for it.
Status refuse_private(const std::string& learner) {
  if (!is_private(learner)) return Done{};
  return Error{ErrorKind::PrivacyRefusal,
               fmt::format("scores of {} on its own rows would tell of them and are not paid for", learner),
               "train it, and measure on another table with wald evaluate"};
}

Result<Posed> pose(const Arguments& given, const Run& run, Terminal& terminal) {
  const Result<ReadOptions> read = fit_read_options(given);
  if (!read) return read.error();
  Result<Table> table = read_data(given.operands[0], *read, run, terminal);
  if (!table) return table.error();
  std::string beside = given.has("group") ? given.text("group") : given.text("time");
  if (given.has("folds-file"))
    if (Status added = add_folds(given.text("folds-file"), *table, run, terminal, beside); !added) return added.error();
  Roles roles = roles_of(given, *table, read->declared);
  if (!beside.empty()) roles.beside = {beside};
  Result<Task> task = make_task(std::move(*table), roles);
  if (!task) return task.error();
  if (Status ok = check_roles(*task); !ok) return ok.error();
  const Result<Division> division = division_of(given, *task, run.seed);
  if (!division) return division.error();
  Result<std::vector<Fold>> folds = make_folds(*task, division->how, run.seed);
  if (!folds) return folds.error();
  if (!terminal.json && !task->notes.empty())
    terminal.print(fmt::format("{}  {}\n", terminal.bold(printable(task->x.source, 100)), task->notes[0]));
  (void)terminal.flush();  // to be read while the work goes on
  for (std::size_t i = 1; i < task->notes.size(); ++i) terminal.note(task->notes[i]);
  if (given.has("time") && task->beside[0].type() == ColumnType::Category)
    if (const std::vector<std::string>& words = task->beside[0].categories().level; !words.empty())
      terminal.note(fmt::format("--time: '{}' holds words, taken in their order from '{}' to '{}'",
                                printable(task->beside[0].name), printable(words.front()), printable(words.back())));
  return Posed{std::move(*task), std::move(*folds), division->words, *read};
}

namespace {

// Several of them, of the only learner.
std::vector<double> quantiles_of(const Arguments& given) {
  if (!given.has("quantile") || (given.has("learner") && given.text("learner") != kDefaultLearner)) return {};
  const auto read = read_quantiles(given.text("quantile"));
  return read && read->size() > 1 ? *read : std::vector<double>{};
}

}  // namespace

Result<std::string> measure_of(const Arguments& given, const Task& task) {
  const std::vector<double> quantiles = quantiles_of(given);
  const bool survival = given.text("loss") == "cox";
  const bool of_quantiles = !quantiles.empty() || given.text("loss") == "quantile" || given.text("leaf") == "quantile";
  const std::string loss = given.text("loss", "auto");
  const bool boosts = given.text("learner", std::string(kDefaultLearner)) == "boost";  // alone
  const Measuring how{.ranks = boosts && (loss == "auto" || loss == "ndcg" || loss == "map"),
                      .rank_at = static_cast<std::size_t>(read_number(given.text("rank-at")).value_or(10)),
                      .survival = survival};
  const std::string usual = task.classifies()    ? "log_loss"
                            : survival           ? "concordance"
                            : of_quantiles       ? "pinball"
                            : task.query.empty() ? "rmse"
                                                 : "ndcg";
  std::string out = given.text("measure", usual);
  const std::vector<std::string> names = measure_names(task, quantiles, how);
  if (std::ranges::find(names, out) != names.end()) return out;
  const std::string meant = did_you_mean(out, names);
  return usage(fmt::format("no measure is called '{}'", printable(out)),
               meant.empty() ? fmt::format("give one of {}", fmt::join(names, ", ")) : meant);
}

}  // namespace wald::cli
