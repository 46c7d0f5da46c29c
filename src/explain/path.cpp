#include "explain/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "core/text.h"
#include "explain/notes.h"
#include "explain/words.h"

namespace wald {
namespace {

struct Cell {
  std::string text;
  double number = kMissing;
  std::int32_t level = -1;
  bool missing() const { return std::isnan(number) && level < 0; }
};

Cell cell_of(const Field& field, const Column& column, Row row) {
  if (field.type == ColumnType::Number) {
    if (column.type() != ColumnType::Number) return {"missing"};
    const double value = column.numbers()[row];
    return {std::isnan(value) ? "missing" : value_text(value), value};
  }
  std::string text;
  if (column.type() == ColumnType::Number) {
    if (std::isnan(column.numbers()[row])) return {"missing"};
    text = exact_text(column.numbers()[row]);
  } else {
    const std::int32_t code = column.categories().code[row];
    if (code < 0) return {"missing"};
    text = column.categories().level[code];
  }
  const auto found = std::ranges::find(field.level, text);
  if (found == field.level.end()) return {printable(text, 40) + " (unseen in training)"};
  return {level_text(text), kMissing, static_cast<std::int32_t>(found - field.level.begin())};
}

std::uint32_t branch_of(const Model& model, const Node& node, const Cell& cell) {
  if (cell.missing()) return node.missing();
  if (node.test() == Test::Threshold) return cell.number <= model.forest().cuts[node.column()][node.ref] ? 0 : 1;
  if (node.test() == Test::Set) return model.forest().set_has(node.ref, cell.level) ? 0 : 1;
  return static_cast<std::uint32_t>(cell.level) < node.ways() ? static_cast<std::uint32_t>(cell.level) : node.missing();
}

// What a test hears: a number, a level's code, or NaN.
double heard(const Cell& cell) { return cell.level >= 0 ? cell.level : cell.number; }

// Which surrogate decides, and how.
void ask_surrogates(const Model& model, const Node& node, const Table& table, Row row, PathStep& step) {
  const Forest& forest = model.forest();
  const auto cell = [&](std::uint32_t column) {
    const Field& field = model.schema.columns[column];
    return cell_of(field, *table.find(field.name), row);
  };
  step.branch = forest.surrogate_child(node, [&](std::uint32_t column) { return heard(cell(column)); });
  for (const Surrogate& s : forest.surrogates_of(node)) {
    if (s.is_last()) step.because = "like most rows";
    else if (!cell(s.column()).missing()) step.because = "as " + surrogate_text(model, s, step.branch);
    if (!step.because.empty()) return;
  }
}

// Where the equation of a leaf does not take the row's own number.
std::vector<std::string> held_numbers(const Model& model, const Node& leaf, const Table& table, Row row) {
  std::vector<std::string> out;
  for (const Term& term : model.forest().terms_of(leaf)) {
    const Field& field = model.schema.columns[term.column];
    const double x = cell_of(field, *table.find(field.name), row).number;
    const double taken = std::isnan(x) ? term.centre : std::clamp(x, term.low, term.high);
    if (x == taken) continue;
    std::string text = std::isnan(x) ? fmt::format("missing, counted as {}", value_text(taken))
                                     : fmt::format("{}, held at {}", value_text(x), value_text(taken));
    text = fmt::format("{} is {}", column_name(model, term.column), text);
    if (std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));  // a term a class may say the same
  }
  return out;
}

}  // namespace

RowPath row_path(const Model& model, std::size_t index, const Table& table, Row row) {
  const TreeView tree = model.forest().tree(index);
  RowPath path;
  while (!tree.nodes[path.end].is_leaf() && !path.spreads) {
    const Node& node = tree.nodes[path.end];
    const Field& field = model.schema.columns[node.column()];
    const Column* column = table.find(field.name);
    WALD_CHECK(column != nullptr);
    const Cell cell = cell_of(field, *column, row);
    const std::uint32_t branch = branch_of(model, node, cell);
    path.spreads = branch == kMissingEverywhere;
    path.spread = path.spreads ? cell.text : "";
    if (path.spreads) break;
    path.steps.push_back({path.end, branch, cell.text});
    if (branch == kMissingAsks) ask_surrogates(model, node, table, row, path.steps.back());
    path.end = node.child + path.steps.back().branch;
  }
  if (!path.spreads) path.held = held_numbers(model, tree.nodes[path.end], table, row);
  return path;
}

std::string path_text(const Model& model, std::size_t index, const RowPath& path) {
  const ShownTree tree = shown(model, index);
  std::vector<std::array<std::string, 4>> lines = {{"start", "", ""}};
  const auto say = [&](std::uint32_t node) {
    lines.back()[2] = node_words(model, tree, node, std::numeric_limits<std::size_t>::max()).value;
    if (!tree.cover.empty()) lines.back()[3] = weight_text(tree.cover[node]);
  };
  say(0);
  for (const PathStep& step : path.steps) {
    const Node& node = tree.nodes[step.node];
    lines.push_back(
        {fmt::format("{} is {}", column_name(model, node.column()), step.value),
         "so " + branch_text(model, node, step.branch) + (step.because.empty() ? "" : ", ") + step.because});
    say(node.child + step.branch);
  }
  std::string out = notes_text(model, tree) + aligned(lines, {false, false, true, false});
  for (const std::string& held : path.held) out += held + "\n";
  if (path.spreads)
    out += fmt::format("{} is {}: the row follows every branch, weighted by its share of rows\n",
                       column_name(model, tree.nodes[path.end].column()), path.spread);
  return out;
}

}  // namespace wald
