#include "learn/preparing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "learn/cart.h"

namespace wald {
namespace {

struct Interval {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};
using Box = std::vector<Interval>;  // one a column

std::string box_name(const PreparationStep& step) {
  std::string out;
  for (std::size_t i = 0; i < step.from.size(); ++i) {
    const double low = step.number[2 * i], high = step.number[2 * i + 1];
    out += i == 0 ? "" : " & ";
    if (std::isinf(low)) out += fmt::format("{}<={}", step.from[i], short_text(high));
    else if (std::isinf(high)) out += fmt::format("{}>{}", step.from[i], short_text(low));
    else out += fmt::format("{}<{}<={}", short_text(low), step.from[i], short_text(high));
  }
  return out;
}

PreparationStep step_of(const Box& box, const Table& table) {
  PreparationStep out{StepKind::Region, {}, {}, {}, {}};
  for (std::size_t c = 0; c < box.size(); ++c) {
    if (std::isinf(box[c].low) && std::isinf(box[c].high)) continue;
    out.from.push_back(table.columns[c].name);
    out.number.insert(out.number.end(), {box[c].low, box[c].high});
  }
  out.to = {box_name(out)};
  return out;
}

// The leaves of a small tree of the numbers alone, as boxes.
Result<std::vector<PreparationStep>> find_regions(const Task& task, int leaves, const Run& run) {
  Task numbers = task;
  std::erase_if(numbers.x.columns, [](const Column& column) { return column.type() != ColumnType::Number; });
  if (numbers.x.columns.empty()) return std::vector<PreparationStep>{};
  Cart options;
  options.max_leaves = leaves;
  const Result<Model> model = fit_cart(numbers, options, run);
  if (!model) return model.error();
  const Forest& forest = model->forest();
  const TreeView tree = forest.tree(0);
  std::vector<Box> box(tree.nodes.size());
  box[0].resize(numbers.x.columns.size());
  std::vector<PreparationStep> out;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {  // children come after their parent
    const Node& node = tree.nodes[n];
    if (node.is_leaf()) {
      if (n > 0) out.push_back(step_of(box[n], numbers.x));
      continue;
    }
    const double cut = forest.cuts[node.column()][node.ref];
    for (std::uint32_t k = 0; k < 2; ++k) {
      box[node.child + k] = box[n];
      Interval& side = box[node.child + k][node.column()];
      (k == 0 ? side.high : side.low) = cut;
    }
  }
  std::erase_if(out, [](const PreparationStep& step) { return step.from.empty(); });
  return out;
}

}  // namespace

Result<Preparing> take_preparing(Settings& settings) {
  Settings own;
  const auto take = [&](std::string_view name) {
    if (const auto at = settings.find(name); at != settings.end()) own.insert(settings.extract(at));
  };
  std::apply([&](const auto&... option) { (take(option.name), ...); }, Preparing::table());
  Result<Preparing> out = read_options<Preparing>("preparation", own);
  if (!out) return out;
  if (own.contains("one-hot-levels") && out->categories != Coding::OneHot)
    return usage("--one-hot-levels is of --categories one-hot", "add that, or leave it away");
  if (own.contains("level-rows") && out->categories != Coding::OneHot && out->categories != Coding::ByTarget)
    return usage("--level-rows is of --categories target and one-hot", "add one of them, or leave it away");
  return out;
}

Status check_preparing(const Preparing& asked, const Task& task, bool needs_target) {
  const bool by_target =
      asked.categories == Coding::ByTarget || asked.categories == Coding::OneHot || asked.regions > 0;
  if (!needs_target && (by_target || asked.balance != Balance::None))
    return usage("--categories target and one-hot, --regions and --balance look at the target, and there is none",
                 "leave them away; --categories ordinal numbers the levels");
  if (asked.balance != Balance::None && !task.classifies())
    return usage("--balance is for classes; the target holds numbers", "leave it away, or give --task classes");
  return Done{};
}

Result<Prepared> prepare_task(const Task& task, const Preparing& asked, const Run& run) {
  return fit_preparation(task, asked, run.seed,
                         [&](const Task& now, int leaves) { return find_regions(now, leaves, run); });
}

Result<std::optional<Prepared>> prepared_again(const Model& model, const Task& task, const Run& run) {
  Settings settings;
  for (const OptionInfo& info : option_infos<Preparing>())
    if (const auto found = model.made.options.find(info.name); found != model.made.options.end())
      settings.insert(*found);
  if (settings.empty()) return std::optional<Prepared>{};
  const Result<Preparing> asked = take_preparing(settings);
  if (!asked) return asked.error();
  Run seeded = run;
  seeded.seed = model.made.seed;
  Result<Prepared> out = prepare_task(task, *asked, seeded);
  if (!out) return out.error();
  return std::optional(std::move(*out));
}

Result<OutOfBag> of_all_rows(const OutOfBag& bag, const std::vector<Row>& left, const Model& model, const Task& task,
                             const Run& run) {
  const Result<Predictions> whole = predict(model, task.x, {.threads = run.threads, .stop = run.stop});
  if (!whole) return whole.error();
  OutOfBag out{*whole, std::vector<std::uint32_t>(task.x.rows, static_cast<std::uint32_t>(model.forest().trees()))};
  const auto put = [&](const auto& from, std::size_t i, auto& to) {
    const std::size_t width = bag.predictions.rows == 0 ? 0 : from.size() / bag.predictions.rows;
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                to.begin() + static_cast<std::ptrdiff_t>(left[i] * width));
  };
  for (std::size_t i = 0; i < left.size(); ++i) {
    put(bag.predictions.score, i, out.predictions.score);
    put(bag.predictions.value, i, out.predictions.value);
    put(bag.predictions.label, i, out.predictions.label);
    out.trees[left[i]] = bag.trees[i];
  }
  return out;
}

}  // namespace wald
