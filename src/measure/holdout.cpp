#include "measure/holdout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "core/text.h"

namespace wald {
namespace {

struct Dealt {
  std::int32_t group;  // class; 0 for numbers
  std::uint64_t key;
  Row row;
  auto operator<=>(const Dealt&) const = default;
};

// All rows, class by class, shuffled within each.
std::vector<Dealt> shuffled(const Task& task, std::uint64_t seed) {
  const Random random(seed, Purpose::Holdout);
  std::vector<Dealt> out(task.x.rows);
  for (Row row = 0; row < task.x.rows; ++row)
    out[row] = {task.classifies() ? task.classes().code[row] : 0, random.bits(row), row};
  std::ranges::sort(out);
  return out;
}

// Whole queries, so that each is ranked by a model that has seen none of its rows.
Holdout hold_out_queries(const Task& task, double share, std::uint64_t seed) {
  const Random random(seed, Purpose::Holdout);
  std::vector<std::uint32_t> queries(task.query);
  std::ranges::sort(queries);
  queries.erase(std::unique(queries.begin(), queries.end()), queries.end());
  std::ranges::sort(queries, {}, [&](std::uint32_t q) { return std::pair(random.bits(q), q); });
  queries.resize(static_cast<std::size_t>(std::floor(static_cast<double>(queries.size()) * share)));
  std::ranges::sort(queries);
  Holdout out;
  for (Row row = 0; row < task.x.rows; ++row)
    (std::ranges::binary_search(queries, task.query[row]) ? out.held : out.train).push_back(row);
  return out;
}

Holdout hold_out_rows(const Task& task, double share, std::uint64_t seed) {
  const std::vector<Dealt> order = shuffled(task, seed);
  const auto quota = [share](std::size_t i) { return std::floor(static_cast<double>(i) * share); };
  Holdout out;
  // Every (1 / share)-th of the ordered rows: each class gives its share to within one row.
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool alone = (i == 0 || order[i - 1].group != order[i].group) &&
                       (i + 1 == order.size() || order[i + 1].group != order[i].group);
    const bool taken = quota(i + 1) > quota(i) && !(task.classifies() && alone);
    (taken ? out.held : out.train).push_back(order[i].row);
  }
  return out;
}

}  // namespace

Result<Holdout> hold_out(const Task& task, double share, std::uint64_t seed) {
  Holdout out = task.query.empty() ? hold_out_rows(task, share, seed) : hold_out_queries(task, share, seed);
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

Result<std::string> check_unseen(const Model& from, const Task& all, const Task& train) {
  const std::vector<std::string> learned = learned_from(from.made);
  const auto count = [&](const Task& rows) { return std::ranges::count(learned, fingerprint(rows)); };
  if (count(train) == std::ssize(learned)) return std::string();
  if (count(all) > 0)
    return usage("--holdout: the model to go on from has learned all of these rows, those held out too",
                 "measure on rows it has not seen: --valid FILE; or give that model the same --holdout and --seed");
  return std::string(
      "the model to go on from was made from other rows, or another part of these: if rows held out here are among "
      "them, what is measured is too "
      "good");
}

}  // namespace wald
