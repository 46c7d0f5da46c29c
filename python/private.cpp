// Private learning: the same refusals, accounts and ledger lines as the program's.
#include <pybind11/stl.h>

#include "add.h"
#include "convert.h"
#include "learn/private_account.h"
#include "learn/private_cost.h"
#include "model.h"
#include "table/schema.h"
#include "wald/privacy.h"

namespace wald::python {
namespace {

using namespace py::literals;
using Names = std::vector<std::string>;

void check_names(const Names& given) {
  value_of(
      check_private_options([&](std::string_view option) { return std::ranges::find(given, option) != given.end(); }));
}

// Columns that the schema calls categories may be numbers in an array.
void turn_declared(Table& table, const Declarations& declared) {
  for (Column& column : table.columns) {
    const Declared* about = declared.find(column.name);
    if (about == nullptr || column.type() == ColumnType::Category) continue;
    if (!about->level.empty() || about->contributor || about->type == ColumnType::Category) turn_to_words(column);
  }
}

PrivateTask private_task(Table& table, const std::string& schema, const std::string& source, const py::dict& terms,
                         bool buys) {
  Declarations declared = value_of(parse_declarations(schema, source));
  if (terms["accepts_observed"].cast<bool>()) declared = accept_observed(std::move(declared));
  turn_declared(table, declared);
  const PrivateRoles roles{.target = terms["target"].cast<std::string>(),
                           .contributor = terms["contributor"].cast<std::string>(),
                           .ignore = terms["ignore"].cast<Names>(),
                           .buys = buys};
  const py::gil_scoped_release unlocked;
  return value_of(make_private_task(std::move(table), declared, roles));
}

// (the column that tells whose a row is, the settings with what the schema says of it)
py::tuple contributor(const std::string& schema, const std::string& source, const std::string& given,
                      const std::string& target, Settings settings) {
  const Declarations declared = value_of(parse_declarations(schema, source));
  const PrivateRoles roles{.target = target, .contributor = given, .ignore = {}};
  const std::string column = value_of(contributor_terms(declared, roles, settings));
  return py::make_tuple(column, settings);
}

// Of everything that was asked for but the options: tasks of one key have one answer.
std::string key_of(const PrivateTask& task) {
  std::string out = fingerprint(task.rows) + write_declarations(task.declared);
  out.append(reinterpret_cast<const char*>(task.contributor.data()), task.contributor.size() * sizeof(std::uint32_t));
  return out;
}

PrivateTerms terms_of(const py::dict& d) {
  return {.learner = d["learner"].cast<std::string>(),
          .contributor = d["contributor"].cast<std::string>(),
          .command = d["command"].cast<std::string>(),
          .accepts_observed = d["accepts_observed"].cast<bool>(),
          .remark = d["remark"].cast<std::string>()};
}

// Refused before the rows are looked at, for want of room in the ledger.
void check_account(const py::dict& terms, const Settings& settings, const std::string& ledger) {
  value_of(open_account(terms_of(terms), settings, ledger));
}

// (model, what was told and spent). data: what the ledger calls the rows, where it has to be made.
py::tuple fit_secret(const PrivateTask& task, const py::dict& how, const Settings& settings, const std::string& ledger,
                     const std::string& data, int threads, const Names& missing) {
  const PrivateTerms terms = terms_of(how);
  const Account account = value_of(open_account(terms, settings, ledger));
  Names notes;
  value_of(check_payable(terms.learner, task, settings));
  const std::string entry = value_of(pay(account, data, [&](const std::string& note) { notes.push_back(note); }));
  Model model = computed(1, threads, [&](const Run& run) { return fit_private(terms.learner, task, settings, run); });
  model.schema.missing = missing;
  keep_account(account, entry, terms.accepts_observed, model.made);
  if (!terms.remark.empty()) model.made.options["remark"] = terms.remark;
  for (const std::string& said : {all_noise(model), too_wide(model, task.declared)})
    if (!said.empty()) notes.push_back(said);
  const Cost& cost = account.release.cost;
  py::dict told("epsilon"_a = cost.epsilon, "delta"_a = cost.delta, "neighbours"_a = account.release.neighbours,
                "mechanism"_a = account.release.mechanism, "model"_a = account.release.model, "ledger"_a = py::none(),
                "epsilon_left"_a = py::none());
  if (!ledger.empty()) told["ledger"] = ledger, told["epsilon_left"] = value_of(read_ledger(ledger)).left();
  return py::make_tuple(Held(std::move(model)), told, notes);
}

py::dict ledger_told(const std::string& path) {
  const LedgerState state = value_of(inspect_ledger(path));
  const Ledger& ledger = state.ledger;
  py::list entries;
  for (const LedgerLine& line : ledger.lines) {
    if (line.sets_budget()) {
      entries.append(py::dict("time"_a = line.time, "budget_epsilon"_a = line.budget_epsilon,
                              "budget_delta"_a = line.budget_delta));
      continue;
    }
    const Release& r = line.release;
    entries.append(py::dict("time"_a = line.time, "epsilon"_a = r.cost.epsilon, "delta"_a = r.cost.delta,
                            "neighbours"_a = r.neighbours, "mechanism"_a = r.mechanism, "command"_a = r.command,
                            "model"_a = r.model, "remarks"_a = r.remarks));
  }
  return py::dict("data"_a = ledger.data, "entries"_a = entries, "spent"_a = ledger.spent(),
                  "budget"_a = ledger.epsilon, "delta"_a = ledger.delta, "left"_a = ledger.left(),
                  "intact"_a = state.broken_line == 0, "broken_line"_a = state.broken_line, "what"_a = state.what);
}

}  // namespace

void add_private(py::module_& m) {
  py::class_<PrivateTask>(m, "PrivateTask").def_property_readonly("key", [](const PrivateTask& t) {
    return py::bytes(key_of(t));
  });
  m.def("check_private", &check_names);
  m.def("check_account", &check_account);
  m.def("contributor", &contributor);
  m.def("private_task", &private_task);
  m.def("fit_private", &fit_secret);
  m.def("ledger", &ledger_told);
  m.def("set_budget",
        [](const std::string& path, double epsilon, double delta) { value_of(set_budget(path, epsilon, delta)); });
}

}  // namespace wald::python
