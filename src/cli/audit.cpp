#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/json.h"
#include "cli/private_verbs.h"
#include "cli/reading.h"
#include "core/parallel.h"
#include "core/text.h"
#include "learn/private_account.h"
#include "learn/private_audit.h"
#include "learn/private_check.h"
#include "privacy/domain.h"

namespace wald::cli {
namespace {

using nlohmann::ordered_json;

constexpr int kMostRuns = 20000;
// A tenth of the time and no more goes to the samplers: they make some hundred thousand draws in a second.
constexpr double kDrawsASecond = 20'000, kStartsASecond = 60'000, kMostDraws = 200'000, kMostStarts = 300'000;
constexpr double kForTrainings = 0.97;  // of the time; the rest is for judging them
constexpr std::uint64_t kCanaries = 1000;

std::vector<Check> mechanism_checks(double seconds) {
  Entropy entropy;
  const auto of = [&](double each, double most) { return static_cast<int>(std::min(each * seconds, most)); };
  std::vector<Check> out = check_samplers(entropy, of(kDrawsASecond, kMostDraws));
  out.push_back(check_freshness(
      [] {
        std::uint64_t draw = 0;
        system_entropy(std::as_writable_bytes(std::span(&draw, 1)));
        return draw;
      },
      of(kStartsASecond, kMostStarts)));
  return out;
}

// What is public of the user's own rows, and how many of them one contributor may have.
Result<Declarations> own_schema(const Arguments& given, PrivateBoost& how, std::string& whose) {
  if (!given.has("target") || !given.has("schema"))
    return usage("an audit on DATA needs --target and --schema, as train does", "add them");
  Result<Declarations> declared = read_declarations(given.text("schema"));
  if (!declared) return declared.error();
  Settings settings;
  const Result<std::string> column =
      contributor_terms(*declared, {.target = given.text("target"), .contributor = {}, .ignore = {}}, settings);
  if (!column) return column.error();
  whose = *column;
  if (const Declared* about = declared->contributor(); about != nullptr) how.max_rows = about->max_rows;
  return declared;
}

// Read as train reads them; nothing of them is told but how many canaries were guessed.
Result<OneRunAudit> on_own_rows(const Arguments& given, const PrivateBoost& how, const Declarations& declared,
                                const std::string& whose, const Run& run) {
  Result<ReadOptions> reading = read_options(given);
  if (!reading) return reading.error();
  reading->declared = lenient(declared, whose);
  Result<Table> table = read_table(given.operands[0], *reading, run);
  if (!table) return table.error();
  const PrivateRoles roles{.target = given.text("target"), .contributor = whose, .ignore = given.list("ignore")};
  const Result<PrivateTask> task = make_private_task(std::move(*table), declared, roles);
  if (!task) return task.error();
  return audit_one_run(*task, how, kCanaries, run);
}

Result<PrivateAlgorithm> algorithm_of(const Arguments& given) {
  const std::vector<std::string> words = private_algorithm_words();
  const std::string word = given.text("algorithm", words[0]);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) return static_cast<PrivateAlgorithm>(i);
  return usage(fmt::format("--algorithm: '{}' is not one of {}", printable(word), fmt::join(words, ", ")),
               did_you_mean(word, words));
}

Result<PrivateBoost> claim_of(const Arguments& given) {
  const auto epsilon = given.number("epsilon", 2, 0.01, 10);
  if (!epsilon) return epsilon.error();
  const auto algorithm = algorithm_of(given);
  if (!algorithm) return algorithm.error();
  if (*algorithm == PrivateAlgorithm::DpBoost && given.has("delta"))
    return usage("--delta: --algorithm dpboost claims pure epsilon", "leave it away");
  const auto delta = given.number("delta", 1e-5, 1e-12, 0.01);
  if (!delta) return delta.error();
  for (const char* option : {"target", "schema", "ignore"})
    if (given.operands.empty() && given.has(option))
      return usage(fmt::format("--{} is for DATA, and none is given", option), "name the table, or leave it away");
  return PrivateBoost{.algorithm = *algorithm, .epsilon = *epsilon, .delta = *delta};
}

struct Findings {
  std::vector<Check> checks;
  std::vector<PairAudit> pairs;
  std::optional<OneRunAudit> own;
  std::string whose;  // column of contributors

  bool passed(double epsilon) const {
    return std::ranges::all_of(checks, &Check::passed) && std::ranges::none_of(pairs, &PairAudit::refuted) &&
           !(own && own->epsilon_lower > epsilon);
  }
  // What every kind of target was attacked to at the least.
  double reached() const { return std::ranges::min_element(pairs, {}, &PairAudit::reached)->reached(); }
};

// Nothing is kept of an audit that is cut short.
void attack(const PrivateBoost& how, double seconds, Findings& out) {
  std::signal(SIGINT, [](int) { _exit(130); });
  const Stopwatch watch;
  out.checks = mechanism_checks(seconds);
  const std::vector<PairKind> kinds = pair_kinds(how.algorithm);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const double left = (kForTrainings * seconds - watch.seconds()) / static_cast<double>(kinds.size() - k);
    out.pairs.push_back(audit_pair(worst_plan(how, kinds[k]), kinds[k], kMostRuns, left));
  }
}

