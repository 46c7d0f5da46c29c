#include "model/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "prepare/steps.h"

namespace wald {
namespace {

// Names, levels and options travel in one FlatBuffer, which ends at 2 GB; this leaves room for its offsets.
constexpr std::size_t kMaxText = std::size_t{1} << 30, kMaxStrings = std::size_t{1} << 26;

// --- text -----------------------------------------------------------------------------------------------------------

std::string text_flaw(const std::vector<std::string_view>& all) {
  std::size_t bytes = 0;
  for (const std::string_view text : all) {
    if (!valid_utf8(text)) return fmt::format("the text '{}' is not valid UTF-8", printable(text));
    bytes += text.size();
  }
  if (bytes > kMaxText || all.size() > kMaxStrings) return "its names and levels take more than 1 GB";
  return {};
}

std::optional<std::string_view> doubled(std::vector<std::string_view> words) {
  std::ranges::sort(words);
  const auto found = std::ranges::adjacent_find(words);
  return found == words.end() ? std::nullopt : std::optional(*found);
}

std::string field_flaw(const Field& field) {
  if (field.type == ColumnType::Number)
    return field.level.empty() ? "" : fmt::format("column '{}' holds numbers but lists levels", printable(field.name));
  if (field.level.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    return fmt::format("column '{}' has too many levels", printable(field.name));
  if (const auto level = doubled({field.level.begin(), field.level.end()}))
    return fmt::format("column '{}' lists the level '{}' twice", printable(field.name), printable(*level));
  return {};
}

std::string schema_flaw(const Schema& schema) {
  std::vector<std::string_view> names{schema.target.name};
  names.insert(names.end(), schema.more_targets.begin(), schema.more_targets.end());
  for (const Field& field : schema.columns) names.push_back(field.name);
  if (const auto name = doubled(std::move(names))) return fmt::format("two columns are named '{}'", printable(*name));
  for (const Field& field : schema.columns)
    if (std::string found = field_flaw(field); !found.empty()) return found;
  return field_flaw(schema.target);
}

std::vector<std::string_view> all_text(const Model& model) {
  std::vector<std::string_view> all{model.made.version, model.made.learner, model.made.fingerprint,
                                    model.curve.measure};
  const auto add = [&all](const Field& field) {
    all.push_back(field.name);
    all.insert(all.end(), field.level.begin(), field.level.end());
  };
  for (const Field& field : model.schema.columns) add(field);
  add(model.schema.target);
  all.insert(all.end(), model.schema.missing.begin(), model.schema.missing.end());
  all.insert(all.end(), model.schema.more_targets.begin(), model.schema.more_targets.end());
  for (const auto& [name, value] : model.made.options) all.insert(all.end(), {name, value});
  for (const auto& [name, value] : model.found) all.push_back(name);
  for (const Field& field : model.preparation.columns) add(field);
  for (const PreparationStep& step : model.preparation.steps)
    for (const auto* words : {&step.from, &step.to, &step.level}) all.insert(all.end(), words->begin(), words->end());
  return all;
}

// The steps make what the body looks at.
std::string preparation_flaw(const Model& model) {
  if (model.preparation.empty()) return {};
  std::string found = schema_flaw(input_schema(model));
  if (!found.empty()) return found;
  const std::vector<Field> after = fields_after(model.preparation, found);
  if (found.empty() && after != model.schema.columns) found = "its preparation makes other columns than it looks at";
  return found;
}

// --- what scores become ----------------------------------------------------------------------------------------------

std::string quantiles_flaw(const Model& model) {
  const std::vector<double>& q = model.schema.quantiles;
  if ((model.link == Link::Ordered) != !q.empty()) return "its quantiles and its link do not belong together";
  if (q.empty()) return {};
  if (q.size() != static_cast<std::size_t>(model.forest().outputs) || !model.schema.more_targets.empty())
    return fmt::format("it has {} outputs for {} quantiles of one target", model.forest().outputs, q.size());
  double before = 0;
  for (const double at : q)
    if (!(at > before && at < 1)) return "its quantiles do not ascend between 0 and 1";
    else before = at;
  return {};
}

std::string link_flaw(const Model& model) {
  const std::size_t classes = model.schema.target.level.size();
  const auto outputs = static_cast<std::size_t>(model.forest().outputs);
  if (model.link > Link::Ordered) return fmt::format("it has the unknown link {}", static_cast<int>(model.link));
  const bool numbers = model.link == Link::Identity || model.link == Link::Exponential || model.link == Link::Ordered;
  if (numbers == model.schema.classifies()) return "its scores are linked to another kind of target than it has";
  if (!model.schema.more_targets.empty() &&
      (model.link != Link::Identity || outputs != 1 + model.schema.more_targets.size()))
    return fmt::format("it has {} outputs for {} targets", outputs, 1 + model.schema.more_targets.size());
  if (const std::string found = quantiles_flaw(model); !found.empty()) return found;
  if (numbers) return {};
  if (model.link == Link::Logistic)
    return classes == 2 && outputs == 1
               ? ""
               : fmt::format("its one log-odds has {} outputs for {} classes", outputs, classes);
  return classes >= 1 && classes == outputs ? "" : fmt::format("it has {} outputs for {} classes", outputs, classes);
}

std::string threshold_flaw(const Model& model) {
  if (!model.threshold) return {};
  if (!model.schema.classifies() || model.schema.target.level.size() != 2)
    return "it has a threshold of probability without having two classes";
  const double at = *model.threshold;  // -1: always the second class
  return at == -1 || (at >= 0 && at <= 1) ? "" : "its threshold is not a probability";
}

std::string calibration_flaw(const Model& model) {
  const Calibration& c = model.calibration;
  const auto finite = [](double x) { return std::isfinite(x); };
  const auto probability = [](double x) { return x >= 0 && x <= 1; };
  if (c.kind == Calibration::Kind::None) return c.curves.empty() ? "" : "it has a calibration of no kind";
  if (c.kind > Calibration::Kind::Isotonic) return "it is calibrated in an unknown way";
  const std::size_t classes = model.schema.target.level.size();
  if (!model.schema.classifies() || classes < 2 || c.curves.size() != (classes == 2 ? 1 : classes))
    return fmt::format("it has {} curves of calibration for {} classes", c.curves.size(), classes);
  for (const Calibration::Curve& curve : c.curves) {
    if (curve.at.empty() || curve.at.size() != curve.to.size() || !std::ranges::all_of(curve.at, finite) ||
        !std::ranges::all_of(curve.to, finite))
      return "a curve of its calibration is not whole";
    if (c.kind == Calibration::Kind::Sigmoid && curve.at.size() != 1) return "a sigmoid of its calibration has knots";
    if (c.kind == Calibration::Kind::Isotonic &&
        (!std::ranges::is_sorted(curve.to) || !std::ranges::all_of(curve.to, probability) ||
         std::ranges::adjacent_find(curve.at, std::greater_equal<>{}) != curve.at.end()))
      return "a curve of its calibration does not ascend";
  }
  return {};
}

std::string curve_flaw(const LearningCurve& curve) {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!curve.held.empty() && curve.held.size() != curve.train.size())
    return fmt::format("its learning curve has {} rounds and {} held out", curve.train.size(), curve.held.size());
  if (curve.best > curve.train.size())
    return fmt::format("its learning curve keeps {} rounds of {}", curve.best, curve.train.size());
  if (!std::ranges::all_of(curve.train, finite) || !std::ranges::all_of(curve.held, finite))
    return "its learning curve is not finite";
  for (const std::vector<double>* errors : {&curve.tree_error, &curve.training_error}) {
    if (!errors->empty() && errors->size() != curve.train.size())
      return fmt::format("its learning curve has {} rounds and {} errors", curve.train.size(), errors->size());
    if (!std::ranges::all_of(*errors, [](double e) { return e >= 0 && e <= 1; }))
      return "an error of its learning curve is no share";
  }
  return "";
}

}  // namespace

std::string flaw(const Model& model) {
  const Forest& forest = model.forest();
  std::string found = text_flaw(all_text(model));
  if (found.empty()) found = schema_flaw(model.schema);
  if (found.empty()) found = forest_flaw(model.schema, forest);
  if (found.empty()) found = link_flaw(model);
  if (found.empty()) found = threshold_flaw(model);
  if (found.empty()) found = calibration_flaw(model);
  if (found.empty()) found = preparation_flaw(model);
  if (found.empty()) found = curve_flaw(model.curve);
  for (const auto& [name, value] : model.found)
    if (found.empty() && !std::isfinite(value)) found = fmt::format("it found {} to be no number", printable(name));
  return found;
}

}  // namespace wald
