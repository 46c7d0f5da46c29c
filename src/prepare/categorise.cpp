// Categories: which steps.
#include <algorithm>

#include "core/random.h"
#include "prepare/prepare.h"

namespace wald {
namespace {

constexpr std::string_view kRare = "(rare)";
constexpr std::uint32_t kFolds = 5;  // of coding training rows by the target of others

// The levels that rows have, in their order.
std::vector<std::string> present_levels(const Fitting& fitting, const Categories& words) {
  std::vector<bool> met(words.level.size());
  for (Row r = 0; r < fitting.task().x.rows; ++r)
    if (words.code[r] >= 0) met[static_cast<std::size_t>(words.code[r])] = true;
  std::vector<std::string> out;
  for (std::size_t k = 0; k < met.size(); ++k)
    if (met[k]) out.push_back(words.level[k]);
  return out;
}

// What levels are coded by: each number target; whether a row is of the second class; with more classes, of each.
struct Aims {
  std::vector<std::vector<double>> of;
  std::vector<std::string> name;  // empty where there is but one
};
Aims aims_of(const Task& task) {
  Aims out;
  if (!task.classifies()) {
    out.of = {task.numbers()};
    out.of.insert(out.of.end(), task.more_y.begin(), task.more_y.end());
    if (out.of.size() > 1) out.name = task.more_targets, out.name.insert(out.name.begin(), task.target);
    return out;
  }
  const Classes& y = task.classes();
  const std::size_t classes = y.name.size();
  for (std::size_t k = classes <= 2 ? classes - 1 : 0; k < classes; ++k) {
    out.of.emplace_back();
    for (const std::int32_t code : y.code) out.of.back().push_back(code == static_cast<std::int32_t>(k) ? 1.0 : 0.0);
    if (classes > 2) out.name.push_back(y.name[k]);
  }
  return out;
}

// Means of an aim: of all rows, then of each level, drawn towards the mean of all. Rows of fold `without` do not count.
std::vector<double> level_means(const Fitting& fitting, const Categories& words, std::span<const std::int32_t> place,
                                std::size_t levels, const std::vector<double>& aim, double rows,
                                std::span<const std::uint32_t> fold, std::uint32_t without) {
  std::vector<double> sum(levels), weight(levels);
  double all = 0, all_weight = 0;
  for (Row r = 0; r < aim.size(); ++r) {
    if (fold[r] == without) continue;
    const double w = fitting.weight(r);
    all += w * aim[r], all_weight += w;
    if (words.code[r] < 0) continue;
    const auto k = static_cast<std::size_t>(place[static_cast<std::size_t>(words.code[r])]);
    sum[k] += w * aim[r], weight[k] += w;
  }
  const double mean = all_weight > 0 ? all / all_weight : 0;
  std::vector<double> out{mean};
  for (std::size_t k = 0; k < levels; ++k) {
    const double together = weight[k] + rows;
    out.push_back(together > 0 ? (sum[k] + rows * mean) / together : mean);
  }
  return out;
}

// Training rows are coded by rows of other folds: coded by their own target they would tell it (Micci-Barreca 2001
// without, Prokhorenkova and others 2018 with this care).
void code_by_target(Fitting& fitting, const std::string& name, double rows, std::uint64_t seed) {
  const Column column = fitting.column(name);  // the step takes it away
  const Categories& words = column.categories();
  PreparationStep step{StepKind::Encode, {name}, {}, {}, present_levels(fitting, words)};
  const std::vector<std::int32_t> place = places_of(column, step.level);
  const Aims aims = aims_of(fitting.task());
  const Random random(seed, Purpose::Encode);
  std::vector<std::uint32_t> fold(fitting.task().x.rows);
  for (Row r = 0; r < fold.size(); ++r) fold[r] = static_cast<std::uint32_t>(random.below(kFolds, r));
  std::vector<std::vector<double>> unseeing;
  for (std::size_t a = 0; a < aims.of.size(); ++a) {
    const auto means = [&](std::uint32_t without) {
      return level_means(fitting, words, place, step.level.size(), aims.of[a], rows, fold, without);
    };
    const std::vector<double> whole = means(kFolds);
    step.number.insert(step.number.end(), whole.begin(), whole.end());
    step.to.push_back(aims.name.empty() ? name : fitting.unused(name + ":" + aims.name[a]));
    unseeing.emplace_back(fold.size(), kMissing);
    for (std::uint32_t f = 0; f < kFolds; ++f) {
      const std::vector<double> others = means(f);
      for (Row r = 0; r < fold.size(); ++r)
        if (fold[r] == f && words.code[r] >= 0)
          unseeing[a][r] = others[1 + static_cast<std::size_t>(place[static_cast<std::size_t>(words.code[r])])];
    }
  }
  const std::vector<std::string> made = step.to;
  fitting.add(std::move(step));
  for (std::size_t a = 0; a < made.size(); ++a) fitting.set(made[a], std::move(unseeing[a]));
}

void code_column(Fitting& fitting, const std::string& name, const Prepare& asked, std::uint64_t seed) {
  if (asked.categories == Coding::Drop) return fitting.add({StepKind::Drop, {name}, {}, {}, {}});
  const std::vector<std::string> level = present_levels(fitting, fitting.column(name).categories());
  if (level.empty()) return fitting.add({StepKind::Drop, {name}, {}, {}, {}});
  if (asked.categories == Coding::Ordinal) return fitting.add({StepKind::Ordinal, {name}, {name}, {}, level});
  if (asked.categories == Coding::ByTarget || level.size() > static_cast<std::size_t>(asked.one_hot_levels))
    return code_by_target(fitting, name, asked.level_rows, seed);
  PreparationStep step{StepKind::OneHot, {name}, {}, {}, level};
  for (const std::string& l : level) step.to.push_back(fitting.unused(name + "=" + l));
  fitting.add(std::move(step));
}

}  // namespace

void group_rare(Fitting& fitting, double rows) {
  for (const std::string& name : fitting.names(ColumnType::Category)) {
    const Categories& words = fitting.column(name).categories();
    std::vector<double> weight(words.level.size());
    for (Row r = 0; r < fitting.task().x.rows; ++r)
      if (words.code[r] >= 0) weight[static_cast<std::size_t>(words.code[r])] += fitting.weight(r);
    PreparationStep step{StepKind::Rare, {name}, {}, {}, {}};
    for (std::size_t k = 0; k < weight.size(); ++k)
      if (weight[k] >= rows) step.level.push_back(words.level[k]);
    std::string rare(kRare);
    while (std::ranges::count(words.level, rare) > 0) rare += '_';
    step.level.push_back(rare);
    fitting.add(std::move(step));
  }
}

void code_categories(Fitting& fitting, const Prepare& asked, std::uint64_t seed) {
  for (const std::string& name : fitting.names(ColumnType::Category)) code_column(fitting, name, asked, seed);
}

}  // namespace wald
