#include "learn/private_audit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "core/check.h"
#include "wald/predict.h"

namespace wald {
namespace {

constexpr Row kOthers = 500;
constexpr double kNoDelta = 1e-15;  // the Gaussian curve, which pure epsilon does not use, has none for 0

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

std::vector<double> evidence_of(const PrivateTask& task, const PrivateBoost& how, bool counted, Entropy& entropy,
                                const Arrange& prepare) {
  Witness witness{.counted = counted};
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

}  // namespace

PrivateTask worst_pair(PrivateAlgorithm algorithm) {
  PrivateTask out;
  Categories x{.code = std::vector<std::int32_t>(kOthers + 1, 0), .level = {"others", "canary"}};
  x.code[kOthers] = 1;
  out.declared.columns = {{.name = "x", .type = ColumnType::Category, .level = x.level}};
  out.rows.x.columns.push_back({"x", std::move(x)});
  out.rows.x.rows = kOthers + 1;
  out.rows.target = "y";
  if (algorithm == PrivateAlgorithm::DpBoost) {
    std::vector<double> y(kOthers + 1, 0.0);
    y[kOthers] = 1;
    out.declared.columns.push_back({.name = "y", .type = ColumnType::Number, .lowest = -1, .highest = 1});
    out.rows.y = std::move(y);
    return out;
  }
  out.declared.columns.push_back({.name = "y", .type = ColumnType::Category, .level = {"no", "yes"}});
  Classes y{.code = std::vector<std::int32_t>(kOthers + 1, 0), .name = {"no", "yes"}};
  for (std::size_t row = 0; row < y.code.size(); ++row) y.code[row] = row % 10 >= 7;
  y.code[kOthers] = 1;
  out.rows.y = std::move(y);
  return out;
}

PrivateBoost worst_plan(PrivateBoost how) {
  if (how.algorithm == PrivateAlgorithm::DpBoost) how.trees = how.ensemble = how.max_depth = 1;
  else how.trees = 20, how.public_rows = 1e6;  // divides the budget as it would for a large table
  return how;
}

PairAudit audit_pair(const PrivateBoost& how, int runs, double seconds,
                     const std::function<void(Entropy::Source&)>& bend, const Arrange& prepare) {
  const PrivateTask task = worst_pair(how.algorithm);
  const bool pure = how.algorithm == PrivateAlgorithm::DpBoost;
  PairAudit out{.epsilon = how.epsilon, .mu = pure ? 0 : GaussianBudget::of(how.epsilon, how.delta)->mu()};
  Evidence without, with;
  const auto began = std::chrono::steady_clock::now();
  for (int run = 0; run < runs && (run < 8 || seconds_since(began) < seconds); ++run)
    for (const bool counted : {false, true}) {
      Entropy::Source source;
      if (bend) bend(source);
      if (source) {
        Entropy bent(std::move(source));
        (counted ? with : without).push_back(evidence_of(task, how, counted, bent, prepare));
      } else {
        Entropy entropy;
        (counted ? with : without).push_back(evidence_of(task, how, counted, entropy, prepare));
      }
    }
  const double delta = pure ? kNoDelta : how.delta;
  out.lower = lower_bound(without, with, delta, kAuditConfidence);
  const Lower surely = lower_bound(without, with, delta, kRefutingConfidence);
  out.refuted = (!pure && surely.mu > out.mu) || surely.plain_epsilon > out.epsilon;
  return out;
}

Result<OneRunAudit> audit_one_run(const PrivateTask& task, const PrivateBoost& how, std::size_t canaries,
                                  const Run& run) {
  const std::size_t most = std::min<std::size_t>(canaries, task.rows.x.rows / 2);
  if (most < 10) return bad_data("an audit by canaries needs 20 rows at the least", "give more rows");
  Entropy entropy;
  std::vector<Row> all(task.rows.x.rows);
  std::iota(all.begin(), all.end(), Row{0});
  for (std::size_t i = 0; i < most; ++i) std::swap(all[i], all[i + entropy.below(all.size() - i)]);
  std::vector<Row> train(all.begin() + static_cast<std::ptrdiff_t>(most), all.end());
  const std::vector<Row> chosen(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most));
  // The canaries stand in the place of the rows they are made of.
  PrivateTask bent{.rows = task.rows, .contributor = {}, .declared = task.declared};
  const Declared* target = task.declared.find(task.rows.target);
  for (const Row row : chosen) {
    if (task.rows.classifies()) {
      auto& classes = std::get<Classes>(bent.rows.y);
      const auto count = static_cast<std::int32_t>(classes.name.size());
      classes.code[row] = (classes.code[row] + 1) % count;
    } else {
      const double middle = 0.5 * (*target->lowest + *target->highest);
      double& y = std::get<std::vector<double>>(bent.rows.y)[row];
      y = y > middle ? *target->lowest : *target->highest;
    }
  }
  std::vector<bool> in;
  for (const Row row : chosen)
    if (in.push_back(entropy.coin()); in.back()) train.push_back(row);
  const Task canary = take_rows(bent.rows, chosen);
  const PrivateTask trained{.rows = take_rows(bent.rows, train), .contributor = {}, .declared = task.declared};
  const Result<Model> model = fit_private_boost(trained, how, run, entropy);
  if (!model) return model.error();
  const std::vector<double> score = belief(*model, canary);
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
