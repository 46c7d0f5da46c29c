#include "learn/private_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/shell.h"
#include "core/text.h"
#include "learn/private_boost.h"
#include "learn/private_check.h"
#include "learn/private_cost.h"
#include "privacy/domain.h"
#include "wald/privacy.h"

namespace wald {
namespace {

struct Forbidden {
  const char* option;
  const char* why;
  const char* cure;
};

constexpr Forbidden kUnpaid[] = {
    {"seed", "noise that can be repeated can be subtracted, so it has no seed",
     "leave --seed away; --structure-seed sets the public part"},
    {"holdout", "a measure of rows held out tells of them", "leave --holdout away; measure on rows that are no secret"},
    {"valid", "a measure on another table is told beside the model and not paid for",
     "leave --valid away; wald evaluate measures on rows that are no secret"},
    {"stop-on", "rounds chosen on rows tell of them", "leave --stop-on away; --trees says how many rounds"},
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

}  // namespace

std::string neighbours_text(const std::string& contributor, int max_rows) {
  if (contributor.empty()) return "one row added or removed";
  return fmt::format("all rows (at most {}) of one contributor in column '{}' added or removed", max_rows, contributor);
}

Status check_private_options(const std::function<bool(std::string_view)>& given) {
  for (const Forbidden& f : kUnpaid)
    if (given(f.option)) return privacy_refusal(fmt::format("--{}: {}", f.option, f.why), f.cure);
  for (const Forbidden& f : kMeaningless)
    if (given(f.option)) return usage(fmt::format("--{}: {}", f.option, f.why), f.cure);
  return Done{};
}

Result<std::string> contributor_terms(const Declarations& declared, const PrivateRoles& roles, Settings& settings) {
  Result<std::string> out = contributor_column(declared, roles);
  if (!out) return out;
  const auto given = settings.find("max-rows-per-contributor");
  if (out->empty() && given != settings.end())
    return usage("--max-rows-per-contributor without --contributor: whose rows are whose?", "name the column");
  const Declared* about = declared.contributor();
  if (about == nullptr) return out;
  if (given == settings.end() && about->max_rows == 0)
    return privacy_refusal(
        fmt::format("the schema says that column '{}' tells whose a row is, and not how many rows of a party count",
                    printable(*out)),
        fmt::format(
            "let it say so: {{\"name\": \"{}\", \"contributor\": true, \"max_rows\": K}}; the first K rows of a "
            "party count, and noise grows with K",
            printable(*out)));
  const auto how = read_options<PrivateBoost>("private-boost", settings);
  if (!how) return how.error();
  if (given != settings.end() && about->max_rows > 0 && how->max_rows != about->max_rows)
    return usage(fmt::format("--max-rows-per-contributor is {}, max_rows of column '{}' in the schema {}",
                             how->max_rows, printable(*out), about->max_rows),
                 "leave the option away, or correct one of the two");
  if (about->max_rows > 0) settings["max-rows-per-contributor"] = std::to_string(about->max_rows);
  return out;
}

Result<Account> open_account(const PrivateTerms& terms, const Settings& settings, const std::string& ledger) {
  const Result<Cost> cost = private_cost(terms.learner, settings);
  if (!cost) return cost.error();
  const auto how = read_private(terms.learner, settings);
  if (!how) return how.error();
  Account out{.path = ledger};
  out.release = {.cost = *cost,
                 .neighbours = neighbours_text(terms.contributor, how->max_rows),
                 .mechanism = cost->mu > 0 ? "discrete Gaussian" : "discrete Laplace, permute-and-flip",
                 .command = terms.command,
                 .model = random_identity()};
  if (terms.accepts_observed)
    out.release.remarks.push_back("bounds and levels were observed in the data and not paid for");
  if (!terms.remark.empty()) out.release.remarks.push_back(terms.remark);
  if (ledger.empty()) return out;
  const Result<bool> there = ledger_exists(ledger);
  if (!there) return there.error();
  if (!*there) return out;
  const Result<Ledger> found = read_ledger(ledger);
  if (!found) return found.error();
  if (Status room = check_room(*found, out.release); !room) return room.error();
  return out;
}

Result<std::string> pay(const Account& account, const std::string& data,
                        const std::function<void(const std::string&)>& made) {
  if (account.path.empty()) return std::string();
  const Cost& cost = account.release.cost;
  const Result<bool> there = ledger_exists(account.path);
  if (!there) return there.error();
  if (!*there) {
    const std::string name = std::filesystem::path(data).filename().string();
    const Status done = create_ledger(account.path, name, cost.epsilon, cost.delta);
    if (const Result<bool> now = ledger_exists(account.path); !done && !(now && *now)) return done.error();
    if (done)  // else another run was quicker
      made(fmt::format(
          "made the ledger {}: the budget of {} is epsilon {}, what this run asks for; wald privacy {} --budget E "
          "changes it",
          printable(account.path, 200), printable(name, 100), short_text(cost.epsilon), shell_word(account.path)));
  }
  return spend(account.path, account.release);
}

void keep_account(const Account& account, const std::string& entry, bool accepts_observed, Provenance& made) {
  made.options["neighbours"] = account.release.neighbours;
  made.options["model-id"] = account.release.model;
  if (!entry.empty()) made.options["ledger-entry"] = entry;
  if (accepts_observed) made.options["accept-observed-bounds"] = "yes";
}

std::map<std::string, std::string> asked_options(const Provenance& made) {
  std::map<std::string, std::string> out = made.options;
  if (is_private(made.learner))
    for (const char* kept : {"neighbours", "model-id", "ledger-entry", "remark"}) out.erase(kept);
  return out;
}

Declarations accept_observed(Declarations declared) {
  for (Declared& column : declared.columns) column.observed = false;
  return declared;
}

Declarations lenient(Declarations declared, const std::string& contributor) {
  for (Declared& column : declared.columns) column.observed = true;
  if (contributor.empty()) return declared;
  std::erase_if(declared.columns, [&](const Declared& column) { return column.name == contributor; });
  declared.columns.push_back({.name = contributor, .type = ColumnType::Category});
  return declared;
}

std::string all_noise(const Model& model) {
  if (!std::ranges::all_of(model.forest().values, [](double value) { return value == 0; })) return "";
  return "the noise hid everything: this model says the same of every row; more rows or a larger epsilon would help";
}

std::string too_wide(const Model& model, const Declarations& declared) {
  const Declared* target = declared.find(model.schema.target.name);
  const auto low = model.found.find(kCrowdLow), high = model.found.find(kCrowdHigh);
  if (target == nullptr || !target->lowest || !target->highest || high == model.found.end()) return "";
  const double range = *target->highest - *target->lowest, crowd = high->second - low->second;
  return fmt::format(
      "the noisy histogram of '{}' shows rows between {} and {} alone, of the range {} to {} that the schema declares: "
      "noise goes by the range and may be {} times what it need be, or more; declare bounds as near as is publicly "
      "known (this "
      "comes from numbers that were released and paid for, so telling it costs nothing)",
      printable(target->name), short_text(low->second), short_text(high->second), short_text(*target->lowest),
      short_text(*target->highest), short_text(std::floor(range / crowd)));
}

}  // namespace wald
