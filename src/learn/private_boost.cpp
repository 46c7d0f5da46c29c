#include "learn/private_boost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/elementary.h"
#include "learn/assemble.h"
#include "learn/private_boost_leaves.h"
#include "learn/private_boost_plan.h"
#include "learn/private_boost_slopes.h"
#include "privacy/budget.h"

namespace wald {
namespace {

// What the histogram of the target tells: how many rows, where to begin, where to cut residuals off.
struct Beginning {
  double rows = 1;
  std::vector<double> score;  // per output
  double clip = 1;
};

constexpr int kTargetCells = 48;

class PrivateBooster {
 public:
  PrivateBooster(const PrivateTask& task, const Domain& domain, const PrivateBoost& how, GaussianBudget budget, Entropy& entropy)
      : task_(task.rows),
        domain_(domain),
        how_(how),
        budget_(std::move(budget)),
        entropy_(entropy),
        rows_(bounded_rows(task, static_cast<std::uint64_t>(how.max_rows))),
        x_(private_rows(task.rows, domain, rows_)),
        classes_(task.rows.classifies() ? static_cast<int>(domain.target.level.size()) : 0) {}

  Result<Forest> fit(const Run& run);
  const Beginning& beginning() const { return begin_; }

 private:
  // Contributions in units of 2^bits, `length` of them at most a row.
  struct Released {
    std::vector<double> value;  // in ones
    double deviation = 0;
  };
  Released release_counts(const std::vector<std::int64_t>& counts, double length, double share);
  std::vector<std::int64_t> target_counts() const;
  void begin(double share);
  void begin_numbers(const Released&);
  Masses masses(double share);
  SecretRows secret_rows(std::int64_t unit) const;

