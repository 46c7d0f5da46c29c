#include "cli/private_train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "learn/private_cost.h"
#include "privacy/domain.h"
#include "privacy/ledger.h"
#include "wald/privacy.h"

namespace wald::cli {
namespace {

struct Forbidden {
  const char* option;
  const char* why;
  const char* cure;
};

// What would tell something of the rows that nobody paid for.
constexpr Forbidden kUnpaid[] = {
    {"seed", "noise that can be repeated can be subtracted, so it has no seed",
     "leave --seed away; --structure-seed sets the public part"},
    {"holdout", "a measure of rows held out tells of them", "leave --holdout away; measure on rows that are no secret"},
    {"valid", "a measure on another table is told beside the model and not paid for",
     "leave --valid away; wald evaluate measures on rows that are no secret"},
    {"weight", "with weights one row could count for more than its share", "leave --weight away"},
    {"continue", "the rounds before were not paid from this budget", "leave --continue away"},
    {"checkpoint", "a checkpoint holds scores of rows", "leave --checkpoint away"},
    {"calibrate", "it looks at what the model says of rows", "leave --calibrate away"},
    {"cost", "a threshold is found by looking at rows", "leave --cost away"},
    {"odds", "a threshold is found by looking at rows", "leave --odds away"},
    {"resume", "a checkpoint holds scores of rows", "leave --resume away"}};
constexpr Forbidden kMeaningless[] = {
    {"positive", "it says which class --cost and --odds speak of, and neither is paid for", "leave --positive away"},
    {"query", "private-boost does not rank", "leave --query away"},
    {"keep", "no column is judged by its values", "leave --keep away"},
    {"task", "the schema says whether the target has levels or bounds", "leave --task away"}};

Status check_options(const Arguments& given) {
  for (const Forbidden& f : kUnpaid)
    if (given.has(f.option)) return privacy_refusal(fmt::format("--{}: {}", f.option, f.why), f.cure);
  for (const Forbidden& f : kMeaningless)
    if (given.has(f.option)) return usage(fmt::format("--{}: {}", f.option, f.why), f.cure);
  if (!given.has("schema"))
    return privacy_refusal(
        "a private learner may not look what the columns hold: it needs a schema",
        fmt::format(
            "make one without looking, wald profile {0} --schema-only --schema {0}.schema.json, fill it in from "
            "what is public, then add --schema {0}.schema.json",
            shell_word(given.operands[0])));
  if (given.has("contributor") && given.text("contributor") == given.text("target"))
    return usage("--contributor: the column that says whose a row is cannot be the target", "name another");
  if (given.has("max-rows-per-contributor") && !given.has("contributor"))
    return usage("--max-rows-per-contributor without --contributor: whose rows are whose?", "name the column");
  return Done{};
}

Declarations accepted(Declarations declared) {
  for (Declared& column : declared.columns) column.observed = false;
  return declared;
}

// For the reader, which shall refuse no row (make_private_task moves what lies outside) and read contributors as words.
Declarations lenient(Declarations declared, const std::string& contributor) {
  for (Declared& column : declared.columns) column.observed = true;
  if (contributor.empty()) return declared;
  std::erase_if(declared.columns, [&](const Declared& column) { return column.name == contributor; });
  declared.columns.push_back({.name = contributor, .type = ColumnType::Category});
  return declared;
}

std::string neighbours_text(const Arguments& given) {
  if (!given.has("contributor")) return "one row added or removed";
  return fmt::format("all rows (at most {}) of one contributor in column '{}' added or removed",
                     given.text("max-rows-per-contributor", "1"), given.text("contributor"));
}

std::string command_text(const Settings& settings, const Arguments& given) {
  std::string out = "train --learner " + given.text("learner") + " --target " + shell_word(given.text("target"));
  for (const auto& [name, value] : settings) out += fmt::format(" --{} {}", name, shell_word(value));
  for (const char* option : {"contributor", "ignore"})
    if (given.has(option))
      out += fmt::format(" --{} {}", option, shell_word(fmt::format("{}", fmt::join(given.raw(option), ","))));
  return given.has("accept-observed-bounds") ? out + " --accept-observed-bounds" : out;
}

struct Account {
  std::string path;
  Release release;
};

// Refuses before a row is read.
Result<Account> open_account(const Arguments& given, const Settings& settings) {
  const Result<Cost> cost = private_cost(given.text("learner"), settings);
  if (!cost) return cost.error();
  Account out{.path = given.text("ledger", default_ledger(given.operands[0]))};
  if (out.path.empty()) return usage("standard input has no name to find the ledger by", "name it: --ledger FILE");
  out.release = {.cost = *cost,
                 .neighbours = neighbours_text(given),
                 .mechanism = cost->mu > 0 ? "discrete Gaussian" : "discrete Laplace, permute-and-flip",
                 .command = command_text(settings, given),
                 .model = random_identity()};
  if (given.has("accept-observed-bounds"))
    out.release.remarks.push_back("bounds and levels were observed in the data and not paid for");
  if (!std::filesystem::exists(out.path)) return out;  // made when there is something to write
  const Result<Ledger> ledger = read_ledger(out.path);
  if (!ledger) return ledger.error();
  if (Status room = check_room(*ledger, *cost); !room) return room.error();
  return out;
}

// The line is on the disk before noise is drawn. Where there is no ledger yet, the budget is what this run asks for.
Result<std::string> pay(const Account& account, const std::string& data, Terminal& terminal) {
  const Cost& cost = account.release.cost;
  if (!std::filesystem::exists(account.path)) {
    const std::string name = std::filesystem::path(data).filename().string();
    const Status made = create_ledger(account.path, name, cost.epsilon, cost.delta);
    if (!made && !std::filesystem::exists(account.path)) return made.error();  // else another run was quicker
    if (made)
      terminal.note(fmt::format(
          "made the ledger {}: the budget of {} is epsilon {}, what this run asks for; wald privacy {} --budget E "
          "changes it",
          printable(account.path, 200), printable(name, 100), short_text(cost.epsilon), shell_word(account.path)));
  }
  return spend(account.path, account.release);
}

double tenths(double seconds) { return std::ceil(seconds * 10) / 10; }

struct Told {
  const Model& model;
  const Account& account;
  std::string path;
  std::size_t columns = 0;
  double read_seconds = 0, fit_seconds = 0, total_seconds = 0;
};

// Times are told in tenths of a second, and the number of rows only where it is public.
void report(const Told& told, const Arguments& given, Terminal& terminal) {
  const Cost& cost = told.account.release.cost;
  const Result<Ledger> ledger = read_ledger(told.account.path);
  const double remaining = ledger ? ledger->left() : 0;
  if (terminal.json) {
    nlohmann::ordered_json rows = nullptr;
    if (given.has("public-rows")) rows = *read_number(given.text("public-rows"));
    print_json({{"model", told.path},
                {"learner", told.model.made.learner},
                {"rows", rows},
                {"columns", told.columns},
                {"target", told.model.schema.target.name},
                {"task", told.model.schema.classifies() ? "classes" : "numbers"},
                {"options", told.model.made.options},
                {"trees", told.model.forest().trees()},
                {"privacy",
                 {{"epsilon", cost.epsilon},
                  {"delta", cost.delta},
                  {"neighbours", told.account.release.neighbours},
                  {"mechanism", told.account.release.mechanism},
                  {"ledger", told.account.path},
                  {"model", told.account.release.model},
                  {"epsilon_left", remaining}}},
                {"seconds",
                 {{"read", tenths(told.read_seconds)},
                  {"fit", tenths(told.fit_seconds)},
                  {"total", tenths(told.total_seconds)}}}},
               terminal);
    return;
  }
  const auto line = [&](std::string_view what, std::string_view text) {
    terminal.print(fmt::format("{}{}\n", terminal.bold(left(std::string(what), 10)), text));
  };
  line("private", fmt::format("epsilon {} at delta {}: {}", short_text(cost.epsilon), short_text(cost.delta),
                              printable(told.account.release.neighbours, 200)));
  line("boost", plural(told.model.forest().trees(), "tree"));
  line("ledger", fmt::format("{}: epsilon {} is left", printable(told.account.path, 200), short_text(remaining)));
  line("saved", printable(told.path, 200));
  if (terminal.quiet) return;
  line("next", "wald show " + shell_word(told.path));
  line("", "wald privacy " + shell_word(told.account.path));
}

}  // namespace

std::string default_ledger(const std::string& data) {
  if (data == "-") return "";
  const std::string path = data.starts_with("sqlite:") ? data.substr(7, data.find('?') - 7) : data;
  return path + ".ledger";
}

Status run_private_train(const Arguments& given, const std::string& path, Terminal& terminal) {
  const Stopwatch total;
  if (Status allowed = check_options(given); !allowed) return allowed;
  const std::string learner = given.text("learner");
  Settings settings;
  for (const Option& option : learner_options())
    if (given.has(option.name)) settings[option.name] = given.text(option.name);
  if (Status known = check_settings(learner, settings); !known) return known;
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  Result<ReadOptions> reading = read_options(given);
  if (!reading) return reading.error();
  Result<Declarations> declared = read_declarations(given.text("schema"));
  if (!declared) return declared.error();
  if (given.has("accept-observed-bounds")) *declared = accepted(std::move(*declared));
  if (Status writable = check_output(path, given); !writable) return writable;
  Result<Account> account = open_account(given, settings);
  if (!account) return account.error();

  reading->declared = lenient(*declared, given.text("contributor"));
  terminal.doing = "reading " + printable(given.operands[0], 100);
  const Stopwatch watch;
  Result<Table> table = read_table(given.operands[0], *reading, *run);
  if (!table) return table.error();
  if (run->stopped()) return interrupted_error();
  const std::size_t columns = table->columns.size();
  const PrivateRoles roles{.target = given.text("target"),
                           .contributor = given.text("contributor"),
                           .ignore = column_list(given, "ignore", *table),
                           .buys = given.has("buy")};
  const Result<PrivateTask> task = make_private_task(std::move(*table), *declared, roles);
  if (!task) return task.error();
  const double read_seconds = watch.seconds();
  if (Status payable = check_payable(learner, *task, settings); !payable) return payable;
  const Result<std::string> entry = pay(*account, given.operands[0], terminal);
  if (!entry) return entry.error();
  terminal.doing = "training";
  Result<Model> model = fit_private(learner, *task, settings, *run);
  if (!model) return model.error();
  model->schema.missing = reading->missing;
  model->made.options["neighbours"] = account->release.neighbours;
  model->made.options["model-id"] = account->release.model;
  model->made.options["ledger-entry"] = *entry;
  if (given.has("accept-observed-bounds")) model->made.options["accept-observed-bounds"] = "yes";
  if (std::ranges::all_of(model->forest().values, [](double value) { return value == 0; }))
    terminal.note(
        "the noise hid everything: this model says the same of every row; more rows or a larger epsilon would help");
  if (Status saved = save(*model, path, given.has("force") ? Overwrite::Allow : Overwrite::Refuse); !saved)
    return saved;
  report({*model, *account, path, columns, read_seconds, watch.seconds() - read_seconds, total.seconds()}, given,
         terminal);
  return Done{};
}

}  // namespace wald::cli
