#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/curve.h"
#include "cli/deciding.h"
#include "cli/found.h"
#include "cli/json.h"
#include "cli/preparation.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "explain/words.h"
#include "learn/private_account.h"
#include "tree/figures.h"
#include "wald/privacy.h"

namespace wald::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kShownLevels = 8;

// Boosting begins with the best constant score, or with what --start says; other learners with nothing of interest.
std::vector<double> starts_of(const Model& model) {
  return model.made.learner == "boost" ? model.forest().base : std::vector<double>{};
}

ordered_json field_json(const Field& field) {
  ordered_json out = {{"name", field.name}, {"type", field.type == ColumnType::Number ? "number" : "category"}};
  if (field.type == ColumnType::Category) out["levels"] = field.level;
  return out;
}

struct Size {
  std::uint64_t bytes = 0;
  std::size_t trees = 0, nodes = 0, leaves = 0;
  int depth = 0;
};

Size size_of(const Model& model, const std::string& path) {
  const Forest& forest = model.forest();
  Size out{.trees = forest.trees(), .nodes = forest.nodes.size()};
  std::error_code code;
  out.bytes = std::filesystem::file_size(path, code);
  for (std::size_t t = 0; t < forest.trees(); ++t) {
    out.leaves += leaves_of(forest.tree(t));
    out.depth = std::max(out.depth, depth_of(forest.tree(t)));
  }
  return out;
}

// What a private model may tell, as it was claimed and written into the ledger; null for the others.
ordered_json privacy_json(const Model& model) {
  if (!is_private(model.made.learner)) return nullptr;
  const auto& options = model.made.options;
  const auto of = [&](const char* name) -> ordered_json {
    const auto found = options.find(name);
    return found == options.end() ? ordered_json(nullptr) : ordered_json(found->second);
  };
  const auto number = [&](const char* name) -> ordered_json {
    const auto found = options.find(name);
    return found == options.end() ? ordered_json(nullptr) : ordered_json(read_number(found->second).value_or(0));
  };
  const bool pure = of("algorithm") == "dpboost";
  return {{"epsilon", number("epsilon")},   {"delta", pure ? ordered_json(0) : number("delta")},
          {"neighbours", of("neighbours")}, {"observed_bounds", options.contains("accept-observed-bounds")},
          {"model", of("model-id")},        {"ledger_entry", of("ledger-entry")}};
}

ordered_json model_json(const Model& model, const std::string& path) {
  const Size size = size_of(model, path);
  ordered_json out = {{"model", path},
                      {"learner", model.made.learner},
                      {"options", asked_options(model.made)},
                      {"task", model.schema.classifies() ? "classes" : "numbers"},
                      {"target", field_json(model.schema.target)}};
  for (const Field& field : input_schema(model).columns) out["columns"].push_back(field_json(field));
  out["provenance"] = {{"version", model.made.version},
                       {"seed", model.made.seed},
                       {"rows", model.made.rows},
                       {"fingerprint", model.made.fingerprint}};
  out["missing_words"] = model.schema.missing;
  out["privacy"] = privacy_json(model);
  if (is_private(model.made.learner))  // which has none of these
    for (const char* none : {"seed", "rows", "fingerprint"}) out["provenance"][none] = nullptr;
  if (const std::vector<double> starts = starts_of(model); !starts.empty()) out["start"] = starts;
  if (!model.curve.train.empty() || !model.curve.held.empty())
    out["curve"] = {{"measure", model.curve.measure},
                    {"train", model.curve.train},
                    {"held", model.curve.held},
                    {"best", model.curve.best}};
  if (!model.curve.tree_error.empty()) out["curve"]["rounds"] = rounds_json(model);
  if (model.threshold) out["threshold"] = *model.threshold;
  if (model.calibration.kind != Calibration::Kind::None) {
    out["calibration"]["kind"] = model.calibration.kind == Calibration::Kind::Sigmoid ? "sigmoid" : "isotonic";
    for (const Calibration::Curve& curve : model.calibration.curves)
      out["calibration"]["curves"].push_back({{"at", curve.at}, {"to", curve.to}});
  }
  if (!model.preparation.empty()) out["preparation"] = preparation_json(model);
  add_found(model, out);
  out["size"] = {{"bytes", size.bytes},
                 {"trees", size.trees},
                 {"nodes", size.nodes},
                 {"leaves", size.leaves},
                 {"depth", size.depth}};
  return out;
}

