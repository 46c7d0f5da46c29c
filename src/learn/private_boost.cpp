#include "learn/private_boost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/elementary.h"
#include "learn/assemble.h"
#include "learn/private_boost_choice.h"
#include "learn/private_boost_leaves.h"
#include "learn/private_boost_plan.h"
#include "learn/private_boost_slopes.h"
#include "learn/private_boost_start.h"
#include "learn/private_buy.h"
#include "learn/private_check.h"
#include "learn/private_dpboost.h"
#include "privacy/budget.h"
#include "tree/assembler.h"

namespace wald {
namespace {

// What the histogram of the target tells: how many rows, where to begin, where to cut residuals off.
struct Beginning {
  double rows = 1;
  std::vector<double> score{};  // per output
  NumberStart numbers{};
  std::optional<Crowd> crowd{};
};

constexpr double kDecisive = 1000;  // evidence
constexpr double kUnspent = 1e-12;  // of the budget, for the rounding of shares

class PrivateBooster {
 public:
  PrivateBooster(const PrivateTask& task, const Domain& domain, const PrivateBoost& how, GaussianBudget budget,
                 Entropy& entropy, Witness* witness)
      : task_(task.rows),
        domain_(domain),
        how_(how),
        budget_(std::move(budget)),
        entropy_(entropy),
        witness_(witness),
        rows_(bounded_rows(task, static_cast<std::uint64_t>(how.max_rows))),
        x_(private_rows(task.rows, domain, rows_)),
        classes_(task.rows.classifies() ? static_cast<int>(domain.target.level.size()) : 0),
        plain_{0, rows_.size() - (witness != nullptr ? witness->rows : 0)},
        canary_{plain_.end, rows_.size()} {}

  Result<Forest> fit(const Run& run);
  const std::optional<Crowd>& crowd() const { return begin_.crowd; }  // of the target

 private:
  // Contributions in units of 2^bits, `length` of them at most a row.
  struct Released {
    std::vector<double> value;  // in ones
    double deviation = 0;
  };
  using Sums = std::vector<std::int64_t>;
  Noisy release(Sums exact, Sums canary, std::uint64_t reach, double share, std::size_t outputs);
  Released release_counts(Sums counts, Sums canary, double length, double share);
  Sums target_counts(Rows) const;
  const Released& combined(const Released& now);
  void begin(double share);
  double mean_left(SecretRows&, const Step& last, const MeanQuery&);
  Masses masses(double share);
  SecretRows secret_rows(std::int64_t unit) const;
  int parts_of(const std::vector<std::size_t>& asked, const Plan& plan) const {
    if (asked.size() > 1) return plan.each_parts;
    return x_.columns[asked[0]].type == ColumnType::Category ? plan.levels : plan.parts;
  }

