#include "explain/dot.h"

#include <fmt/format.h>

#include "core/text.h"
#include "explain/notes.h"
#include "explain/reach.h"
#include "explain/words.h"

namespace wald {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string node_label(const Model& model, const ShownTree& tree, const NodePlace& place) {
  const Node& node = tree.nodes[place.node];
  const NodeWords words = node_words(model, tree, place.node);
  std::string label = quoted(words.value);
  if (!tree.cover.empty()) label += "\\n" + weight_text(tree.cover[place.node]);
  if (place.cut) return label + "\\n...";
  if (node.is_leaf() && words.answer != words.value) label += "\\n→ " + quoted(words.answer);
  return node.is_leaf() ? label : quoted(column_name(model, node.column())) + "\\n" + label;
}

// The edge says what the parent asks of its column, without the column's name.
std::string edge_label(const Model& model, const Node& parent, std::uint32_t branch,
                       std::span<const std::int32_t> levels) {
  const std::string text = branch_text(model, parent, branch, levels);
  return quoted(text.substr(column_name(model, parent.column()).size() + 1));
}

}  // namespace

std::string tree_dot(const Model& model, std::size_t index, std::uint32_t max_depth) {
  const ShownTree tree = shown(model, index);
  std::string title = quoted(title_of(model, tree));
  for (const std::string& note : notes_of(model, tree)) title += "\\n" + quoted(note);
  std::string out = fmt::format(
      "digraph tree {{\n  label=\"{}\";\n  labelloc=t;\n  node [shape=box, style=\"rounded,filled\", "
      "fillcolor=\"#f4f4f4\", fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n",
      title);
  Reach reach(model, tree);
  for (const NodePlace& place : places(tree, max_depth)) {
    reach.enter(place);
    const bool leaf = tree.nodes[place.node].is_leaf();
    out += fmt::format("  n{} [label=\"{}\"{}];\n", place.node, node_label(model, tree, place),
                       leaf ? ", fillcolor=\"#dceaf7\"" : "");
    if (place.depth > 0)
      out += fmt::format("  n{} -> n{} [label=\"{}\"];\n", place.parent, place.node,
                         edge_label(model, tree.nodes[place.parent], place.branch, reach.levels()));
  }
  return out + "}\n";
}

}  // namespace wald
