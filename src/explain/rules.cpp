#include "explain/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "explain/notes.h"
#include "explain/walk.h"
#include "explain/words.h"

namespace wald {
namespace {

void narrow(Condition& condition, const Model& model, const Node& node, std::uint32_t branch) {
  condition.missing = condition.missing && node.missing() == branch;
  if (node.test() == Test::Threshold) {
    const double cut = model.forest().cuts[node.column()][node.ref];
    if (branch == 0) condition.most = std::min(condition.most.value_or(cut), cut);
    else condition.above = std::max(condition.above.value_or(cut), cut);
    return;
  }
  const std::vector<std::int32_t> allowed = branch_levels(model, node, branch);
  if (!condition.levels) {
    condition.levels = allowed;
    return;
  }
  std::vector<std::int32_t> both;
  std::ranges::set_intersection(*condition.levels, allowed, std::back_inserter(both));
  condition.levels = std::move(both);
}

Condition& condition_on(std::vector<Condition>& when, std::uint32_t column) {
  const auto found = std::ranges::find(when, column, &Condition::column);
  if (found != when.end()) return *found;
  when.push_back({.column = column});
  return when.back();
}

// Without the outer "or missing"; empty when no value but a missing one can hold. A bound of infinity only says that
// there is a value.
std::string range_text(const std::string& name, const Condition& c) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (c.above == kInfinity || (c.above && c.most && *c.above >= *c.most)) return "";
  if (c.above && c.most && *c.most < kInfinity)
    return fmt::format("{} < {} ≤ {}", exact_text(*c.above), name, exact_text(*c.most));
  if (c.above) return fmt::format("{} > {}", name, exact_text(*c.above));
  return *c.most == kInfinity ? name + " is known" : fmt::format("{} ≤ {}", name, exact_text(*c.most));
}
std::string set_text(const Model& model, const std::string& name, const Condition& c) {
  const Field& field = model.schema.columns[c.column];
  if (c.levels->empty()) return "";
  if (c.levels->size() == 1) return fmt::format("{} = {}", name, level_text(field.level[c.levels->front()], 200));
  return fmt::format("{} in {}", name, levels_text(field, *c.levels, std::numeric_limits<std::size_t>::max()));
}

}  // namespace

bool Condition::holds(double value) const {
  if (std::isnan(value)) return missing;
  return (!above || value > *above) && (!most || value <= *most);
}
bool Condition::holds(std::int32_t level) const {
  if (level < 0) return missing;
  return !levels || std::ranges::binary_search(*levels, level);
}

std::vector<Rule> tree_rules(const Model& model, std::size_t index) {
  const TreeView tree = model.forest().tree(index);
  const std::vector<Origin> origin = origins(tree);
  std::vector<Rule> rules;
  for (const NodePlace& place : places(tree)) {
    if (!tree.nodes[place.node].is_leaf()) continue;
    std::vector<std::uint32_t> path;
    for (std::uint32_t node = place.node; node != 0; node = origin[node].parent) path.push_back(node);
    Rule rule{.leaf = place.node};
    for (auto node = path.rbegin(); node != path.rend(); ++node) {
      const Node& parent = tree.nodes[origin[*node].parent];
      narrow(condition_on(rule.when, parent.column()), model, parent, origin[*node].branch);
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::string condition_text(const Model& model, const Condition& c) {
  const std::string name = column_name(model, c.column);
  const std::string text = c.levels ? set_text(model, name, c) : range_text(name, c);
  const std::string_view gap = c.missing ? gap_words(model, c.column) : "";
  if (text.empty()) return name + " is " + (gap.empty() ? "never so" : std::string(gap.substr(4)));
  return gap.empty() ? text : fmt::format("({}{})", text, gap);
}

std::string rules_text(const Model& model, std::size_t index) {
  const ShownTree tree = shown(model, index);
  const std::string name = title_of(model, tree);
  const bool alone = model.forest().trees() == 1;  // else each tree adds its part
  std::string out = notes_text(model, tree);
  for (const Rule& rule : tree_rules(model, index)) {
    std::string when;
    for (const Condition& c : rule.when) when += (when.empty() ? "if " : " and ") + condition_text(model, c);
    const NodeWords words = node_words(model, tree, rule.leaf, std::numeric_limits<std::size_t>::max());
    out += fmt::format("{} then {} {} {}", when.empty() ? "always" : when, name, alone ? "=" : "+=", words.answer);
    std::string aside = words.answer != words.value ? words.value : "";
    if (!tree.cover.empty()) aside += (aside.empty() ? "" : ", ") + weight_text(tree.cover[rule.leaf]);
    out += aside.empty() ? "\n" : fmt::format("   ({})\n", aside);
  }
  if (std::ranges::any_of(tree.nodes, [](const Node& n) { return !n.is_leaf() && n.missing() == kMissingAsks; }))
    out += "rows that miss a value asked for are placed by surrogates, which 'wald tree' without --rules lists\n";
  if (std::ranges::any_of(tree.nodes, [](const Node& n) { return !n.is_leaf() && n.missing() == kMissingEverywhere; }))
    out += "rows that miss a value asked for go all ways, a part each: no one rule speaks for them\n";
  return out;
}

}  // namespace wald