  const Task& task_;
  const Domain& domain_;
  const PrivateBoost& how_;
  GaussianBudget budget_;
  Entropy& entropy_;
  std::vector<Row> rows_;
  PrivateRows x_;
  int classes_;
  Beginning begin_;
};

PrivateBooster::Released PrivateBooster::release_counts(const std::vector<std::int64_t>& counts, double length,
                                                        double share) {
  const double most = std::ceil(length * how_.max_rows);
  const int bits = budget_.unit_bits(share, static_cast<std::uint64_t>(most));
  std::vector<std::int64_t> scaled;
  for (const std::int64_t count : counts) scaled.push_back(count << bits);
  const auto reach = static_cast<std::uint64_t>(std::ceil(std::ldexp(length * how_.max_rows, bits)));
  const Noisy noisy = budget_.release(entropy_, std::move(scaled), reach, share);
  Released out{.deviation = std::ldexp(noisy.deviation, -bits)};
  for (const std::int64_t value : noisy.value) out.value.push_back(std::ldexp(static_cast<double>(value), -bits));
  return out;
}

std::vector<std::int64_t> PrivateBooster::target_counts() const {
  std::vector<std::int64_t> out(static_cast<std::size_t>(classes_ > 0 ? classes_ : kTargetCells));
  const double low = domain_.target.low, range = domain_.target.high - low;
  for (const Row row : rows_) {
    if (classes_ > 0) ++out[static_cast<std::size_t>(task_.classes().code[row])];
    else {
      const double at = (std::clamp(task_.numbers()[row], low, low + range) - low) / range * kTargetCells;
      ++out[std::min(static_cast<std::size_t>(at), out.size() - 1)];
    }
  }
  return out;
}

// Mean and spread of the target from its noisy histogram. Cells that noise alone may have made count nothing.
void PrivateBooster::begin_numbers(const Released& cells) {
  const double low = domain_.target.low, width = (domain_.target.high - low) / kTargetCells;
  double sum = 0, weight = 0, squares = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const double least = pass == 0 ? 2.0 * cells.deviation : 0;
    for (std::size_t i = 0; i < cells.value.size(); ++i) {
      if (cells.value[i] <= least) continue;
      const double y = low + width * (static_cast<double>(i) + 0.5), w = cells.value[i];
      sum += w * y, weight += w, squares += w * y * y;
    }
    if (weight > 0.3 * begin_.rows) break;
  }
  const double mean = weight > 0 ? sum / weight : low + width * kTargetCells / 2;
  const double deviation = weight > 0 ? std::sqrt(std::max(squares / weight - mean * mean, 0.0)) : 0;
  begin_.score = {mean};
  begin_.clip = std::clamp(2.0 * deviation, width, width * kTargetCells);
}

void PrivateBooster::begin(double share) {
  const Released cells = release_counts(target_counts(), 1, share);
  const double all = std::accumulate(cells.value.begin(), cells.value.end(), 0.0);
  begin_.rows = how_.public_rows > 0 ? how_.public_rows : std::max(all, 10.0);
  if (classes_ == 0) {
    begin_numbers(cells);
    return;
  }
  double sum = 0;
  for (const double value : cells.value) sum += std::max(value, 1.0);
  for (const double value : cells.value) begin_.score.push_back(log_exact(std::max(value, 1.0) / sum));
  if (classes_ == 2) begin_.score = {begin_.score[1] - begin_.score[0]};
}

// Noisy histograms of all columns at once. What noise may have made is left to the even masses.
Masses PrivateBooster::masses(double share) {
  Masses out = even_masses(x_);
  if (share <= 0) return out;
  const Released cells = release_counts(code_counts(x_), std::sqrt(static_cast<double>(x_.columns.size())), share);
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
    return SquaredRows(y, unit, begin_.score[0], begin_.clip);
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

std::vector<std::size_t> columns_of_tree(int tree, const Plan& plan, std::size_t columns, std::uint64_t seed) {
  const auto wanted = std::min<std::size_t>(static_cast<std::size_t>(plan.columns), columns);
  // Cycle through a shuffled order, a new one each time round.
  std::vector<std::size_t> out;
  std::size_t at = static_cast<std::size_t>(tree) * wanted;
  while (out.size() < wanted) {
    const std::size_t round = at / columns;
    const Random random(seed, kStructure, static_cast<std::uint32_t>(2 + 2 * round));
    std::vector<std::size_t> order(columns);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t left = columns; left > 1; --left) std::swap(order[left - 1], order[random.below(left, left)]);
    const std::size_t column = order[at % columns];
    if (std::ranges::find(out, column) == out.end()) out.push_back(column);
    ++at;
  }
  return out;
}

Result<Forest> PrivateBooster::fit(const Run& run) {
  const Shares shares = shares_of(how_);
  begin(shares.start);
  const Masses mass = masses(shares.columns);
  const int outputs = classes_ > 2 ? classes_ : 1;
  const Plan plan = plan_of(how_, budget_.mu() / how_.max_rows, begin_.rows, x_.columns.size(), outputs);
  const double share = shares.trees / plan.trees;
  const int bits = budget_.unit_bits(share, static_cast<std::uint64_t>(how_.max_rows));
  const std::int64_t unit = std::int64_t{1} << bits;
  const auto reach = static_cast<std::uint64_t>(unit * how_.max_rows);
  const int parts = plan.columns == 1 ? plan.parts : std::max(2, static_cast<int>(std::lround(std::pow(plan.parts, 1.0 / plan.columns))));
  SecretRows secret = secret_rows(unit);
  const SlopeScale scale = std::visit([](const auto& loss) { return loss.scale(); }, secret);
  const auto width = static_cast<std::size_t>(2 * outputs);
  const double size = classes_ == 0 ? begin_.clip : 1;
  std::vector<double> base = begin_.score;
  if (classes_ == 0)
    base[0] = std::nearbyint(base[0] * std::ldexp(1.0, SquaredRows::kClipBits) / size) * scale.score * size;
  Assembler assembler(base, x_.columns.size());
  std::vector<LeafPrior> prior(static_cast<std::size_t>(outputs), LeafPrior(classes_ == 0 ? 1.0 : 4.0));
  Step step;
  Grid before;
  for (int t = 0; t < plan.trees; ++t) {
    if (run.stopped()) return Error{ErrorKind::Interrupted, "interrupted while training; what was spent is spent", ""};
    const Random random(how_.structure_seed, kStructure, static_cast<std::uint32_t>(3 + 2 * t));
    const Grid grid =
        draw_grid(x_, mass, columns_of_tree(t, plan, x_.columns.size(), how_.structure_seed), parts, random);
    const std::vector<Branch> branches = branches_of(grid);
    const Noisy noisy = budget_.release(entropy_, pass_over(secret, x_, step, &grid), reach, share);
    const auto leaves = static_cast<std::size_t>(grid.leaves);
    std::vector<double> values(leaves * static_cast<std::size_t>(outputs));
    before = grid;
    step = {&before, std::vector<std::int32_t>(values.size())};
    for (int k = 0; k < outputs; ++k) {
      LeafSums sums{.noise_g = noisy.deviation / scale.g, .noise_h = noisy.deviation / scale.h, .scatter = scale.scatter};
      for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
        const auto o = static_cast<std::size_t>(k);
        sums.g.push_back(static_cast<double>(noisy.value[leaf * width + o]) / scale.g);
        sums.h.push_back(static_cast<double>(noisy.value[leaf * width + static_cast<std::size_t>(outputs) + o]) / scale.h);
      }
      const std::vector<double> leaf_values = prior[static_cast<std::size_t>(k)].values(branches, sums);
      for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
        const double longest = 0x1p30 / plan.trees;
        const auto by = static_cast<std::int32_t>(
            std::clamp(std::nearbyint(plan.rate * leaf_values[leaf] / scale.score), -longest, longest));
        step.by[leaf * static_cast<std::size_t>(outputs) + static_cast<std::size_t>(k)] = by;
        values[leaf * static_cast<std::size_t>(outputs) + static_cast<std::size_t>(k)] = by * scale.score * size;
      }
    }
    assembler.add(tree_of(grid, branches, x_, values, outputs));
    if (run.progress) run.progress({"training", static_cast<std::uint64_t>(t + 1), static_cast<std::uint64_t>(plan.trees)});
  }
  return std::move(assembler).finish();
}

}  // namespace

Result<Model> fit_private_boost(const PrivateTask& task, const PrivateBoost& how, const Run& run, Entropy& entropy) {
  if (how.epsilon <= 0)
    return usage("private-boost needs to know epsilon: how much the model may tell of one contributor",
                 "add --epsilon 1; less protects more");
  if (!task.rows.weight.empty())
    return privacy_refusal("weights say how much each row counts, so one row could count for more than its share",
                           "leave --weight away");
  const Result<Domain> domain = domain_of(task);
  if (!domain) return domain.error();
  Result<GaussianBudget> budget = GaussianBudget::of(how.epsilon, how.delta);
  if (!budget) return budget.error();
  PrivateBooster booster(task, *domain, how, std::move(*budget), entropy);
  Result<Forest> forest = booster.fit(run);
  if (!forest) return forest.error();
  Model model{.schema = schema_of(task.rows)};
  model.body = std::move(*forest);
  model.link = !task.rows.classifies() ? Link::Identity : domain->target.level.size() == 2 ? Link::Logistic : Link::Softmax;
  return model;
}

}  // namespace wald