void print_as_json(const PrivateBoost& how, const Findings& found, Terminal& terminal) {
  const bool pure = how.algorithm == PrivateAlgorithm::DpBoost;
  ordered_json list = ordered_json::array(), pairs = ordered_json::array();
  for (const Check& c : found.checks) list.push_back({{"check", c.name}, {"passed", c.passed}, {"seen", c.what}});
  for (const PairAudit& pair : found.pairs)
    pairs.push_back({{"target", pair_kind_word(pair.kind)},
                     {"passed", !pair.refuted},
                     {"epsilon_lower", pair.reached()},
                     {"epsilon_lower_plain", pair.lower.plain_epsilon},
                     {"runs", 2 * pair.lower.runs},
                     {"mu_lower", pure ? ordered_json(nullptr) : ordered_json(pair.lower.mu)}});
  ordered_json out = {{"epsilon_claimed", how.epsilon},
                      {"delta", pure ? 0 : how.delta},
                      {"algorithm", private_algorithm_words()[pure ? 1 : 0]},
                      {"neighbours", neighbours_text(found.whose, how.max_rows)},
                      {"epsilon_lower", found.reached()},
                      {"passed", found.passed(how.epsilon)},
                      {"confidence", kAuditConfidence},
                      {"mu_claimed", pure ? ordered_json(nullptr) : ordered_json(found.pairs[0].mu)},
                      {"pairs", pairs},
                      {"checks", list}};
  if (found.own)
    out["own_rows"] = {{"canaries", found.own->canaries},
                       {"guesses", found.own->guesses},
                       {"right", found.own->right},
                       {"epsilon_lower", found.own->epsilon_lower}};
  print_json(out, terminal);
}

void print_as_text(const PrivateBoost& how, const Findings& found, Terminal& terminal) {
  const auto line = [&](bool passed, std::string_view what, const std::string& seen) {
    terminal.print(fmt::format("{}  {}: {}\n", passed ? "ok    " : "FAILED", left(std::string(what), 18), seen));
  };
  for (const Check& c : found.checks) line(c.passed, c.name, c.what);
  for (const PairAudit& pair : found.pairs)
    line(!pair.refuted, pair_kind_word(pair.kind),
         fmt::format("{} trainings, half of them without the canary; epsilon is at least {} of {} claimed{} "
                     "(confidence {} %)",
                     with_commas(2 * pair.lower.runs), short_text(pair.reached()), short_text(how.epsilon),
                     how.algorithm == PrivateAlgorithm::DpBoost
                         ? "; half of it pays for splits, which are not attacked"
                         : fmt::format(" by the Gaussian curve, {} by any", short_text(pair.lower.plain_epsilon)),
                     100 * kAuditConfidence));
  if (const auto& own = found.own)
    line(own->epsilon_lower <= how.epsilon, "your rows",
         fmt::format("{} of {} guesses right about {} canaries{}; epsilon is at least {}", own->right, own->guesses,
                     own->canaries, found.whose.empty() ? "" : ", each a contributor with all rows",
                     short_text(own->epsilon_lower)));
  terminal.print(found.passed(how.epsilon) ? "the claim stands: nothing here refutes it\n" : "the claim is refuted\n");
}

}  // namespace

Status run_audit(const Arguments& given, Terminal& terminal) {
  Result<PrivateBoost> how = claim_of(given);
  if (!how) return how.error();
  const auto seconds = given.number("seconds", 50, 1, 3600);
  if (!seconds) return seconds.error();
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  Findings found;
  std::optional<Declarations> declared;
  if (!given.operands.empty()) {
    Result<Declarations> read = own_schema(given, *how, found.whose);
    if (!read) return read.error();
    declared = std::move(*read);
  }
  for (const PairKind kind : pair_kinds(how->algorithm)) {
    const PrivateBoost plan = worst_plan(*how, kind);
    if (Status sound = check_private(worst_pair(plan, kind), plan); !sound) return sound.error();
  }
  if (declared) {
    const Result<OneRunAudit> made = on_own_rows(given, *how, *declared, found.whose, *run);
    if (!made) return made.error();
    found.own = *made;
  }
  terminal.doing = "auditing";
  with_threads(run->threads, [&] { attack(*how, *seconds, found); });
  if (terminal.json) print_as_json(*how, found, terminal);
  else print_as_text(*how, found, terminal);
  if (found.passed(how->epsilon)) return Done{};
  return failure("the audit refutes the claim", "do not release models of this program; please report this");
}

}  // namespace wald::cli
