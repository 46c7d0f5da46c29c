// The splits of one column, and the choice among columns (Quinlan 1993, chapters 2 and 3; for the threshold penalty
// Quinlan 1996, "Improved use of continuous attributes in C4.5").
#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "core/elementary.h"
#include "tree/quinlan_node.h"

namespace wald::quinlan {
namespace {

// w log2 w, from a table for whole weights, which nearly all are.
double w_log_w(std::int64_t weight) {
  constexpr std::int64_t kTable = 1 << 14, kFraction = (std::int64_t{1} << 30) - 1;
  static const std::vector<double> table = [] {
    std::vector<double> t(kTable);
    for (std::int64_t n = 2; n < kTable; ++n) t[n] = static_cast<double>(n) * log2_exact(static_cast<double>(n));
    return t;
  }();
  if ((weight & kFraction) == 0 && weight >> 30 < kTable) return table[weight >> 30];
  const double w = real(weight);
  return w < kSame ? 0 : w * log2_exact(w);
}

// Entropies here are totals: bits times weight.
double gain_of(double before, double after, double known, double all) {
  const double fall = (before - after) * (known / all);  // rows without a value tell nothing
  return std::fabs(fall) < kSame ? 0 : fall / known;
}
double split_bits(std::span<const std::int64_t> branch, std::int64_t known, std::int64_t all) {
  double sum = w_log_w(all) - w_log_w(all - known);  // missing counts as a branch
  for (const std::int64_t b : branch) sum -= w_log_w(b);
  return sum / real(all);
}

std::optional<Test> worth_of(Test test, double gain, std::span<const std::int64_t> branch, std::int64_t known,
                             std::int64_t all) {
  const double bits = split_bits(branch, known, all);
  test.gain = gain;
  test.ratio = bits * real(all) < kSame ? 0 : gain / bits;
  return test;
}

double entropy(const std::int64_t* count, std::size_t classes, std::int64_t all) {
  double sum = w_log_w(all);
  for (std::size_t k = 0; k < classes; ++k) sum -= w_log_w(count[k]);
  return sum;
}

std::optional<Test> best_levels(const QuinlanTask& task, const QuinlanOptions& how, std::uint32_t column,
                                const ColumnCounts& at, std::int64_t all) {
  const auto classes = static_cast<std::size_t>(task.classes);
  Counts sum(classes);
  std::vector<std::int64_t> branch;
  double after = 0;
  int large = 0;
  for (const std::uint16_t code : at.codes) {
    if (code == 0) continue;
    const std::int64_t* here = at.sums.data() + code * classes;
    std::int64_t weight = 0;
    for (std::size_t k = 0; k < classes; ++k) weight += here[k], sum[k] += here[k];
    branch.push_back(weight);
    large += real(weight) >= how.min_branch - kSame && weight > 0;
    after += entropy(here, classes, weight);
  }
  if (large < 2) return std::nullopt;
  const std::int64_t known = total(sum);
  const double gain = gain_of(entropy(sum.data(), classes, known), after, real(known), real(all));
  return worth_of({.column = column, .levels = true}, gain, branch, known, all);
}

// One threshold of a column of numbers, moved from value to value.
class Threshold {
 public:
  Threshold(const ColumnCounts& at, std::size_t classes) : at_(at), left(classes), right(classes) {
    for (const std::uint16_t code : at.codes)
      for (std::size_t k = 0; k < classes && code != 0; ++k) right[k] += at.sums[code * classes + k];
    right_all = total(right);
    for (const std::int64_t n : right) right_sum_ += w_log_w(n);
    before = w_log_w(right_all) - right_sum_;
  }
  void pass(std::uint16_t code) {
    const std::int64_t* here = at_.sums.data() + code * left.size();
    for (std::size_t k = 0; k < left.size(); ++k) {
      if (here[k] == 0) continue;
      left_sum_ += w_log_w(left[k] + here[k]) - w_log_w(left[k]);
      right_sum_ += w_log_w(right[k] - here[k]) - w_log_w(right[k]);
      left[k] += here[k], right[k] -= here[k], left_all += here[k], right_all -= here[k];
    }
  }
  double after() const { return w_log_w(left_all) - left_sum_ + w_log_w(right_all) - right_sum_; }
  std::int64_t left_all = 0, right_all = 0;
  double before = 0;

 private:
  const ColumnCounts& at_;
  double left_sum_ = 0, right_sum_ = 0;  // of w log w over the classes

