#include "measure/curves.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "core/random.h"
#include "measure/measures.h"

namespace wald {
namespace {

// The rows in an order drawn, such that every beginning has of each class alike.
std::vector<Row> growing_order(const Task& task, std::span<const Row> rows, std::uint64_t seed) {
  const Random random(seed, Purpose::Folds, 0xFFFF);
  const auto class_of = [&](Row row) { return task.classifies() ? task.classes().code[row] : 0; };
  std::vector<std::tuple<std::int32_t, std::uint64_t, Row>> drawn;
  for (const Row row : rows) drawn.emplace_back(class_of(row), random.bits(row), row);
  std::ranges::sort(drawn);
  std::vector<std::tuple<double, std::uint64_t, Row>> placed;
  for (std::size_t first = 0, end = 0; first < drawn.size(); first = end) {
    while (end < drawn.size() && std::get<0>(drawn[end]) == std::get<0>(drawn[first])) ++end;
    for (std::size_t i = first; i < end; ++i)
      placed.emplace_back((static_cast<double>(i - first) + 0.5) / static_cast<double>(end - first),
                          std::get<1>(drawn[i]), std::get<2>(drawn[i]));
  }
  std::ranges::sort(placed);
  std::vector<Row> out;
  for (const auto& [place, key, row] : placed) out.push_back(row);
  return out;
}

std::vector<Row> beginning(std::vector<Row> order, double share) {
  const auto n = static_cast<std::size_t>(std::llround(share * static_cast<double>(order.size())));
  order.resize(std::clamp<std::size_t>(n, std::min<std::size_t>(2, order.size()), order.size()));
  std::ranges::sort(order);
  return order;
}

Result<double> measured(const Model& model, const Task& rows, const std::string& measure_name, const Run& run) {
  const Result<Predictions> p = predict(model, rows.x, run);
  if (!p) return p.error();
  const Measures found = measure(model.schema, *p, rows.y, rows.weight, rows.more_y, measuring_for(model, rows.query));
  return found.find(measure_name)->value;
}

// Where the values lie on an axis: by their size, or where there is a word among them one after another.
std::vector<double> places_of(const std::vector<std::string>& values) {
  std::vector<double> size, place;
  for (const std::string& text : values) {
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code == std::errc{} && end == text.data() + text.size()) size.push_back(value);
    place.push_back(static_cast<double>(place.size() + 1));
  }
  return size.size() == values.size() ? size : place;
}

// One fit, measured on both sides.
Status add_fold(std::string_view learner, const Task& task, const Settings& settings, const Fold& fold, double share,
                const std::string& measure_name, const Run& run, CurvePoint& into) {
  const std::vector<Row> rows = share < 1 ? beginning(growing_order(task, fold.train, run.seed), share) : fold.train;
  const Task train = take_rows(task, rows);
  const Result<Model> model = fit(learner, train, settings, run);
  if (!model) return model.error();
  for (const bool held : {false, true}) {
    const Result<double> value = measured(*model, held ? take_rows(task, fold.held) : train, measure_name, run);
    if (!value) return value.error();
    (held ? into.held : into.train).push_back(*value);
  }
  into.at += static_cast<double>(rows.size());
  return Done{};
}

}  // namespace

Result<std::vector<CurvePoint>> validation_curve(std::string_view learner, const Task& task, const Settings& settings,
                                                 std::span<const Fold> folds, const CurveOptions& how, const Run& run,
                                                 const std::function<void(std::size_t, std::size_t)>& told) {
  const bool by_rows = how.option.empty();
  const std::size_t points = by_rows ? how.shares.size() : how.values.size(), all = points * folds.size();
  const std::vector<double> places = places_of(how.values);
  std::size_t done_folds = 0;
  const auto tell = [&] {
    if (told) told(done_folds, all);
  };
  Run quietly = run;
  quietly.progress = [&](const Progress&) { tell(); };
  tell();
  std::vector<CurvePoint> out;
  for (std::size_t i = 0; i < points && !run.stopped(); ++i) {
    CurvePoint point;
    Settings used = settings;
    if (!by_rows) used[how.option] = point.text = how.values[i];
    for (std::size_t f = 0; f < folds.size(); ++f) {
      const Status done =
          add_fold(learner, task, used, folds[f], by_rows ? how.shares[i] : 1, how.measure, quietly, point);
      if (run.stopped()) return out;
      if (!done) return done.error();
      ++done_folds, tell();
    }
    if (by_rows) {
      point.at = std::round(point.at / static_cast<double>(folds.size()));
      point.text = std::to_string(std::llround(point.at));
    } else {
      point.at = places[i];
    }
    out.push_back(std::move(point));
  }
  return out;
}

}  // namespace wald
