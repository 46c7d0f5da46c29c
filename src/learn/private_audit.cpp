#include "learn/private_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "core/check.h"
#include "core/parallel.h"
#include "wald/predict.h"

namespace wald {
namespace {

constexpr Row kOthers = 500;
constexpr std::size_t kAtOnce = 32;  // trainings of each world, by several threads
constexpr int kMostCopies = 100;     // of a canary; where more rows of a party count, it reaches less
constexpr double kNoDelta = 1e-15;   // the Gaussian curve, which pure epsilon does not use, has none for 0

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// All rows of one contributor; of the published algorithm, whose auditor follows a single row, that.
Row canary_rows(const PrivateBoost& how) {
  return how.algorithm == PrivateAlgorithm::DpBoost ? 1 : static_cast<Row>(std::min(how.max_rows, kMostCopies));
}

std::vector<double> evidence_of(const PrivateTask& task, const PrivateBoost& how, bool counted, Entropy& entropy,
                                const Arrange& prepare) {
  Witness witness{.counted = counted, .rows = canary_rows(how)};
  if (prepare) prepare(witness);
  const Result<Model> model = fit_private_boost(task, how, Run{.threads = 1}, entropy, &witness);
  WALD_CHECK(model);  // a training that did not happen is no evidence
  return witness.evidence;
}

// Scores of the class or number that the canaries claim.
std::vector<double> belief(const Model& model, const Task& canaries) {
  const Result<Predictions> raw = predict(model, canaries.x, Run{});
  std::vector<double> out;
  for (Row row = 0; row < canaries.x.rows; ++row) {
    if (!canaries.classifies()) {
      out.push_back(-std::fabs(raw->value[row] - canaries.numbers()[row]));
      continue;
    }
    const Classes& classes = canaries.classes();
    out.push_back(raw->value[row * classes.name.size() + static_cast<std::size_t>(classes.code[row])]);
  }
  return out;
}

// Rows of one contributor, in the order of the table: a canary is all of them.
std::vector<std::vector<Row>> parties(const PrivateTask& task) {
  std::vector<std::vector<Row>> out;
  std::unordered_map<std::uint32_t, std::size_t> place;
  for (Row row = 0; row < task.rows.x.rows; ++row) {
    const std::uint32_t whose = task.contributor.empty() ? row : task.contributor[row];
    const auto [at, first] = place.emplace(whose, out.size());
    if (first) out.emplace_back();
    out[at->second].push_back(row);
  }
  return out;
}

// A target at the other end.
void bend_target(PrivateTask& task, Row row) {
  if (auto* classes = std::get_if<Classes>(&task.rows.y)) {
    classes->code[row] = (classes->code[row] + 1) % static_cast<std::int32_t>(classes->name.size());
    return;
  }
  const Declared* target = task.declared.find(task.rows.target);
  double& y = std::get<std::vector<double>>(task.rows.y)[row];
  y = y > 0.5 * (*target->lowest + *target->highest) ? *target->lowest : *target->highest;
}

PrivateTask some_rows(const PrivateTask& task, const std::vector<Row>& rows) {
  PrivateTask out{.rows = take_rows(task.rows, rows), .contributor = {}, .declared = task.declared};
  for (const Row row : rows)
    if (!task.contributor.empty()) out.contributor.push_back(task.contributor[row]);
  return out;
}

}  // namespace

std::string_view pair_kind_word(PairKind kind) {
  return kind == PairKind::TwoClasses ? "two classes" : kind == PairKind::SeveralClasses ? "three classes" : "numbers";
}

std::vector<PairKind> pair_kinds(PrivateAlgorithm algorithm) {
  if (algorithm == PrivateAlgorithm::DpBoost) return {PairKind::Numbers};
  return {PairKind::TwoClasses, PairKind::Numbers, PairKind::SeveralClasses};  // the slowest last: it has what is left
}

PrivateTask worst_pair(const PrivateBoost& how, PairKind kind) {
  const Row canary = canary_rows(how), rows = kOthers + canary;
  PrivateTask out;
  Categories x{.code = std::vector<std::int32_t>(kOthers, 0), .level = {"others", "canary"}};
  x.code.resize(rows, 1);
  out.declared.columns = {{.name = "x", .type = ColumnType::Category, .level = x.level}};
  out.rows.x.columns.push_back({"x", std::move(x)});
  out.rows.x.rows = rows;
  out.rows.target = "y";
  for (Row row = 0; row < rows && canary > 1; ++row) out.contributor.push_back(std::min(row, kOthers));
  if (kind == PairKind::Numbers) {
    std::vector<double> y(kOthers, 0.0);
    y.resize(rows, 1.0);
    out.declared.columns.push_back({.name = "y", .type = ColumnType::Number, .lowest = -1, .highest = 1});
    out.rows.y = std::move(y);
    return out;
  }
  Classes y{.code = std::vector<std::int32_t>(kOthers, 0), .name = {"no", "yes"}};
  if (kind == PairKind::SeveralClasses) y.name.insert(y.name.begin(), "maybe");
  const auto last = static_cast<std::int32_t>(y.name.size()) - 1;
  for (std::size_t row = 0; row < y.code.size(); ++row) y.code[row] = row % 10 >= 7 ? last : last - 1;
  y.code.resize(rows, last);
  out.declared.columns.push_back({.name = "y", .type = ColumnType::Category, .level = y.name});
  out.rows.y = std::move(y);
  return out;
}

PrivateBoost worst_plan(PrivateBoost how, PairKind kind) {
  if (how.algorithm == PrivateAlgorithm::DpBoost) how.trees = how.ensemble = how.max_depth = 1;
  // Divides the budget as it would for a large table; where numbers start depends on how many rows there are.
  else how.trees = 20, how.public_rows = kind == PairKind::Numbers ? kOthers : 1e6;
  return how;
}

PairAudit audit_pair(const PrivateBoost& how, PairKind kind, int runs, double seconds,
                     const std::function<void(Entropy::Source&)>& bend, const Arrange& prepare) {
  const PrivateTask task = worst_pair(how, kind);
  const bool pure = how.algorithm == PrivateAlgorithm::DpBoost;
  PairAudit out{
      .kind = kind, .epsilon = how.epsilon, .mu = pure ? 0 : GaussianBudget::of(how.epsilon, how.delta)->mu()};
  Evidence without, with;
  const auto began = std::chrono::steady_clock::now();
  const auto train = [&](bool counted) {
    Entropy::Source source = system_entropy;
    if (bend) bend(source);
    Entropy entropy(std::move(source));
    return evidence_of(task, how, counted, entropy, prepare);
  };
  while (without.size() < static_cast<std::size_t>(runs) && (without.empty() || seconds_since(began) < seconds)) {
    const std::size_t first = without.size(), batch = std::min(kAtOnce, static_cast<std::size_t>(runs) - first);
    for (Evidence* world : {&without, &with}) world->resize(first + batch);
    const auto some = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) (i % 2 ? with : without)[first + i / 2] = train(i % 2 == 1);
    };
    if (bend || prepare) some(0, 2 * batch);  // what tests plant goes by the order of the trainings
    else parallel_for(2 * batch, 1, some);
  }
  const double delta = pure ? kNoDelta : how.delta;
  out.lower = lower_bound(without, with, delta, kAuditConfidence);
  const Lower surely = lower_bound(without, with, delta, kRefutingConfidence);
  out.refuted = (!pure && surely.mu > out.mu) || surely.plain_epsilon > out.epsilon;
  return out;
}

