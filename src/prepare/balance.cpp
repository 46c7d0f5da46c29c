// Classes made even. It changes what the training rows count, so nothing of it stays in the model.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/fixed.h"
#include "core/random.h"
#include "prepare/prepare.h"
#include "table/weights.h"

namespace wald {
namespace {

std::vector<std::vector<Row>> rows_by_class(const Classes& y) {
  std::vector<std::vector<Row>> out(y.name.size());
  for (Row r = 0; r < y.code.size(); ++r) out[static_cast<std::size_t>(y.code[r])].push_back(r);
  return out;
}

// Each class weighs the same in all.
void even_weights(const Classes& y, std::vector<double>& weight) {
  std::vector<double> sum(y.name.size());
  for (Row r = 0; r < weight.size(); ++r) sum[static_cast<std::size_t>(y.code[r])] += weight[r];
  for (Row r = 0; r < weight.size(); ++r)
    if (const double of = sum[static_cast<std::size_t>(y.code[r])]; of > 0) weight[r] /= of;
}

// A row drawn n more times weighs n + 1 times as much, which is the same to every learner, and leaves no copies on both
// sides of a division of the rows.
void draw_more(const Classes& y, std::vector<double>& weight, const Random& random) {
  const std::vector<std::vector<Row>> rows = rows_by_class(y);
  std::size_t most = 0;
  for (const auto& of : rows) most = std::max(most, of.size());
  std::vector<double> times(weight.size(), 1);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t n = rows[k].size(); !rows[k].empty() && n < most; ++n)
      times[rows[k][random.below(rows[k].size(), k << 40 | n)]] += 1;
  for (Row r = 0; r < weight.size(); ++r) weight[r] *= times[r];
}

// Of each class as many rows as the smallest has.
std::vector<Row> drawn_fewer(const Classes& y, const Random& random) {
  std::vector<std::vector<Row>> rows = rows_by_class(y);
  std::size_t least = y.code.size();
  for (const auto& of : rows)
    if (!of.empty()) least = std::min(least, of.size());
  std::vector<Row> out;
  for (auto& of : rows) {
    std::ranges::sort(of, {}, [&](Row r) { return std::pair(random.bits(r), r); });
    out.insert(out.end(), of.begin(), of.begin() + static_cast<std::ptrdiff_t>(std::min(least, of.size())));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

std::vector<Row> balance_classes(Task& task, Balance how, std::uint64_t seed) {
  if (how == Balance::None) return {};
  const Random random(seed, Purpose::Balance);
  if (how == Balance::Under) {
    std::vector<Row> left = drawn_fewer(task.classes(), random);
    task = take_rows(task, left);
    return left;
  }
  std::vector<double> weight(task.x.rows, 1);
  for (std::size_t r = 0; r < task.weight.size(); ++r) weight[r] = static_cast<double>(task.weight[r]);
  if (how == Balance::Weights) even_weights(task.classes(), weight);
  else draw_more(task.classes(), weight, random);
  task.weight = scaled_weights(weight);
  return {};
}

}  // namespace wald
