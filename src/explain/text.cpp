#include "explain/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "explain/notes.h"
#include "explain/reach.h"
#include "explain/words.h"

namespace wald {
namespace {

// A deep tree takes fewer columns a level, or its lines would leave the page.
struct Stem {
  const char *child, *last, *below, *below_last;
};
constexpr Stem kStems[] = {{"├─ ", "└─ ", "│  ", "   "}, {"├ ", "└ ", "│ ", "  "}, {"├", "└", "│", " "}};

using Line = std::array<std::string, 4>;  // branch, value, weight, answer

Line line_of(const Model& model, const ShownTree& tree, const NodePlace& place, const Reach& reach,
             std::uint32_t leaves) {
  const NodeWords words = node_words(model, tree, place.node);
  Line line;
  line[0] = place.depth == 0 ? title_of(model, tree)
                             : branch_text(model, tree.nodes[place.parent], place.branch, reach.levels());
  line[1] = words.value;
  if (!tree.cover.empty()) line[2] = weight_text(tree.cover[place.node]);
  if (place.cut) line[3] = leaves == 1 ? "... 1 leaf" : fmt::format("... {} leaves", with_commas(leaves));
  else if (tree.nodes[place.node].is_leaf() && words.answer != words.value) line[3] = "→ " + words.answer;
  return line;
}

// For each split that has surrogates: what is asked instead, and where rows go that answer none of it.
std::string surrogates_text(const Model& model, const ShownTree& tree, const std::vector<NodePlace>& order) {
  std::vector<Line> lines;
  Reach reach(model, tree);
  for (const NodePlace& place : order) {
    reach.enter(place);
    const Node& node = tree.nodes[place.node];
    if (place.cut || node.is_leaf() || node.missing() != kMissingAsks) continue;
    std::string asked;
    for (const Surrogate& s : model.forest().surrogates_of(node))
      asked += s.is_last() ? "else " + branch_text(model, node, s.ref, reach.levels(s.ref))
                           : fmt::format("{} ({}), ", surrogate_text(model, s, 0), percent_text(s.agreement));
    lines.push_back({"  " + branch_text(model, node, 0, reach.levels(0)), "if " + asked});
  }
  if (lines.empty()) return {};
  return "\nwhere a value is missing, the first of these that is known decides (with how many rows it agrees):\n" +
         aligned(lines, {});
}

}  // namespace

std::string tree_text(const Model& model, std::size_t index, std::uint32_t max_depth) {
  const ShownTree tree = shown(model, index);
  const std::vector<NodePlace> order = places(tree, max_depth);
  const std::vector<std::uint32_t> leaves = leaves_below(tree);
  std::vector<Line> lines;
  std::uint32_t deepest = 0;
  for (const NodePlace& place : order) deepest = std::max(deepest, place.depth);
  const Stem& stem = kStems[deepest <= 12 ? 0 : deepest <= 30 ? 1 : 2];
  std::string indent;  // of the current depth
  std::vector<std::size_t> length = {0};
  Reach reach(model, tree);
  for (const NodePlace& place : order) {
    reach.enter(place);
    Line line = line_of(model, tree, place, reach, leaves[place.node]);
    if (place.depth > 0) {
      length.resize(place.depth);
      indent.resize(length.back());
      line[0] = indent + (place.last ? stem.last : stem.child) + line[0];
      indent += place.last ? stem.below_last : stem.below;
      length.push_back(indent.size());
    }
    lines.push_back(std::move(line));
  }
  return notes_text(model, tree) + aligned(lines, {false, true, false, false}) + surrogates_text(model, tree, order);
}

}  // namespace wald