 public:
  Counts left, right;
};

// The largest training value that is not above the middle of the gap: C4.5's thresholds are values of the data.
std::uint32_t last_bin_left(const BinnedColumn& x, std::uint32_t bin, std::uint32_t next) {
  const double middle = std::midpoint(x.highest[bin - 1], x.lowest[next - 1]);
  while (bin + 1 < next && x.highest[bin] <= middle) ++bin;
  return bin;
}

std::optional<Test> best_threshold(const QuinlanTask& task, const QuinlanOptions& how, std::uint32_t column,
                                   const ColumnCounts& at, std::int64_t all) {
  Threshold cut(at, static_cast<std::size_t>(task.classes));
  const std::int64_t known = cut.right_all;
  // C4.5: a tenth of the rows a class, but no more than 25 and no fewer than asked for.
  double least = 0.1 * real(known) / task.classes;
  least = least <= how.min_branch + kSame ? how.min_branch : std::min(least, 25.0);
  if (static_cast<double>(at.known) < 2 * least - kSame) return std::nullopt;
  double best = 0;
  int tried = 0;
  Test test{.column = column};
  std::int64_t branch[2] = {0, 0};
  std::uint32_t next = 0;
  for (std::size_t i = at.codes[0] == 0 ? 1 : 0; i + 1 < at.codes.size(); ++i) {
    cut.pass(at.codes[i]);
    if (real(cut.left_all) < least - kSame || real(cut.right_all) < least - kSame) continue;
    ++tried;
    const double gain = gain_of(cut.before, cut.after(), real(known), real(all));
    if (gain <= best + kSame) continue;
    best = gain, test.bin = at.codes[i], next = at.codes[i + 1];
    branch[0] = cut.left_all, branch[1] = cut.right_all;
  }
  if (tried == 0) return std::nullopt;
  // Which of the thresholds it is must be told as well (Quinlan 1996).
  best -= how.ratio ? log2_exact(tried) / real(all) : 0;
  if (best <= kSame) return std::nullopt;
  test.bin = last_bin_left(task.x.columns[column], test.bin, next);
  return worth_of(test, best, branch, known, all);
}

}  // namespace

void ColumnCounts::fill(const QuinlanTask& task, std::uint32_t column, const Items& items) {
  const auto classes = static_cast<std::size_t>(task.classes);
  const BinnedColumn& x = task.x.columns[column];
  sums.resize(std::max(sums.size(), static_cast<std::size_t>(x.codes) * classes));
  seen.resize(std::max(seen.size(), static_cast<std::size_t>(x.codes)));
  codes.clear(), known = 0;
  const auto add = [&](const auto& code) {
    for (const Item& item : items) {
      const std::size_t c = code[item.row];
      if (!seen[c]) seen[c] = 1, codes.push_back(static_cast<std::uint16_t>(c));
      known += c != 0;
      sums[c * classes + static_cast<std::size_t>(task.label[item.row])] += item.weight;
    }
  };
  std::visit(add, x.code);
  std::ranges::sort(codes);
}

void ColumnCounts::clear(std::size_t classes) {
  for (const std::uint16_t c : codes) {
    seen[c] = 0;
    std::fill_n(sums.begin() + static_cast<std::ptrdiff_t>(c * classes), classes, 0);
  }
}

std::optional<Test> best_test(const QuinlanTask& task, const QuinlanOptions& how, std::uint32_t column,
                              const Items& items, std::int64_t all, ColumnCounts& at) {
  if (task.x.columns[column].codes <= 1) return std::nullopt;
  at.fill(task, column, items);
  const auto found = at.known == 0                                         ? std::nullopt
                     : task.x.columns[column].type == ColumnType::Category ? best_levels(task, how, column, at, all)
                                                                           : best_threshold(task, how, column, at, all);
  at.clear(static_cast<std::size_t>(task.classes));
  return found;
}

// C4.5: the best ratio among the columns whose gain is at least the average of all; categories of very many levels,
// which gain by their number alone, do not raise that average. ID3: the largest gain. The first among equals.
std::optional<Test> choose(const QuinlanTask& task, const QuinlanOptions& how, std::size_t all_rows,
                           const std::vector<std::optional<Test>>& tests) {
  const auto few_levels = [&](std::uint32_t c) {
    const BinnedColumn& x = task.x.columns[c];
    return x.type == ColumnType::Number || x.codes - 1 < 0.3 * static_cast<double>(all_rows) - kSame;
  };
  bool any_few = false;
  for (std::uint32_t c = 0; c < task.x.columns.size(); ++c) any_few = any_few || few_levels(c);
  double sum = 0;
  int count = 0;
  for (const auto& test : tests)
    if (test && (!any_few || few_levels(test->column))) sum += test->gain, ++count;
  if (how.ratio && count == 0) return std::nullopt;
  const double enough = how.ratio ? sum / count - kAverageSlack : 0;
  std::optional<Test> best;
  double most = how.ratio || !how.zero_gain ? 0 : -1;
  for (const auto& test : tests) {
    if (!test || test->gain < enough) continue;
    const double worth = how.ratio ? test->ratio : test->gain;
    if (worth > most + kSame) best = test, most = worth;
  }
  return best;
}

}  // namespace wald::quinlan