std::string levels_in_short(const Field& field) {
  std::string out;
  for (std::size_t k = 0; k < field.level.size() && k < kShownLevels; ++k)
    out += fmt::format("{}{}", k ? ", " : "", printable(field.level[k], 30));
  if (field.level.size() > kShownLevels)
    out += fmt::format(", ... {} more", with_commas(field.level.size() - kShownLevels));
  return out;
}

std::string field_text(const Field& field) {
  if (field.type == ColumnType::Number) return "number";
  return fmt::format("category: {}", levels_in_short(field));
}

std::vector<std::string> start_lines(const Model& model) {
  const std::vector<double> starts = starts_of(model);
  std::vector<std::string> out;
  for (std::size_t k = 0; k < starts.size() && k < kShownLevels; ++k)
    out.push_back(fmt::format("{}: {}", output_words(model, k), short_text(starts[k])));
  if (starts.size() > kShownLevels) out.push_back(fmt::format("... {} more", starts.size() - kShownLevels));
  return out;
}

void show_curve(const Model& model, Terminal& terminal) {
  const LearningCurve& curve = model.curve;
  const std::vector<std::string> lines = curve_lines(curve);
  if (lines.empty()) return;
  const std::size_t rounds = std::max(curve.train.size(), curve.held.size());
  terminal.print(fmt::format(
      "{}{} after each of {}: · training rows{}\n", terminal.bold(left("curve", 13)), printable(curve.measure),
      plural(rounds, "round"),
      curve.held.empty()
          ? ""
          : fmt::format(", o {} rows; best after {}", model.made.options.contains("stop-on") ? "--stop-on" : "held-out",
                        with_commas(curve.best))));
  for (const std::string& l : lines) terminal.print(l + "\n");
}

}  // namespace

Status run_show(const Arguments& given, Terminal& terminal) {
  const std::string& path = given.operands[0];
  const Result<Model> model = load_model(path, terminal);
  if (!model) return model.error();
  if (terminal.json) {
    print_json(model_json(*model, path), terminal);
    return Done{};
  }
  const auto line = [&](std::string_view what, std::string_view text) {
    terminal.print(fmt::format("{}{}\n", terminal.bold(left(std::string(what), 13)), text));
  };
  const auto lines = [&](std::string_view what, const std::vector<std::string>& texts) {
    for (std::size_t i = 0; i < texts.size(); ++i) line(i == 0 ? what : "", texts[i]);
  };
  const Size size = size_of(*model, path);
  std::string options;
  for (const auto& [name, value] : asked_options(model->made))
    options += fmt::format("{}--{} {}", options.empty() ? "" : " ", name, printable(value));
  line("model", fmt::format("{} ({})", printable(path, 200), size_text(size.bytes)));
  line("learner", printable(model->made.learner));
  line("options", options);
  line("trees", fmt::format("{}: {}, {}, depth {}", size.trees, plural(size.nodes, "node"),
                            size.leaves == 1 ? "1 leaf" : with_commas(size.leaves) + " leaves", size.depth));
  line("target", fmt::format("{}, {}", printable(model->schema.target.name), field_text(model->schema.target)));
  const std::vector<Field> columns = input_schema(*model).columns;
  for (std::size_t i = 0; i < columns.size(); ++i)
    line(i == 0 ? "columns" : "", fmt::format("{}, {}", printable(columns[i].name), field_text(columns[i])));
  if (is_private(model->made.learner)) {
    const ordered_json privacy = privacy_json(*model);
    line("privacy",
         fmt::format("epsilon {} at delta {}: {}{}", privacy["epsilon"].dump(), privacy["delta"].dump(),
                     printable(privacy["neighbours"].is_string() ? privacy["neighbours"].get<std::string>() : "", 200),
                     privacy["observed_bounds"] == true ? "; bounds were observed and are not protected" : ""));
    line("made by",
         fmt::format("wald {}; neither rows nor a seed of the noise are known", printable(model->made.version)));
    return Done{};
  }
  line("made by", fmt::format("wald {}, seed {}, from {}", printable(model->made.version), model->made.seed,
                              plural(model->made.rows, "row")));
  for (const std::string& text : deciding_lines(*model)) line("decides", text);
  for (const auto& [what, text] : preparation_lines(*model)) line(what, text);
  for (const auto& [what, text] : found_lines(*model)) line(what, text);
  lines("start", start_lines(*model));
  show_curve(*model, terminal);
  lines("rounds", round_lines(*model));
  line("fingerprint", fmt::format("{} of the training data", printable(model->made.fingerprint)));
  return Done{};
}

}  // namespace wald::cli