  const Task& task_;
  const Domain& domain_;
  const PrivateBoost& how_;
  GaussianBudget budget_;
  Entropy& entropy_;
  Witness* witness_;
  std::vector<Row> rows_;
  PrivateRows x_;
  int classes_;
  Rows plain_, canary_;  // all rows but the canary of an audit, if there is one; and that
  Released target_;      // its histogram
  Beginning begin_;
};

// The one way out of the rows. An auditor weighs what comes out: a sum y of others q and a canary v with Gaussian noise
// of deviation d speaks for the canary by ((y - q) v - v^2 / 2) / d^2.
Noisy PrivateBooster::release(Sums exact, Sums canary, std::uint64_t reach, double share, std::size_t outputs) {
  if (witness_ == nullptr) return budget_.release(entropy_, std::move(exact), reach, share);
  const int number = witness_->releases++;
  witness_->reach = reach;
  if (witness_->before) witness_->before(number, exact, canary);
  Sums told = exact;
  for (std::size_t i = 0; i < told.size() && witness_->counted; ++i) told[i] += canary[i];
  Noisy noisy = budget_.release(entropy_, told, reach, share);
  if (witness_->after) witness_->after(number, told, noisy);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const auto off = static_cast<double>(noisy.value[i] - exact[i]), v = static_cast<double>(canary[i]);
    double& evidence = witness_->evidence[outputs == 0 ? 0 : 1 + i / outputs % 2];
    evidence += (off * v - v * v / 2) / (noisy.deviation * noisy.deviation);
    if (v != 0 && (off == 0 || off == v)) evidence += off == v ? kDecisive : -kDecisive;
  }
  return noisy;
}

PrivateBooster::Released PrivateBooster::release_counts(Sums counts, Sums canary, double length, double share) {
  const double most = length * how_.max_rows;
  const int bits = budget_.unit_bits(share, static_cast<std::uint64_t>(std::ceil(most)));
  for (Sums* sums : {&counts, &canary})
    for (std::int64_t& count : *sums) count <<= bits;
  const auto reach = static_cast<std::uint64_t>(std::ceil(std::ldexp(most, bits)));
  const Noisy noisy = release(std::move(counts), std::move(canary), reach, share, 0);
  Released out{.deviation = std::ldexp(noisy.deviation, -bits)};
  for (const std::int64_t value : noisy.value) out.value.push_back(std::ldexp(static_cast<double>(value), -bits));
  return out;
}

PrivateBooster::Sums PrivateBooster::target_counts(Rows rows) const {
  Sums out(static_cast<std::size_t>(classes_ > 0 ? classes_ : kTargetCells));
  const double low = domain_.target.low, range = domain_.target.high - low;
  for (std::size_t i = rows.begin; i < rows.end; ++i) {
    if (classes_ > 0) ++out[static_cast<std::size_t>(task_.classes().code[rows_[i]])];
    else {
      const double at = (std::clamp(task_.numbers()[rows_[i]], low, low + range) - low) / range * kTargetCells;
      ++out[std::min(static_cast<std::size_t>(at), out.size() - 1)];
    }
  }
  return out;
}

// With what was released of the target before, each weighted by its precision.
const PrivateBooster::Released& PrivateBooster::combined(const Released& now) {
  if (target_.value.empty()) return target_ = now;
  const double old_weight = 1 / (target_.deviation * target_.deviation), weight = 1 / (now.deviation * now.deviation);
  for (std::size_t i = 0; i < now.value.size(); ++i)
    target_.value[i] = (old_weight * target_.value[i] + weight * now.value[i]) / (old_weight + weight);
  target_.deviation = 1 / std::sqrt(old_weight + weight);
  return target_;
}

void PrivateBooster::begin(double share) {
  const Released& cells = combined(release_counts(target_counts(plain_), target_counts(canary_), 1, share));
  const double all = std::accumulate(cells.value.begin(), cells.value.end(), 0.0);
  begin_.score.clear();
  begin_.rows = how_.public_rows > 0 ? how_.public_rows : std::max(all, 10.0);
  if (classes_ == 0) {
    const NoisyCells noisy{cells.value, cells.deviation, begin_.rows, domain_.target.low,
                           (domain_.target.high - domain_.target.low) / kTargetCells};
    begin_.numbers = start_of(noisy);
    begin_.crowd = crowd_of(noisy);
    begin_.score = {begin_.numbers.mean};
    return;
  }
  const double least = std::max(cells.deviation, 1.0);  // a class is never thought rarer than noise can hide
  double sum = 0;
  for (const double value : cells.value) sum += std::max(value, least);
  for (const double value : cells.value) begin_.score.push_back(log_exact(std::max(value, least) / sum));
  if (classes_ == 2) begin_.score = {begin_.score[1] - begin_.score[0]};
}

// Noisy histograms of all columns at once. What noise may have made is left to the even masses.
Masses PrivateBooster::masses(double share) {
  Masses out = even_masses(x_);
  if (share <= 0) return out;
  const Released cells = release_counts(code_counts(x_, plain_), code_counts(x_, canary_),
                                        std::sqrt(static_cast<double>(x_.columns.size())), share);
  std::size_t at = 0;
  for (std::vector<double>& column : out) {
    double even = 0, sure = 0;
    for (const double mass : column) even += mass;
    std::vector<double> counts(column.size());
    for (std::size_t k = 0; k < column.size(); ++k) {
      const double value = cells.value[at + k];
      counts[k] = k > 0 && value > 2 * cells.deviation ? value : 0;
      sure += counts[k];
    }
    at += column.size();
    const double rest = std::max(begin_.rows - sure, 0.05 * begin_.rows);
    for (std::size_t k = 0; k < column.size(); ++k) column[k] = counts[k] + rest * column[k] / even;
  }
  return out;
}

SecretRows PrivateBooster::secret_rows(std::int64_t unit) const {
  if (classes_ == 0) {
    std::vector<double> y;
    for (const Row row : rows_) y.push_back(std::clamp(task_.numbers()[row], domain_.target.low, domain_.target.high));
    return SquaredRows(y, unit, begin_.score[0], begin_.numbers.clip);
  }
  if (classes_ == 2) {
    std::vector<std::uint8_t> label;
    for (const Row row : rows_) label.push_back(task_.classes().code[row] == 1);
    return LogisticRows(std::move(label), unit, begin_.score[0]);
  }
  std::vector<std::uint16_t> label;
  for (const Row row : rows_) label.push_back(static_cast<std::uint16_t>(task_.classes().code[row]));
  return SoftmaxRows(std::move(label), classes_, unit, begin_.score);
}

// The sum of all residuals, cut off where hardly any reach: what the trees, which cut off more, left of the mean.
// Without it a target of a long tail would be told too low, and worse than by its mean.
double PrivateBooster::mean_left(SecretRows& secret, const Step& last, const MeanQuery& query) {
  const auto rows = static_cast<std::uint64_t>(how_.max_rows);
  const int bits = budget_.unit_bits(query.share, rows);
  auto& numbers = std::get<SquaredRows>(secret);
  numbers.widen(query.doublings, std::int64_t{1} << bits);
  const Grid all;
  const Noisy noisy = release(pass_over(secret, x_, plain_, last, &all), pass_over(secret, x_, canary_, last, &all),
                              rows << bits, query.share, 1);
  // In cuts, which is also about how far off a mean may be before it is asked: the noise is weighed against that.
  const double unit = 1 / (numbers.scale().g * begin_.rows), noise = noisy.deviation * unit;
  const double off = static_cast<double>(noisy.value[0]) * unit / (1 + noise * noise);
  return -std::clamp(off, -1.0, 1.0) * std::ldexp(begin_.numbers.clip, query.doublings);
}

// The noisy sums of a tree as leaf values: a Newton step each, shrunk by what is known of the noise.
class Steps {
 public:
  Steps(const SlopeScale& scale, const Plan& plan, double largest_step)
      : scale_(scale),
        plan_(plan),
        outputs_(static_cast<std::size_t>(scale.outputs)),
        prior_(2 * outputs_, LeafPrior(largest_step, plan.doubt)) {}

