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
#include "core/shell.h"
#include "core/text.h"
#include "learn/private_account.h"
#include "learn/private_cost.h"
#include "privacy/domain.h"
#include "wald/privacy.h"

namespace wald::cli {
namespace {

Status check_options(const Arguments& given) {
  if (Status allowed = check_private_options([&](std::string_view option) { return given.has(option); }); !allowed)
    return allowed;
  if (given.has("schema")) return Done{};
  return privacy_refusal(
      "a private learner may not look what the columns hold: it needs a schema",
      fmt::format("make one without looking, wald profile {0} --schema-only --schema {0}.schema.json, fill it in from "
                  "what is public, then add --schema {0}.schema.json",
                  shell_word(given.operands[0])));
}

std::string command_text(const Settings& settings, const Arguments& given, const std::string& whose) {
  std::string out = "train --learner " + given.text("learner") + " --target " + shell_word(given.text("target"));
  for (const auto& [name, value] : settings) out += fmt::format(" --{} {}", name, shell_word(value));
  if (!whose.empty()) out += " --contributor " + shell_word(whose);
  if (given.has("ignore")) out += " --ignore " + shell_word(fmt::format("{}", fmt::join(given.raw("ignore"), ",")));
  return given.has("accept-observed-bounds") ? out + " --accept-observed-bounds" : out;
}

// Refuses before a row is read.
Result<Account> account_of(const Arguments& given, const Settings& settings, const std::string& whose) {
  const std::string path = given.text("ledger", default_ledger(given.operands[0]));
  if (path.empty()) return usage("standard input has no name to find the ledger by", "name it: --ledger FILE");
  return open_account({.learner = given.text("learner"),
                       .contributor = whose,
                       .command = command_text(settings, given, whose),
                       .accepts_observed = given.has("accept-observed-bounds")},
                      settings, path);
}

Status check_bought(const PrivateTask& task) {
  const Result<Domain> domain = domain_of(task, true);
  if (!domain) return domain.error();
  if (domain->target.open || std::ranges::any_of(domain->columns, &PublicColumn::open)) return Done{};
  return usage("--buy: the schema declares all columns, so there is nothing to buy", "leave it away");
}

// By whatever name: a model in the ledger's place would hide what was released.
Status check_apart(const std::string& model, const std::string& ledger) {
  std::error_code first, second;
  const auto one = std::filesystem::weakly_canonical(model, first),
             other = std::filesystem::weakly_canonical(ledger, second);
  if (first || second || one != other) return Done{};
  return usage(fmt::format("{} is the ledger; the model cannot be written over it", printable(model, 200)),
               "give another name: -o FILE");
}

// What goes wrong after the payment does not give it back.
Error lost(Error error, const Account& account) {
  error.message += "; what the model was to tell is paid for all the same";
  error.cure = fmt::format("see to that first; a run more has to be paid for too: wald privacy {} --budget E",
                           shell_word(account.path));
  return error;
}

double tenths(double seconds) { return std::ceil(seconds * 10) / 10; }

struct Told {
  const Model& model;
  const Account& account;
  std::string path;
  std::size_t columns = 0;
  std::vector<std::string> notes;
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
                {"options", asked_options(told.model.made)},
                {"trees", told.model.forest().trees()},
                {"privacy",
                 {{"epsilon", cost.epsilon},
                  {"delta", cost.delta},
                  {"neighbours", told.account.release.neighbours},
                  {"mechanism", told.account.release.mechanism},
                  {"ledger", told.account.path},
                  {"model", told.account.release.model},
                  {"epsilon_left", remaining}}},
                {"notes", told.notes},
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
  std::error_code code;
  if (!std::filesystem::is_symlink(path, code)) return path + ".ledger";
  // Beside the rows themselves: by each of its links a table would have a budget of its own.
  const std::filesystem::path real = std::filesystem::canonical(path, code);
  return (code ? path : real.string()) + ".ledger";
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
  if (given.has("accept-observed-bounds")) *declared = accept_observed(std::move(*declared));
  if (Status writable = check_output(path, given); !writable) return writable;
  PrivateRoles roles{
      .target = given.text("target"), .contributor = given.text("contributor"), .ignore = {}, .buys = given.has("buy")};
  const Result<std::string> whose = contributor_terms(*declared, roles, settings);
  if (!whose) return whose.error();
  const Result<Account> account = account_of(given, settings, *whose);
  if (!account) return account.error();
  if (Status apart = check_apart(path, account->path); !apart) return apart;

  reading->declared = lenient(*declared, *whose);
  terminal.doing = "reading " + printable(given.operands[0], 100);
  const Stopwatch watch;
  Result<Table> table = read_table(given.operands[0], *reading, *run);
  if (!table) return table.error();
  if (run->stopped()) return interrupted_error();
  const std::size_t columns = table->columns.size();
  roles.ignore = column_list(given, "ignore", *table);
  const Result<PrivateTask> task = make_private_task(std::move(*table), *declared, roles);
  if (!task) return task.error();
  const double read_seconds = watch.seconds();
  if (Status needed = roles.buys ? check_bought(*task) : Status(Done{}); !needed) return needed;
  if (Status payable = check_payable(learner, *task, settings); !payable) return payable;
  std::vector<std::string> notes;
  const auto note = [&](const std::string& said) {
    terminal.note(said);
    notes.push_back(said);
  };
  const Result<std::string> entry = pay(*account, given.operands[0], note);
  if (!entry) return entry.error();
  terminal.doing = "training";
  Result<Model> model = fit_private(learner, *task, settings, *run);
  if (!model) return model.error();
  model->schema.missing = reading->missing;
  keep_account(*account, *entry, given.has("accept-observed-bounds"), model->made);
  for (const std::string& said : {all_noise(*model), too_wide(*model, *declared)})
    if (!said.empty()) note(said);
  if (Status saved = save(*model, path, given.has("force") ? Overwrite::Allow : Overwrite::Refuse); !saved)
    return lost(saved.error(), *account);
  report({*model, *account, path, columns, notes, read_seconds, watch.seconds() - read_seconds, total.seconds()}, given,
         terminal);
  return Done{};
}

}  // namespace wald::cli
