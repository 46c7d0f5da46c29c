#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/prune_path.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "explain/dot.h"
#include "explain/path.h"
#include "explain/reach.h"
#include "explain/rules.h"
#include "explain/svg.h"
#include "explain/text.h"
#include "explain/words.h"
#include "wald/predict.h"
#include "wald/task.h"

namespace wald::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kUsualDepth = 64;  // the indent of deeper trees would not fit any page

ordered_json terms_json(const Model& model, const Node& leaf) {
  ordered_json out = ordered_json::array();
  for (const Term& term : model.forest().terms_of(leaf))
    out.push_back({{"column", model.schema.columns[term.column].name},
                   {"output", term.output},
                   {"slope", term.slope},
                   {"centre", term.centre},
                   {"low", term.low},
                   {"high", term.high}});
  return out;
}

// "missing" becomes the child of rows that no surrogate places.
void put_surrogates(const Model& model, const Node& node, ordered_json& out) {
  for (const Surrogate& s : model.forest().surrogates_of(node)) {
    if (s.is_last()) {
      out["missing"] = node.child + s.ref;
      return;
    }
    const Field& field = model.schema.columns[s.column()];
    ordered_json one = {{"column", field.name}, {"agreement", s.agreement}};
    if (s.test() == Test::Threshold) one["threshold"] = model.forest().cuts[s.column()][s.ref];
    for (std::uint32_t k = 0; k < 2; ++k) one["children"].push_back(node.child + (k != s.turned()));
    for (std::uint32_t k = 0; k < 2 && s.test() == Test::Set; ++k) {
      ordered_json levels = ordered_json::array();
      for (std::int32_t l = 0; l < static_cast<std::int32_t>(field.level.size()); ++l)
        if (model.forest().set_has(s.ref, l) == (k == 0)) levels.push_back(field.level[l]);
      one["levels"].push_back(levels);
    }
    out["surrogates"].push_back(one);
  }
}

ordered_json node_json(const Model& model, const ShownTree& tree, const NodePlace& place, const Reach& reach) {
  const Node& node = tree.nodes[place.node];
  ordered_json out = {{"node", place.node}, {"depth", place.depth}};
  if (place.depth > 0) out["parent"] = place.parent;
  if (place.depth > 0) out["branch"] = branch_text(model, tree.nodes[place.parent], place.branch, reach.levels());
  if (!tree.cover.empty()) out["cover"] = tree.cover[place.node];
  const auto values = tree.values_of(place.node);
  if (tree.width == 1) out["value"] = values[0];
  else out["values"] = std::vector<double>(values.begin(), values.end());
  if (node.is_leaf()) {
    if (const ordered_json terms = terms_json(model, node); !terms.empty()) out["terms"] = terms;
    if (model.forest().trees() == 1 && !class_shares(model, tree, place.node).empty())
      out["prediction"] = model.schema.target.level[class_of(model, tree, place.node)];
    return out;
  }
  const Field& field = model.schema.columns[node.column()];
  out["column"] = field.name;
  if (!tree.gain.empty()) out["gain"] = tree.gain[place.node];
  if (node.test() == Test::Threshold) {
    const double cut = model.forest().cuts[node.column()][node.ref];
    if (std::isinf(cut)) out["threshold"] = exact_text(cut);  // JSON has no infinity: "-inf", or "inf" for "is missing"
    else out["threshold"] = cut;
  }
  for (std::uint32_t k = 0; k < node.ways(); ++k) {
    out["children"].push_back(node.child + k);
    if (node.test() == Test::Threshold) continue;
    ordered_json levels = ordered_json::array();
    for (std::int32_t level : reach.levels(k)) levels.push_back(field.level[level]);
    out["levels"].push_back(levels);
  }
  if (node.missing() >= kMissingEverywhere) out["missing"] = nullptr;
  else out["missing"] = node.child + node.missing();
  if (node.missing() == kMissingAsks) put_surrogates(model, node, out);
  return out;
}

ordered_json tree_json(const Model& model, std::size_t index, std::uint32_t depth) {
  const ShownTree tree = shown(model, index);
  ordered_json nodes = ordered_json::array();
  Reach reach(model, tree);
  for (const NodePlace& place : places(tree, depth)) {
    reach.enter(place);
    nodes.push_back(node_json(model, tree, place, reach));
  }
  ordered_json out = {{"target", model.schema.target.name}, {"tree", index + 1}, {"trees", model.forest().trees()}};
  if (model.schema.classifies()) out["classes"] = model.schema.target.level;
  if (tree.output != kAllOutputs) out["output"] = tree.output;
  out["nodes"] = nodes;
  return out;
}

Status write_picture(const std::string& text, const Arguments& given, Terminal& terminal) {
  Result<Output> output = Output::open(given, terminal);
  if (!output) return output.error();
  if (Status written = output->write(text); !written) return written;
  if (Status finished = output->finish(); !finished) return finished;
  if (output->to_file() && !terminal.json) terminal.print(fmt::format("wrote {}\n", printable(output->path(), 200)));
  return Done{};
}

ordered_json path_json(const Model& model, std::size_t index, const RowPath& path) {
  const TreeView tree = model.forest().tree(index);
  ordered_json nodes = ordered_json::array();
  for (const PathStep& step : path.steps) {
    const Node& node = tree.nodes[step.node];
    nodes.push_back({{"node", step.node},
                     {"column", model.schema.columns[node.column()].name},
                     {"value", step.value},
                     {"branch", branch_text(model, node, step.branch)}});
    if (!step.because.empty()) nodes.back()["because"] = step.because;
  }
  nodes.push_back({{"node", path.end}});
  if (path.spreads) {
    nodes.back()["column"] = model.schema.columns[tree.nodes[path.end].column()].name;
    nodes.back()["value"] = path.spread;
  }
  if (!path.held.empty()) nodes.back()["held"] = path.held;
  return nodes;
}