  // In units of scores, `outputs` a leaf.
  std::vector<std::int32_t> of(const Grid& grid, const std::vector<Branch>& branches, const Noisy& noisy) {
    const auto leaves = static_cast<std::size_t>(grid.leaves);
    std::vector<std::int32_t> out(leaves * outputs_);
    const double longest = 0x1p30 / plan_.trees;  // so that no score overflows
    energy_ = 0;
    for (std::size_t k = 0; k < outputs_; ++k) {
      LeafSums sums{
          .noise_g = noisy.deviation / scale_.g, .noise_h = noisy.deviation / scale_.h, .scatter = scale_.scatter};
      for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
        sums.g.push_back(static_cast<double>(noisy.value[2 * leaf * outputs_ + k]) / scale_.g);
        sums.h.push_back(static_cast<double>(noisy.value[(2 * leaf + 1) * outputs_ + k]) / scale_.h);
      }
      const std::vector<double> value = prior_[2 * k + (grid.axes.size() > 1)].values(branches, sums);
      for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
        energy_ += std::max(sums.h[leaf], 0.0) * value[leaf] * value[leaf];
        out[leaf * outputs_ + k] = static_cast<std::int32_t>(
            std::clamp(std::nearbyint(plan_.rate * value[leaf] / scale_.score), -longest, longest));
      }
    }
    return out;
  }
  double energy() const { return energy_; }  // of the last tree

 private:
  SlopeScale scale_;
  const Plan& plan_;
  std::size_t outputs_;
  std::vector<LeafPrior> prior_;  // of each output: for trees of one column, and of several
  double energy_ = 0;
};

// How far each code of the column of a tree of one was moved.
void learn_effects(const Grid& grid, const std::vector<std::int32_t>& by, Effects& effects) {
  if (grid.axes.size() != 1) return;
  const Axis& axis = grid.axes[0];
  std::vector<double>& effect = effects[axis.column];
  for (std::size_t code = 0; code < effect.size(); ++code) effect[code] += by[axis.part[code]];
}

