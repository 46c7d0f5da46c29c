#include <fmt/format.h>

#include <algorithm>
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
  return {{"what", "release"},     {"time", line.time},    {"model", r.model},           {"epsilon", r.cost.epsilon},
          {"delta", r.cost.delta}, {"mu", r.cost.mu},      {"neighbours", r.neighbours}, {"mechanism", r.mechanism},
          {"command", r.command},  {"remarks", r.remarks}, {"hash", line.hash}};
}

void print_ledger(const Ledger& ledger, Terminal& terminal) {
  const auto line = [&](std::string_view what, std::string_view text) {
    terminal.print(fmt::format("{}{}\n", terminal.bold(left(std::string(what), 10)), text));
  };
  line("data", fmt::format("{} ({})", printable(ledger.data, 100), ledger.identity));
  line("budget", fmt::format("epsilon {} at delta {}", short_text(ledger.epsilon), short_text(ledger.delta)));
  line("spent", fmt::format("epsilon {}; {} is left", short_text(ledger.spent()), short_text(ledger.left())));
  line("chain", fmt::format("intact, {}", plural(ledger.lines.size(), "line")));
  for (const LedgerLine& l : ledger.lines) {
    if (l.sets_budget())
      terminal.print(fmt::format("{}  budget   epsilon {} at delta {}\n", l.time, short_text(l.budget_epsilon),
                                 short_text(l.budget_delta)));
    else
      terminal.print(fmt::format("{}  release  epsilon {} at delta {}  model {}  {}\n", l.time,
                                 short_text(l.release.cost.epsilon), short_text(l.release.cost.delta),
                                 l.release.model.substr(0, 12), printable(l.release.command, 200)));
    for (const std::string& remark : l.release.remarks)
      terminal.print(fmt::format("{:20}  {}\n", "", printable(remark, 200)));
  }
}

// A model must have its line here: else the ledger is not the one it was paid from, or was cut short since.
Status check_model(const Ledger& ledger, const std::string& path, Terminal& terminal) {
  const Result<Model> model = load_model(path, terminal);
  if (!model) return model.error();
  const auto entry = model->made.options.find("ledger-entry");
  if (entry == model->made.options.end())
    return bad_model(fmt::format("{} was not made by a private learner", printable(path, 200)), "");
  if (std::ranges::find(ledger.lines, entry->second, &LedgerLine::hash) == ledger.lines.end())
    return bad_data(fmt::format("{} has no line for {}", printable(ledger.path, 200), printable(path, 200)),
                    "the model was paid from another ledger, or lines were cut off this one");
  if (!terminal.json) terminal.print(fmt::format("{} has its line\n", printable(path, 200)));
  return Done{};
}

Status change_budget(const Arguments& given, const std::string& path) {
  const auto epsilon = given.number("budget", 0, 0.001, 1000);
  if (!epsilon) return epsilon.error();
  if (!std::filesystem::exists(path)) {
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
  const Result<Ledger> ledger = read_ledger(path);
  if (!ledger) return ledger.error();
  if (given.operands.size() > 1)
    if (Status model = check_model(*ledger, given.operands[1], terminal); !model) return model;
  if (!terminal.json) {
    print_ledger(*ledger, terminal);
    return Done{};
  }
  ordered_json entries = ordered_json::array();
  for (const LedgerLine& line : ledger->lines) entries.push_back(entry_json(line));
  print_json({{"data", ledger->data},
              {"identity", ledger->identity},
              {"entries", entries},
              {"spent", {{"epsilon", ledger->spent()}, {"delta", ledger->delta}}},
              {"budget", {{"epsilon", ledger->epsilon}, {"delta", ledger->delta}}},
              {"left", ledger->left()},
              {"intact", true}},
             terminal);
  return Done{};
}

}  // namespace wald::cli
