#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/random.h"
#include "core/text.h"
#include "wald/validate.h"

namespace wald {
namespace {

using Parts = std::vector<std::uint32_t>;  // per row, the fold that holds it out

struct Drawn {
  std::int32_t kind;  // class; 0 for numbers
  std::uint64_t key;
  Row row;
  auto operator<=>(const Drawn&) const = default;
};

// Class by class, shuffled within each, dealt out in turn.
Parts deal_rows(const Task& task, std::uint32_t folds, const Random& random) {
  std::vector<Drawn> order(task.x.rows);
  for (Row row = 0; row < task.x.rows; ++row)
    order[row] = {task.classifies() ? task.classes().code[row] : 0, random.bits(row), row};
  std::ranges::sort(order);
  Parts part(task.x.rows);
  for (std::size_t i = 0; i < order.size(); ++i) part[order[i].row] = static_cast<std::uint32_t>(i % folds);
  return part;
}

// The largest groups first, each to the fold that has the fewest rows so far.
Parts deal_groups(std::span<const std::uint32_t> group, std::uint32_t folds, const Random& random) {
  struct Group {
    std::size_t rows;
    std::uint64_t key;
    std::uint32_t number;
  };
  std::vector<Group> groups(std::size_t{*std::ranges::max_element(group)} + 1);
  for (std::uint32_t g = 0; g < groups.size(); ++g) groups[g] = {0, random.bits(g), g};
  for (const std::uint32_t g : group) ++groups[g].rows;
  std::ranges::sort(groups, [](const Group& a, const Group& b) {
    return std::tuple(b.rows, a.key, a.number) < std::tuple(a.rows, b.key, b.number);
  });
  std::vector<std::size_t> filled(folds);
  std::vector<std::uint32_t> of(groups.size());
  for (const Group& g : groups) {
    const auto at = std::ranges::min_element(filled);
    of[g.number] = static_cast<std::uint32_t>(at - filled.begin());
    *at += g.rows;
  }
  Parts part;
  for (const std::uint32_t g : group) part.push_back(of[g]);
  return part;
}

Fold fold_of(const Parts& part, std::uint32_t held) {
  Fold out;
  for (Row row = 0; row < part.size(); ++row) (part[row] == held ? out.held : out.train).push_back(row);
  return out;
}

// Blocks of equal size in the order of time, rows of one time undivided: each but the first is predicted from all
// before.
std::vector<Fold> folds_in_time(std::span<const std::uint32_t> time, std::uint32_t folds) {
  std::vector<Row> order(time.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::ranges::stable_sort(order, {}, [&](Row row) { return time[row]; });
  std::vector<std::size_t> edge;
  for (std::uint32_t f = 1; f <= folds + 1; ++f) {
    std::size_t at = order.size() * f / (folds + 1);
    while (at > 0 && at < order.size() && time[order[at]] == time[order[at - 1]]) ++at;
    edge.push_back(at);
  }
  std::vector<Fold> out;
  for (std::uint32_t f = 0; f < folds; ++f) {
    const auto from = order.begin();
    Fold fold{{from, from + static_cast<std::ptrdiff_t>(edge[f])},
              {from + static_cast<std::ptrdiff_t>(edge[f]), from + static_cast<std::ptrdiff_t>(edge[f + 1])}};
    std::ranges::sort(fold.train);
    std::ranges::sort(fold.held);
    out.push_back(std::move(fold));
  }
  return out;
}

Status check(const Task& task, const FoldOptions& how) {
  if (how.folds < 2) return usage(fmt::format("{} folds divide nothing", how.folds), "give at least 2");
  if (how.repeats < 1) return usage(fmt::format("{} repeats are none", how.repeats), "give at least 1");
  if (static_cast<std::uint64_t>(how.folds) > task.x.rows)
    return bad_data(fmt::format("{} has {}, too few for {} folds", printable(task.x.source, 300),
                                plural(task.x.rows, "row"), with_commas(static_cast<std::uint64_t>(how.folds))),
                    "give fewer folds or more rows");
  return Done{};
}

}  // namespace

Result<std::vector<Fold>> make_folds(const Task& task, const FoldOptions& how, std::uint64_t seed) {
  if (Status ok = check(task, how); !ok) return ok.error();
  const auto folds = static_cast<std::uint32_t>(how.folds);
  std::vector<Fold> out;
  if (!how.time.empty()) out = folds_in_time(how.time, folds);
  for (std::uint32_t repeat = 0; out.empty() || (how.time.empty() && repeat < static_cast<std::uint32_t>(how.repeats));
       ++repeat) {
    const Random random(seed, Purpose::Folds, repeat);
    const Parts part = !how.given.empty()    ? how.given
                       : !how.group.empty()  ? deal_groups(how.group, folds, random)
                       : !task.query.empty() ? deal_groups(task.query, folds, random)
                                             : deal_rows(task, folds, random);
    const std::uint32_t count = how.given.empty() ? folds : *std::ranges::max_element(part) + 1;
    for (std::uint32_t f = 0; f < count; ++f) out.push_back(fold_of(part, f));
  }
  for (std::size_t f = 0; f < out.size(); ++f)
    if (out[f].held.empty() || out[f].train.empty())
      return bad_data(fmt::format("{}: fold {} would {}", printable(task.x.source, 300), f + 1,
                                  out[f].held.empty() ? "hold out no row" : "have no row to learn from"),
                      how.time.empty() ? "give fewer folds, or other groups"
                                       : "give fewer folds, or a column of more different times");
  return out;
}

}  // namespace wald
