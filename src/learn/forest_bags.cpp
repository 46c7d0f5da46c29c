#include "learn/forest_bags.h"

#include <fmt/format.h>

#include "core/parallel.h"
#include "core/text.h"
#include "learn/assemble.h"
#include "prepare/steps.h"
#include "wald/forests.h"

namespace wald {
namespace {

constexpr std::size_t kBagGrain = 1u << 10;

// The options as the model tells them; those of the verb beside the learner's own are left aside.
template <class Options>
Result<ForestOptions> options_of(const Model& model) {
  Settings settings;
  for (const OptionInfo& info : option_infos<Options>())
    if (const auto found = model.made.options.find(info.name); found != model.made.options.end())
      settings[info.name] = found->second;
  auto read = read_options<Options>(model.made.learner, settings);
  if (!read) return read.error();
  return ForestOptions(*read);
}

Result<ForestOptions> forest_options(const Model& model) {
  const std::string& learner = model.made.learner;
  if (learner == "forest") return options_of<RandomForest>(model);
  if (learner == "bagging") return options_of<Bagging>(model);
  if (learner == "extra-trees") return options_of<ExtraTrees>(model);
  if (learner == "honest-forest") return options_of<HonestForest>(model);
  return usage(fmt::format("learner {} draws no bags of rows", printable(learner)),
               "train one of forest, bagging, extra-trees, honest-forest");
}

}  // namespace

Status check_bags(const Model& model) {
  const auto how = forest_options(model);
  return how ? Status(Done{}) : Status(how.error());
}

ForestCells ForestCells::made(const Model& model, const Matched& matched, Row rows) {
  ForestCells out;
  out.forest_ = &model.forest();
  out.walker_ = std::make_shared<const Walker>(model.forest());
  out.rows_ = rows;
  for (const Cells& cells : matched.columns) {
    std::vector<double> room(rows);
    const double* from = cells_of(cells, 0, rows, room.data());
    out.column_.emplace_back(from, from + rows);
  }
  return out;
}

Result<ForestCells> ForestCells::of(const Model& model, const Table& table) {
  const auto matched = match(model, table);
  return matched ? Result(made(model, *matched, table.rows)) : matched.error();
}

Result<ForestCells> ForestCells::of_made(const Model& model, const Table& table) {
  const auto matched = match(model.schema, table);
  return matched ? Result(made(model, *matched, table.rows)) : matched.error();
}

std::vector<std::uint32_t> ForestCells::leaves(std::size_t tree) const {
  std::vector<std::uint32_t> out(rows_);
  parallel_for(rows_, kBagGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) out[r] = leaf(tree, r);
  });
  return out;
}

Result<ForestBags> ForestBags::of(const Model& model, const Task& task, const Run& run) {
  auto how = forest_options(model);
  if (!how) return how.error();
  if (fingerprint(task) != model.made.fingerprint)
    return bad_data(fmt::format("{} is not the table that the model was trained on", printable(task.x.source, 300)),
                    "give the training table as it was, and read it with the same options");
  ForestBags out;
  out.task_ = &task;
  auto prepared = prepared_again(model, task, run);
  if (!prepared) return prepared.error();
  if (*prepared) out.prepared_ = std::make_shared<const Prepared>(std::move(**prepared));
  out.how_ = std::make_shared<const ForestOptions>(*how);
  out.rows_ = std::make_shared<const ForestRows>(out.task(), *out.how_, weighted_rows(out.task()), model.made.seed);
  out.trees_ = model.forest().trees();
  return out;
}

Status ForestBags::check_left_out() const {
  if (rows_->leaves_out()) return Done{};
  if (rows_->rows().size() < 2)
    return bad_data("this forest learned from a single row, so none are out of bag", "train it on more rows");
  return usage("every tree of this forest learned from all rows, so none are out of bag",
               how_->honest ? "train with smaller --rows"
                            : "train with --sample bootstrap, or --sample subsample and smaller --rows");
}

Result<BaggedForest> BaggedForest::of(const Model& model, const Task& task, const Run& run) {
  if (knows_targets(&model.preparation))
    return usage(
        "--regions grew its tree on the targets of all rows, so that none is new to this forest: out of bag "
        "it would seem far better than it is",
        "measure it with wald cv or on other rows, or train without --regions");
  auto bags = ForestBags::of(model, task, run);
  if (!bags) return bags.error();
  if (Status some = bags->check_left_out(); !some) return some.error();
  auto cells = ForestCells::of_made(model, bags->task().x);
  if (!cells) return cells.error();
  return BaggedForest{std::move(*bags), std::move(*cells)};
}

}  // namespace wald
