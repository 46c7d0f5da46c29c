#include "wald/predict.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "core/parallel.h"
#include "core/touch.h"
#include "model/cells.h"
#include "model/engine.h"
#include "model/link.h"

namespace wald {
namespace {

constexpr std::size_t kPredictGrain = 8 * kBlockRows, kFewRows = 64;

// One thread's memory for blocks.
struct BlockRoom {
  Engine::Room engine;
  std::unique_ptr<double[]> cells;
  std::vector<const double*> column;
};

// Cells of rows begin .. end - 1, kBlockRows at most.
CellColumns read_cells(const Engine& engine, const std::vector<Cells>& columns, std::size_t begin, std::size_t end,
                       BlockRoom& room) {
  const auto& used = engine.columns();
  if (!room.cells) room.cells = std::make_unique_for_overwrite<double[]>(used.size() * kBlockRows);
  room.column.resize(columns.size());
  for (std::size_t i = 0; i < used.size(); ++i)
    room.column[used[i]] = cells_of(columns[used[i]], begin, end, room.cells.get() + i * kBlockRows);
  return room.column;
}

void score_all(const Engine& engine, const std::vector<Cells>& columns, const Run& run, Predictions& out) {
  const auto outputs = static_cast<std::size_t>(out.outputs);
  std::vector<std::unique_ptr<BlockRoom>> rooms(static_cast<std::size_t>(thread_count()));
  const auto own_room = [&]() -> BlockRoom& {
    auto& room = rooms[static_cast<std::size_t>(thread_index())];
    if (!room) room = std::make_unique<BlockRoom>();
    return *room;
  };
  const auto tell = [&](std::size_t done) {
    if (run.progress && done > 0) run.progress({"predicting", done, out.rows});
  };
  const auto cells = [&](std::size_t begin, std::size_t end) {
    return read_cells(engine, columns, begin, end, own_room());
  };
  const auto goes_on = [&](std::size_t done) {
    tell(done);
    return !run.stopped();
  };
  if (engine.score_deep(out.rows, cells, out.score.data(), goes_on)) return;
  std::mutex one_at_a_time;
  std::uint64_t done = 0;
  parallel_for(out.rows, kPredictGrain, [&](std::size_t begin, std::size_t end) {
    if (run.stopped()) return;
    BlockRoom& room = own_room();
    for (std::size_t from = begin; from < end; from += kBlockRows) {
      const std::size_t to = std::min(end, from + kBlockRows);
      engine.score(read_cells(engine, columns, from, to, room), to - from, out.score.data() + from * outputs,
                   room.engine);
    }
    const std::lock_guard lock(one_at_a_time);
    tell(done += end - begin);
  });
}

Result<Predictions> predict_table(const Model& model, const Engine& engine, const Table& table, const Run& run) {
  auto matched = match(model, table);
  if (!matched) return matched.error();
  Predictions out{.rows = table.rows, .outputs = model.forest().outputs, .unseen = std::move(matched->unseen)};
  out.warnings = warnings_of(model, out.unseen, out.rows);
  with_threads(run.threads, [&] {
    reserve_touched(out.score, out.rows * static_cast<std::size_t>(out.outputs));
    out.score.resize(out.rows * static_cast<std::size_t>(out.outputs));
    score_all(engine, matched->columns, run, out);
    if (!run.stopped()) apply_link(model, out);
  });
  if (run.stopped()) return Error{ErrorKind::Interrupted, "interrupted while predicting", ""};
  return out;
}

}  // namespace

struct Predictor::State {
  explicit State(Model given) : model(std::move(given)), engine(model) {
    for (std::size_t c = 0; c < model.schema.columns.size(); ++c)
      if (model.schema.columns[c].type == ColumnType::Category) categories.push_back(c);
  }
  const Model model;
  const Engine engine;
  std::vector<std::size_t> categories;
};

namespace {

// A table of one row goes the way of all tables.
Table one_row(const std::vector<Field>& fields, std::span<const double> cells) {
  Table out{.columns = {}, .rows = 1, .source = "a row"};
  for (std::size_t c = 0; c < fields.size(); ++c) {
    const Field& field = fields[c];
    if (field.type == ColumnType::Number) {
      out.columns.push_back({field.name, Numbers(std::vector<double>{cells[c]})});
      continue;
    }
    const bool known = cells[c] >= 0 && cells[c] < static_cast<double>(field.level.size());
    out.columns.push_back({field.name, Categories{{known ? static_cast<std::int32_t>(cells[c]) : -1}, field.level}});
  }
  return out;
}

void predict_prepared_row(const Model& model, const Engine& engine, std::span<const double> cells,
                          std::span<double> prediction) {
  const Result<Predictions> p = predict_table(model, engine, one_row(model.preparation.columns, cells), {.threads = 1});
  if (p) std::ranges::copy(p->value, prediction.begin());
}

}  // namespace

Predictor::Predictor(Model model) : state_(std::make_shared<const State>(std::move(model))) {}
const Model& Predictor::model() const { return state_->model; }
std::size_t Predictor::width() const {
  const Model& model = state_->model;
  return model.schema.classifies() ? model.schema.target.level.size()
                                   : static_cast<std::size_t>(model.forest().outputs);
}

Result<Predictions> Predictor::predict(const Table& table, const Run& run) const {
  return predict_table(state_->model, state_->engine, table, run);
}

void Predictor::predict_row(std::span<const double> cells, std::span<double> prediction) const {
  if (!state_->model.preparation.empty()) return predict_prepared_row(state_->model, state_->engine, cells, prediction);
  thread_local std::vector<double> known, score;
  const Model& model = state_->model;
  score.resize(static_cast<std::size_t>(model.forest().outputs));
  if (!state_->categories.empty()) {
    known.assign(cells.begin(), cells.end());
    for (const std::size_t c : state_->categories) {
      const auto levels = static_cast<double>(model.schema.columns[c].level.size());
      if (!(known[c] >= 0 && known[c] < levels)) known[c] = kMissing;
    }
    cells = known;
  }
  state_->engine.score_row(cells, score.data());
  apply_link(model, score.data(), prediction.data());
}

Result<Predictions> predict(const Model& model, const Table& table, const Run& run) {
  std::optional<Engine> engine;
  with_threads(run.threads, [&] { engine.emplace(model, table.rows >= kFewRows); });
  return predict_table(model, *engine, table, run);
}

Declarations declarations(const Schema& schema) {
  Declarations out;
  for (const Field& field : schema.columns) out.columns.push_back({.name = field.name, .type = field.type});
  out.columns.push_back({.name = schema.target.name, .type = schema.target.type});
  for (const std::string& name : schema.more_targets) out.columns.push_back({.name = name, .type = ColumnType::Number});
  return out;
}

}  // namespace wald
