#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/json.h"
#include "cli/private_verbs.h"
#include "cli/reading.h"
#include "core/text.h"
#include "privacy/ledger.h"

namespace wald::cli {
namespace {

using nlohmann::ordered_json;

ordered_json entry_json(const LedgerLine& line) {
  if (line.sets_budget())
    return {{"what", "budget"}, {"time", line.time}, {"epsilon", line.budget_epsilon}, {"delta", line.budget_delta}};
  const Release& r = line.release;
  return {{"what", "release"},
          {"time", line.time},
          {"model", r.model},
          {"epsilon", r.cost.epsilon},
          {"delta", r.cost.delta},
          {"mu", r.cost.mu},
          {"pure_epsilon", r.cost.pure},
          {"more_delta", r.cost.more_delta},
          {"neighbours", r.neighbours},
          {"mechanism", r.mechanism},
          {"command", r.command},
          {"remarks", r.remarks},
          {"hash", line.hash}};
}

void print_ledger(const LedgerState& state, Terminal& terminal) {
  const Ledger& ledger = state.ledger;
  const auto line = [&](std::string_view what, std::string_view text) {
    terminal.print(fmt::format("{}{}\n", terminal.bold(left(std::string(what), 10)), text));
  };
  const bool intact = state.broken_line == 0;
  if (!ledger.lines.empty()) {
    line("data", fmt::format("{} ({})", printable(ledger.data, 100), printable(ledger.identity, 100)));
    line("budget", fmt::format("epsilon {} at delta {}", short_text(ledger.epsilon), short_text(ledger.delta)));
    const double spent = ledger.spent();
    const std::string told = std::isfinite(spent) ? "epsilon " + short_text(spent) : "more delta than the budget has";
    line("spent",
         intact ? fmt::format("{}; {} is left", told, short_text(ledger.left())) : told + " by the lines that hold");
    std::vector<std::string> named;
    for (const LedgerLine& l : ledger.lines) {
      if (l.sets_budget() || std::ranges::find(named, l.release.neighbours) != named.end()) continue;
      line(named.empty() ? "protects" : "", printable(l.release.neighbours, 200));
      named.push_back(l.release.neighbours);
    }
  }
  line("chain", intact ? fmt::format("intact, {}", plural(ledger.lines.size(), "line"))
                       : fmt::format("BROKEN at line {}: {}", state.broken_line, state.what));
  for (const LedgerLine& l : ledger.lines) {
    if (l.sets_budget())
      terminal.print(fmt::format("{}  budget   epsilon {} at delta {}\n", printable(l.time, 40),
                                 short_text(l.budget_epsilon), short_text(l.budget_delta)));
    else
      terminal.print(fmt::format("{}  release  epsilon {} at delta {}  model {}  {}\n", printable(l.time, 40),
                                 short_text(l.release.cost.epsilon), short_text(l.release.cost.delta),
                                 printable(l.release.model.substr(0, 12)), printable(l.release.command, 200)));
    for (const std::string& remark : l.release.remarks)
      terminal.print(fmt::format("{:20}  {}\n", "", printable(remark, 200)));
  }
}

void print_ledger_json(const LedgerState& state, Terminal& terminal) {
  const Ledger& ledger = state.ledger;
  const bool intact = state.broken_line == 0, begun = !ledger.lines.empty();
  const auto known = [](bool is, const ordered_json& json) { return is ? json : ordered_json(nullptr); };
  ordered_json entries = ordered_json::array();
  for (const LedgerLine& line : ledger.lines) entries.push_back(entry_json(line));
  print_json({{"data", known(begun, ledger.data)},
              {"identity", known(begun, ledger.identity)},
              {"entries", entries},
              {"spent", known(begun, {{"epsilon", ledger.spent()}, {"delta", ledger.delta}})},
              {"budget", known(begun, {{"epsilon", ledger.epsilon}, {"delta", ledger.delta}})},
              {"left", known(intact, ledger.left())},
              {"intact", intact},
              {"broken", known(!intact, {{"line", state.broken_line}, {"what", state.what}})}},
             terminal);
}

// A model must have its line here: else the ledger is not the one it was paid from, or was cut short since.
Result<bool> has_line(const Ledger& ledger, const std::string& path, Terminal& terminal) {
  const Result<Model> model = load_model(path, terminal);
  if (!model) return model.error();
  const auto entry = model->made.options.find("ledger-entry");
  if (entry == model->made.options.end())
    return bad_model(fmt::format("{} was not made by a private learner", printable(path, 200)), "");
  return std::ranges::find(ledger.lines, entry->second, &LedgerLine::hash) != ledger.lines.end();
}

Status change_budget(const Arguments& given, const std::string& path) {
  const auto epsilon = given.number("budget", 0, 0.001, 1000);
  if (!epsilon) return epsilon.error();
  const Result<bool> there = ledger_exists(path);
  if (!there) return there.error();
  if (!*there) {
    const auto delta = given.number("budget-delta", 1e-6, 0, 0.1);
    if (!delta) return delta.error();
    return create_ledger(path, std::filesystem::path(path).stem().string(), *epsilon, *delta);
  }
  const Result<Ledger> ledger = read_ledger(path);
  if (!ledger) return ledger.error();
  const auto delta = given.number("budget-delta", ledger->delta, 0, 0.1);
  if (!delta) return delta.error();
  return set_budget(path, *epsilon, *delta);
}

}  // namespace

Status run_privacy(const Arguments& given, Terminal& terminal) {
  const std::string& path = given.operands[0];
  if (given.has("budget-delta") && !given.has("budget"))
    return usage("--budget-delta without --budget", "give both: --budget 2 --budget-delta 1e-6");
  if (given.has("budget"))
    if (Status changed = change_budget(given, path); !changed) return changed;
  Result<LedgerState> state = inspect_ledger(path);
  if (!state) return state.error();
  const bool asks_for_model = given.operands.size() > 1;
  std::string cure = cure_of(*state);
  if (asks_for_model && state->broken_line == 0) {
    const Result<bool> has = has_line(state->ledger, given.operands[1], terminal);
    if (!has) return has.error();
    if (!*has) {
      state->broken_line = state->ledger.lines.size() + 1;
      state->what = fmt::format("no line for {}, which was paid from another ledger, or lines were cut off this one",
                                printable(given.operands[1], 200));
      cure = "name the ledger that it was paid from; if it is this one, restore it from a copy";
    }
  }
  if (terminal.json) print_ledger_json(*state, terminal);
  else print_ledger(*state, terminal);
  if (state->broken_line > 0)
    return bad_data(fmt::format("{}:{}: {}", printable(path, 200), state->broken_line, state->what), cure);
  if (asks_for_model && !terminal.json)
    terminal.print(fmt::format("{} has its line\n", printable(given.operands[1], 200)));
  return Done{};
}

}  // namespace wald::cli