// Of one row: a class, a number, or of several numbers each by its name.
ordered_json prediction_json(const Schema& schema, const Predictions& p) {
  if (schema.classifies()) return schema.target.level[p.label[0]];
  if (!schema.several()) return p.value[0];
  ordered_json out = ordered_json::object();
  const std::vector<std::string> names = schema.output_names();
  for (std::size_t k = 0; k < names.size(); ++k) out[names[k]] = p.value[k];
  return out;
}
std::string prediction_text(const Schema& schema, const Predictions& p) {
  if (schema.classifies())
    return fmt::format("{} = {}  (p = {})", printable(schema.target.name, 40),
                       printable(schema.target.level[p.label[0]], 40), short_text(p.value[p.label[0]]));
  std::string out;
  const std::vector<std::string> names = schema.output_names();
  for (std::size_t k = 0; k < names.size(); ++k)
    out += fmt::format("{}{} = {}", k == 0 ? "" : ", ", printable(names[k], 40), exact_text(p.value[k]));
  return out;
}

Status show_path(const Model& whole, std::size_t index, const Arguments& given, Terminal& terminal) {
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  if (given.operands.size() < 2)
    return usage("--path needs DATA, the table the row is in", "wald tree MODEL DATA --path ROW");
  const Model model = without_preparation(whole);
  const Result<Table> table = read_body_data(whole, given.operands[1], given, *run, terminal);
  if (!table) return table.error();
  const Result<std::uint64_t> row = given.whole("path", 1, 1, table->rows);
  if (!row) return row.error();
  const auto chosen = static_cast<Row>(*row - 1);
  const Table one = take_rows(*table, std::vector<Row>{chosen});
  const Result<Predictions> p = predict(model, one, *run);
  if (!p) return p.error();
  for (const std::string& warning : p->warnings) terminal.warn(warning);
  const RowPath path = row_path(whole, index, one, 0);  // whole: its words tell of the preparation
  if (terminal.json) {
    print_json(
        {{"row", *row}, {"prediction", prediction_json(model.schema, *p)}, {"nodes", path_json(whole, index, path)}},
        terminal);
    return Done{};
  }
  const std::string text = path_text(whole, index, path);
  return write_picture(text + "prediction: " + prediction_text(model.schema, *p) + "\n", given, terminal);
}

// Of one tree among many.
std::string heading(const Model& model, std::size_t index) {
  if (model.forest().trees() == 1) return {};
  return fmt::format("tree {} of {}; {}\n", with_commas(index + 1), with_commas(model.forest().trees()),
                     model.link == Link::Probabilities ? "all of them vote" : "what all of them say is added up");
}

Status too_many(std::string_view what, std::uint32_t leaves) {
  return usage(fmt::format("{} of {} leaves cannot be read; at most {} are drawn", what, with_commas(leaves),
                           with_commas(kMostDrawnLeaves)),
               "show its upper part with --depth N, or write --rules");
}

}  // namespace

Status run_tree(const Arguments& given, Terminal& terminal) {
  const int forms =
      given.has("dot") + given.has("svg") + given.has("rules") + given.has("path") + given.has("prune-path");
  if (forms > 1) return usage("--dot, --svg, --rules, --path and --prune-path exclude each other", "give one of them");
  if (given.operands.size() > 1 && !given.has("path") && !given.has("prune-path"))
    return usage("a table is read only for --path and --prune-path", "add one of them, or leave the table away");
  const Result<Model> model = load_model(given.operands[0], terminal);
  if (!model) return model.error();
  if (model->forest().trees() == 0)
    return usage(fmt::format("{} has no tree: it says the same of every row", printable(given.operands[0], 200)),
                 "wald show tells more of the model");
  const auto tree = given.whole("tree", 1, 1, model->forest().trees());
  if (!tree) return tree.error();
  const auto depth = given.whole("depth", kUsualDepth, 0, 1'000'000);
  if (!depth) return depth.error();
  const auto index = static_cast<std::size_t>(*tree - 1);
  const auto levels = static_cast<std::uint32_t>(*depth);
  if (given.has("path")) return show_path(*model, index, given, terminal);
  if (given.has("prune-path")) return show_prune_path(*model, index, given, terminal);
  if (given.has("rules") && given.has("depth"))
    return usage("--rules are those of whole paths and know no --depth", "leave one of them away");
  if (terminal.json && forms == 0) {
    const ordered_json json = tree_json(*model, index, given.has("depth") ? levels : kAnyDepth);
    if (given.text("output", "-") != "-") return write_picture(json.dump(2) + "\n", given, terminal);
    print_json(json, terminal);
    return Done{};
  }
  if (terminal.json && given.text("output", "-") == "-")
    return usage("with --json standard output is one JSON object, so the drawing needs a file", "add -o FILE");
  if (given.has("svg"))
    if (const std::uint32_t leaves = drawn_leaves(model->forest().tree(index), levels); leaves > kMostDrawnLeaves)
      return too_many("a picture", leaves);
  const std::string text = given.has("rules") ? heading(*model, index) + rules_text(*model, index)
                           : given.has("svg") ? tree_svg(*model, index, levels)
                           : given.has("dot") ? tree_dot(*model, index, levels)
                                              : heading(*model, index) + tree_text(*model, index, levels);
  if (Status written = write_picture(text, given, terminal); !written) return written;
  if (terminal.json) print_json(tree_json(*model, index, levels), terminal);
  return Done{};
}

}  // namespace wald::cli
