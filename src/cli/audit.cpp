#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/json.h"
#include "cli/private_verbs.h"
#include "cli/reading.h"
#include "core/text.h"
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

// The user's own rows, read as train reads them; nothing of them is told but how many canaries were guessed.
Result<OneRunAudit> on_own_rows(const Arguments& given, const PrivateBoost& how, Terminal& terminal) {
  if (!given.has("target") || !given.has("schema"))
    return usage("an audit on DATA needs --target and --schema, as train does", "add them");
  Result<ReadOptions> reading = read_options(given);
  if (!reading) return reading.error();
  Result<Declarations> declared = read_declarations(given.text("schema"));
  if (!declared) return declared.error();
  reading->declared = *declared;
  for (Declared& column : reading->declared.columns) column.observed = true;
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  Result<Table> table = read_table(given.operands[0], *reading, *run);
  if (!table) return table.error();
  const PrivateRoles roles{.target = given.text("target"), .contributor = {}, .ignore = given.list("ignore")};
  const Result<PrivateTask> task = make_private_task(std::move(*table), *declared, roles);
  if (!task) return task.error();
  return audit_one_run(*task, how, kCanaries, *run);
}

Result<PrivateAlgorithm> algorithm_of(const Arguments& given) {
  const std::vector<std::string> words = private_algorithm_words();
  const std::string word = given.text("algorithm", words[0]);
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) return static_cast<PrivateAlgorithm>(i);
  return usage(fmt::format("--algorithm: '{}' is not one of {}", printable(word), fmt::join(words, ", ")),
               did_you_mean(word, words));
}

}  // namespace

Status run_audit(const Arguments& given, Terminal& terminal) {
  const auto epsilon = given.number("epsilon", 2, 0.01, 10);
  if (!epsilon) return epsilon.error();
  const auto algorithm = algorithm_of(given);
  if (!algorithm) return algorithm.error();
  const bool pure = *algorithm == PrivateAlgorithm::DpBoost;
  if (pure && given.has("delta")) return usage("--delta: --algorithm dpboost claims pure epsilon", "leave it away");
  const auto delta = given.number("delta", 1e-5, 1e-12, 0.01);
  if (!delta) return delta.error();
  const auto seconds = given.number("seconds", 30, 1, 3600);
  if (!seconds) return seconds.error();
  const PrivateBoost how{.algorithm = *algorithm, .epsilon = *epsilon, .delta = *delta};
  if (Status sound = check_private(worst_pair(*algorithm), worst_plan(how)); !sound) return sound.error();
  std::optional<OneRunAudit> own;
  if (!given.operands.empty()) {
    const Result<OneRunAudit> made = on_own_rows(given, how, terminal);
    if (!made) return made.error();
    own = *made;
  }
  const Stopwatch watch;
  terminal.doing = "auditing";
  // Nothing is kept of an audit that is cut short.
  std::signal(SIGINT, [](int) { _exit(130); });
  const std::vector<Check> checks = mechanism_checks(*seconds);
  const PairAudit pair = audit_pair(worst_plan(how), kMostRuns, kForTrainings * *seconds - watch.seconds());
  bool passed = !pair.refuted && !(own && own->epsilon_lower > *epsilon);
  for (const Check& check : checks) passed = passed && check.passed;
  if (terminal.json) {
    ordered_json list = ordered_json::array();
    for (const Check& c : checks) list.push_back({{"check", c.name}, {"passed", c.passed}, {"seen", c.what}});
    ordered_json out = {{"epsilon_claimed", *epsilon},
                        {"delta", pure ? 0 : *delta},
                        {"algorithm", private_algorithm_words()[pure ? 1 : 0]},
                        {"epsilon_lower", pair.reached()},
                        {"epsilon_lower_plain", pair.lower.plain_epsilon},
                        {"passed", passed},
                        {"confidence", kAuditConfidence},
                        {"runs", 2 * pair.lower.runs},
                        {"mu_claimed", pure ? ordered_json(nullptr) : ordered_json(pair.mu)},
                        {"mu_lower", pure ? ordered_json(nullptr) : ordered_json(pair.lower.mu)},
                        {"checks", list}};
    if (own)
      out["own_rows"] = {{"canaries", own->canaries},
                         {"guesses", own->guesses},
                         {"right", own->right},
                         {"epsilon_lower", own->epsilon_lower}};
    print_json(out, terminal);
  } else {
    for (const Check& c : checks)
      terminal.print(fmt::format("{}  {}: {}\n", c.passed ? "ok    " : "FAILED", left(c.name, 18), c.what));
    terminal.print(fmt::format(
        "{}  {}: {} trainings, half of them without the canary; epsilon is at least {} of {} claimed{} (confidence {} "
        "%)\n",
        pair.refuted ? "FAILED" : "ok    ", left("worst pair", 18), with_commas(2 * pair.lower.runs),
        short_text(pair.reached()), short_text(*epsilon),
        pure ? "; half of it pays for splits, which are not attacked"
             : fmt::format(" by the Gaussian curve, {} by any", short_text(pair.lower.plain_epsilon)),
        100 * kAuditConfidence));
    if (own)
      terminal.print(fmt::format("{}  {}: {} of {} guesses right about {} canaries; epsilon is at least {}\n",
                                 own->epsilon_lower > *epsilon ? "FAILED" : "ok    ", left("your rows", 18), own->right,
                                 own->guesses, own->canaries, short_text(own->epsilon_lower)));
    terminal.print(passed ? "the claim stands: nothing here refutes it\n" : "the claim is refuted\n");
  }
  if (passed) return Done{};
  return failure("the audit refutes the claim", "do not release models of this program; please report this");
}

}  // namespace wald::cli