Result<Forest> PrivateBooster::fit(const Run& run) {
  const Shares shares = shares_of(how_, classes_ > 0);
  const double for_columns = shares.columns * budget_.left();  // what was bought before is gone
  begin(shares.start * budget_.left());
  const double mu = budget_.mu() / how_.max_rows;
  if (const double more = restart_share(mu, begin_.rows, classes_ > 0); more > 0)
    begin(more * (budget_.left() - for_columns));
  Known known{.masses = masses(for_columns), .effects = {}};
  for (const PrivateColumn& column : x_.columns)
    known.effects.emplace_back(static_cast<std::size_t>(column.codes), 0.0);
  const Plan plan = plan_of(how_, mu, begin_.rows, x_.columns.size(), classes_ > 0);
  MeanQuery mean;
  if (classes_ == 0) mean = mean_query(begin_.numbers, 1 / (begin_.rows * mu), budget_.left());
  const double share = (budget_.left() - mean.share - kUnspent) / plan.trees;
  const int bits = budget_.unit_bits(share, static_cast<std::uint64_t>(how_.max_rows));
  const auto reach = static_cast<std::uint64_t>(how_.max_rows) << bits;
  SecretRows secret = secret_rows(std::int64_t{1} << bits);
  const SlopeScale scale = std::visit([](const auto& loss) { return loss.scale(); }, secret);
  const double size =
      scale.score * (classes_ == 0 ? begin_.numbers.clip : 1);  // of a unit of scores, in the target's own terms
  std::vector<double> base = begin_.score;
  for (double& b : base)
    if (classes_ > 0) b = std::nearbyint(b / size) * size;  // as the rows have it; numbers are told from there on
  std::vector<Tree> trees;
  ColumnChoice choice(x_.columns.size(), plan, how_.structure_seed);
  Steps steps(scale, plan, classes_ == 0 ? 1.0 : 4.0);
  Grid grid, before;
  Step step;
  for (int t = 0; t < plan.trees; ++t) {
    if (run.stopped()) return Error{ErrorKind::Interrupted, "interrupted while training; what was spent is spent", ""};
    const Random random(how_.structure_seed, kStructure, static_cast<std::uint32_t>(3 + 2 * t));
    const std::vector<std::size_t> asked = choice.next(t);
    grid = draw_grid(x_, known, asked, parts_of(asked, plan), random);
    const std::vector<Branch> branches = branches_of(grid);
    const Noisy noisy = release(pass_over(secret, x_, plain_, step, &grid), pass_over(secret, x_, canary_, step, &grid),
                                reach, share, static_cast<std::size_t>(scale.outputs));
    before = grid;
    step = {&before, steps.of(grid, branches, noisy)};
    std::vector<double> values;
    for (const std::int32_t by : step.by) values.push_back(by * size);
    trees.push_back(tree_of(grid, branches, x_, values, scale.outputs));
    choice.learn(grid, steps.energy());
    if (scale.outputs == 1) learn_effects(grid, step.by, known.effects);
    if (run.progress)
      run.progress({"training", static_cast<std::uint64_t>(t + 1), static_cast<std::uint64_t>(plan.trees)});
  }
  if (mean.share > 0)
    base[0] = std::clamp(base[0] + mean_left(secret, step, mean), domain_.target.low, domain_.target.high);
  return assemble(base, x_.columns.size(), trees);
}

Result<Model> fit_grids(const PrivateTask& task, const PrivateBoost& how, const Run& run, Entropy& entropy,
                        Witness* witness) {
  Result<Ground> ground = ground_of(task, how);
  if (!ground) return ground.error();
  Bought bought{task, ground->domain};
  if (ground->bought > 0) bought = buy(task, ground->domain, how, ground->bought, ground->budget, entropy);
  PrivateBooster booster(bought.task, bought.domain, how, std::move(ground->budget), entropy, witness);
  Result<Forest> forest = booster.fit(run);
  if (!forest) return forest.error();
  Model model{.schema = schema_of(bought.task.rows)};
  model.body = std::move(*forest);
  if (booster.crowd()) model.found = {{kCrowdLow, booster.crowd()->low}, {kCrowdHigh, booster.crowd()->high}};
  return model;
}

Result<Model> fit_published(const PrivateTask& task, const PrivateBoost& how, const Run& run, Entropy& entropy,
                            Witness* witness) {
  const Result<Domain> domain = domain_of(task);
  if (!domain) return domain.error();
  Result<Forest> forest =
      fit_dpboost(task, *domain, how, PureBudget(how.epsilon / how.max_rows), entropy, run, witness);
  if (!forest) return forest.error();
  Model model{.schema = schema_of(task.rows)};
  model.body = std::move(*forest);
  return model;
}

}  // namespace

Result<Model> fit_private_boost(const PrivateTask& task, const PrivateBoost& how, const Run& run, Entropy& entropy,
                                Witness* witness) {
  if (Status sound = check_private(task, how); !sound) return sound.error();
  Result<Model> model = how.algorithm == PrivateAlgorithm::Grids ? fit_grids(task, how, run, entropy, witness)
                                                                 : fit_published(task, how, run, entropy, witness);
  if (!model) return model;
  model->link = !task.rows.classifies()                  ? Link::Identity
                : model->schema.target.level.size() == 2 ? Link::Logistic
                                                         : Link::Softmax;
  return model;
}

}  // namespace wald
