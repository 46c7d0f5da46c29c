#include "explain/shap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/parallel.h"
#include "model/inputs.h"

namespace wald {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 20, kKeptBytes = std::size_t{256} << 20, kStep = 256;

std::size_t rows_of_block(const ExplainOptions& options, std::size_t outputs, std::size_t columns) {
  if (options.block_rows > 0) return options.block_rows;
  const std::size_t row = sizeof(double) * outputs * columns * (options.interactions ? columns + 1 : 1);
  const std::size_t fit = kBlockBytes / std::max<std::size_t>(row, 1);
  return fit >= kStep ? fit / kStep * kStep : std::max<std::size_t>(fit, 1);  // pairs of many columns are large
}

Result<std::vector<std::size_t>> outputs_of(const Model& model, const ExplainOptions& options) {
  const auto all = static_cast<std::size_t>(model.forest().outputs);
  std::vector<std::size_t> out = options.outputs;
  if (out.empty()) {
    out.resize(all);
    std::iota(out.begin(), out.end(), std::size_t{0});
  }
  for (const std::size_t o : out)
    if (o >= all) return usage(fmt::format("output {} was asked for, but the model has {}", o, all), "");
  return out;
}

struct Session {
  Predictions scores;
  Matched rows, background;
  std::size_t background_rows = 0;
};

Result<Session> prepare(const Model& model, const Table& table, const ExplainOptions& options, const Run& run) {
  Session out;
  auto scores = predict(model, table, {.seed = run.seed, .threads = run.threads, .stop = run.stop});
  if (!scores) return scores.error();
  out.scores = *std::move(scores);
  auto rows = match(model, table);
  if (!rows) return rows.error();
  out.rows = *std::move(rows);
  if (options.background == nullptr) return out;
  if (options.background->rows == 0)
    return bad_data(fmt::format("the background {} has no rows", options.background->source),
                    "give a table with at least one row; some hundred are plenty");
  auto background = match(model, *options.background);
  if (!background) return background.error();
  out.background = *std::move(background);
  out.background_rows = options.background->rows;
  for (const std::string& warning : warnings_of(model, out.background.unseen, out.background_rows))
    out.scores.warnings.push_back("background: " + warning);
  return out;
}

void take_scores(const Predictions& scores, Explained& block) {
  const auto width = static_cast<std::size_t>(scores.outputs);
  block.score.clear();
  for (std::size_t row = block.first; row < block.first + block.rows; ++row)
    for (const std::size_t o : block.outputs) block.score.push_back(scores.score[row * width + o]);
}

// A pair of made columns is shared out among the pairs of what they are made of; lines still sum to the values.
void add_pairs(std::span<const double> made, const Inputs& inputs, double* into) {
  const std::size_t n = inputs.made();
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t d = 0; d < n; ++d)
      for (const std::size_t i : inputs.of(c))
        for (const std::size_t j : inputs.of(d))
          into[i * inputs.columns() + j] += made[c * n + d] * inputs.part(c) * inputs.part(d);
}

Explained by_input(const Explained& made, const Inputs& inputs) {
  Explained out{.first = made.first,
                .rows = made.rows,
                .columns = inputs.columns(),
                .outputs = made.outputs,
                .base = made.base,
                .score = made.score,
                .value = {},
                .interaction = {},
                .warnings = made.warnings};
  const std::size_t lines = made.rows * made.outputs.size(), columns = inputs.columns();
  out.value.resize(lines * columns);
  if (!made.interaction.empty()) out.interaction.resize(lines * columns * columns);
  for (std::size_t row = 0, line = 0; row < made.rows; ++row)
    for (std::size_t o = 0; o < made.outputs.size(); ++o, ++line) {
      inputs.add(made.values(row, o), out.value.data() + line * columns);
      if (!made.interaction.empty())
        add_pairs(made.pairs(row, o), inputs, out.interaction.data() + line * columns * columns);
    }
  return out;
}

}  // namespace

Result<BlockExplainer> explainer(const Forest& forest, const ExplainTask& task) {
  if (task.background != nullptr) return with_terms(forest, task, background_explainer(forest, task));
  if (!forest.covered && !forest.nodes.empty())
    return Error{ErrorKind::PrivacyRefusal,
                 "this model keeps no counts of its training rows, as private models do, and Shapley values without a "
                 "background need them",
                 "give a background table that is public (--background FILE)"};
  return with_terms(forest, task, path_explainer(forest, task));
}

Status explain_each(const Model& model, const Table& table, const ExplainOptions& options, const Run& run,
                    const std::function<Status(const Explained&)>& sink) {
  const auto outputs = outputs_of(model, options);
  if (!outputs) return outputs.error();
  const auto session = prepare(model, table, options, run);
  if (!session) return session.error();
  const Inputs inputs(model);
  const std::size_t columns = model.schema.columns.size(), most = rows_of_block(options, outputs->size(), columns);
  const ExplainTask task{.model = model,
                         .columns = session->rows.columns,
                         .background = options.background == nullptr ? nullptr : &session->background.columns,
                         .background_rows = session->background_rows,
                         .interactions = options.interactions,
                         .outputs = *outputs,
                         .run = run,
                         .kept_tables = most < table.rows ? kKeptBytes : 0};
  Status status = Done{};
  with_threads(run.threads, [&] {
    const auto made = std::visit([&](const auto& body) { return explainer(body, task); }, model.body);
    if (!made) {
      status = made.error();
      return;
    }
    Explained block{.columns = columns, .outputs = *outputs, .base = made->base, .warnings = session->scores.warnings};
    for (std::size_t row = 0; status && (row < table.rows || row == 0); row += most) {
      block.first = row, block.rows = std::min<std::size_t>(most, table.rows - row);
      block.value.assign(block.rows * outputs->size() * columns, 0.0);
      if (options.interactions) block.interaction.assign(block.value.size() * columns, 0.0);
      take_scores(session->scores, block);
      made->fill(block);
      if (run.stopped()) status = Error{ErrorKind::Interrupted, "interrupted while explaining", ""};
      else if (inputs.same()) status = sink(block);
      else status = sink(by_input(block, inputs));
      block.warnings.clear();
      if (run.progress) run.progress({"explaining", row + block.rows, table.rows});
    }
  });
  return status;
}

Result<Explained> explain(const Model& model, const Table& table, const ExplainOptions& options, const Run& run) {
  ExplainOptions whole = options;
  whole.block_rows = std::max<std::size_t>(table.rows, 1);
  Explained out;
  const Status done = explain_each(model, table, whole, run, [&](const Explained& block) -> Status {
    out = block;
    return Done{};
  });
  if (!done) return done.error();
  return out;
}

}  // namespace wald
