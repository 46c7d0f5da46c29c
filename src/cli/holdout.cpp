#include "cli/holdout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "core/text.h"

namespace wald::cli {
namespace {

struct Drawn {
  std::int32_t group;  // class; 0 for numbers
  std::uint64_t key;
  Row row;
  auto operator<=>(const Drawn&) const = default;
};

// All rows, class by class, shuffled within each.
std::vector<Drawn> shuffled(const Task& task, std::uint64_t seed) {
  const Random random(seed, Purpose::Holdout);
  std::vector<Drawn> out(task.x.rows);
  for (Row row = 0; row < task.x.rows; ++row)
    out[row] = {task.classifies() ? task.classes().code[row] : 0, random.bits(row), row};
  std::ranges::sort(out);
  return out;
}

}  // namespace

Result<Holdout> hold_out(const Task& task, double share, std::uint64_t seed) {
  const std::vector<Drawn> order = shuffled(task, seed);
  const auto quota = [share](std::size_t i) { return std::floor(static_cast<double>(i) * share); };
  Holdout out;
  // Every (1 / share)-th of the ordered rows: each class gives its share to within one row.
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool alone = (i == 0 || order[i - 1].group != order[i].group) &&
                       (i + 1 == order.size() || order[i + 1].group != order[i].group);
    const bool taken = quota(i + 1) > quota(i) && !(task.classifies() && alone);
    (taken ? out.held : out.train).push_back(order[i].row);
  }
  if (out.held.empty() || out.train.empty()) {
    const std::string rows = task.x.rows == 1 ? "one row" : with_commas(task.x.rows) + " rows";
    return bad_data(fmt::format("{} has {}: holding out {:g} of them leaves one part empty",
                                printable(task.x.source, 300), rows, share),
                    "leave --holdout away, or give more rows or another share");
  }
  std::ranges::sort(out.held);
  std::ranges::sort(out.train);
  return out;
}

}  // namespace wald::cli
