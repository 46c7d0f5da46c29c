#include "measure/out_of_bag.h"

#include <cmath>
#include <span>
#include <vector>

#include "wald/measure.h"

namespace wald {

std::vector<Row> rows_out_of_bag(const Task& task, const OutOfBag& bag) {
  std::vector<Row> out;
  for (Row r = 0; r < bag.trees.size(); ++r)
    if (bag.trees[r] > 0 && (task.weight.empty() || task.weight[r] > 0)) out.push_back(r);
  return out;
}

Predictions take_rows(const Predictions& all, std::span<const Row> rows) {
  Predictions out{.rows = rows.size(), .outputs = all.outputs};
  const std::size_t width = all.value.size() / all.rows;
  for (const Row r : rows) {
    const auto first = all.value.begin() + static_cast<std::ptrdiff_t>(r * width);
    out.value.insert(out.value.end(), first, first + static_cast<std::ptrdiff_t>(width));
    if (!all.label.empty()) out.label.push_back(all.label[r]);
  }
  return out;
}

std::map<std::string, double> out_of_bag_measures(const Schema& schema, const Task& task, const OutOfBag& bag) {
  const std::vector<Row> rows = rows_out_of_bag(task, bag);
  std::map<std::string, double> out;
  if (rows.empty()) return out;
  const auto add = [&](const Measures& measures) {
    for (const Measure& m : measures.list)
      if (std::isfinite(m.value)) out[std::string(kOutOfBag) + m.name] = m.value;
  };
  if (rows.size() == bag.trees.size()) {  // as nearly always: nothing need be copied
    add(measure(schema, bag.predictions, task.y, task.weight));
  } else {
    const Task some = take_rows(task, rows);
    add(measure(schema, take_rows(bag.predictions, rows), some.y, some.weight));
  }
  out[std::string(kOutOfBag) + "rows"] = static_cast<double>(rows.size());
  return out;
}

}  // namespace wald