Result<OneRunAudit> audit_one_run(const PrivateTask& task, const PrivateBoost& how, std::size_t canaries,
                                  const Run& run) {
  std::vector<std::vector<Row>> all = parties(task);
  const std::size_t most = std::min<std::size_t>(canaries, all.size() / 2);
  if (most < 10)
    return bad_data(fmt::format("an audit by canaries needs 20 {} at the least",
                                task.contributor.empty() ? "rows" : "contributors"),
                    "give more rows");
  Entropy entropy;
  for (std::size_t i = 0; i < most; ++i) std::swap(all[i], all[i + entropy.below(all.size() - i)]);
  PrivateTask bent = task;  // the canaries stand in the place of the rows they are made of
  std::vector<Row> train, chosen;
  std::vector<std::size_t> first;  // of each canary's rows among those chosen
  std::vector<bool> in;
  for (std::size_t i = most; i < all.size(); ++i) train.insert(train.end(), all[i].begin(), all[i].end());
  for (std::size_t i = 0; i < most; ++i) {
    for (const Row row : all[i]) bend_target(bent, row);
    first.push_back(chosen.size());
    chosen.insert(chosen.end(), all[i].begin(), all[i].end());
    if (in.push_back(entropy.coin()); in.back()) train.insert(train.end(), all[i].begin(), all[i].end());
  }
  const Result<Model> model = fit_private_boost(some_rows(bent, train), how, run, entropy);
  if (!model) return model.error();
  const std::vector<double> each = belief(*model, take_rows(bent.rows, chosen));
  first.push_back(each.size());
  std::vector<double> score(most);
  for (std::size_t i = 0; i < most; ++i)
    for (std::size_t row = first[i]; row < first[i + 1]; ++row)
      score[i] += each[row] / static_cast<double>(first[i + 1] - first[i]);
  std::vector<std::size_t> order(most);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return score[i]; });
  OneRunAudit out{.canaries = most, .guesses = most / 5 * 2};
  for (std::size_t k = 0; k < most / 5; ++k) out.right += !in[order[k]], out.right += in[order[most - 1 - k]];
  out.epsilon_lower = one_run_epsilon(out.right, out.guesses, most,
                                      how.algorithm == PrivateAlgorithm::DpBoost ? 0 : how.delta, kAuditConfidence);
  return out;
}

}  // namespace wald
