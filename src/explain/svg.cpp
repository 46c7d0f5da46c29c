#include "explain/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "explain/letters.h"
#include "explain/notes.h"
#include "explain/plot_canvas.h"
#include "explain/reach.h"
#include "explain/words.h"

namespace wald {
namespace {

// Sizes in pixels.
constexpr double kRow = 46, kBoxHeight = 36, kGap = 46, kMargin = 16, kHead = 58, kBar = 54, kPad = 8, kLine = 18;
constexpr double kFamily = 8;        // between the children of different parents
constexpr double kWidestLink = 16;   // of the root's rows
constexpr double kLabel = 380;       // a label's width beyond which its levels are shortened
constexpr double kTitle = 16;        // size of the title's letters
constexpr std::size_t kNames = 50;   // the most levels that are tried in a label
constexpr std::size_t kLegend = 10;  // classes that get a colour of their own

// Distinct for colour-blind readers, dark enough for white paper; further classes are grey.
constexpr std::array<const char*, kLegend> kColour = {"#4477aa", "#e0803a", "#2a9d68", "#b04a8c", "#c9a227",
                                                      "#56b4d3", "#8c6d4f", "#d1495b", "#6f7fb8", "#7a9a3a"};
const char* colour_of(std::size_t k) { return k < kLegend ? kColour[k] : "#999999"; }

struct Box {
  NodePlace place;
  double x = 0, y = 0, width = 0;   // y: the middle
  std::string branch, whole, says;  // whole: the branch with all its levels, shown when pointed at
};

struct Drawing {
  std::vector<Box> boxes;           // in reading order
  std::vector<std::size_t> box_of;  // by node
  double width = 0, height = 0;
};

// With as many levels as there is room for, but at least one.
std::string short_branch(const Model& model, const Node& parent, std::uint32_t branch,
                         std::span<const std::int32_t> levels, double room) {
  const std::size_t most = std::min(levels.size(), kNames);
  std::string text = branch_text(model, parent, branch, levels, std::max<std::size_t>(most, 2));
  for (std::size_t names = most; names-- > 2 && bold_width(text) > room;)
    text = branch_text(model, parent, branch, levels, names);
  return text;
}

Box box_of(const Model& model, const ShownTree& tree, const NodePlace& place, const Reach& reach,
           std::uint32_t leaves) {
  Box box{.place = place};
  if (place.depth == 0) {
    box.branch = box.whole = "all rows";
  } else {
    const Node& parent = tree.nodes[place.parent];
    box.branch = short_branch(model, parent, place.branch, reach.levels(), kLabel);
    box.whole = branch_text(model, parent, place.branch, reach.levels(), 1000);
  }
  const NodeWords words = node_words(model, tree, place.node);
  box.says = words.value;
  if (!tree.cover.empty()) box.says += " · " + weight_text(tree.cover[place.node]);
  if (tree.nodes[place.node].is_leaf() && words.answer != words.value) box.says += " → " + words.answer;
  if (place.cut) box.says += fmt::format(" · {} leaves below", with_commas(leaves));
  box.width = std::max(bold_width(box.branch), kBar + kPad + text_width(box.says)) + 2 * kPad;
  return box;
}

// Where a subtree begins and ends on each column of the page, against the middle of its root.
struct Edge {
  double top = 0, bottom = 0;
};
using Outline = std::vector<Edge>;

// Puts `below` under what is there already, as close as one row allows on every column both use (cousins a little
// farther apart than siblings); returns how far its root came to stand from the first's.
double stack(Outline& there, const Outline& below) {
  double shift = 0;
  for (std::size_t d = 0; d < std::min(there.size(), below.size()); ++d)
    shift = std::max(shift, there[d].bottom + kRow + (d > 0 ? kFamily : 0) - below[d].top);
  for (std::size_t d = 0; d < below.size(); ++d) {
    const Edge edge{below[d].top + shift, below[d].bottom + shift};
    if (d < there.size()) there[d].bottom = edge.bottom;
    else there.push_back(edge);
  }
  return shift;
}

// Tidy (Reingold and Tilford 1981, "Tidier drawings of trees", turned by a quarter): subtrees stand as close as their
// outlines allow, a parent in the middle of its children. Fills y relative to the parent; boxes are in reading order,
// so going backwards meets children before parents.
Outline tidy(const TreeView& tree, Drawing& d) {
  std::vector<Outline> outline(tree.nodes.size());
  for (std::size_t i = d.boxes.size(); i-- > 0;) {
    const std::uint32_t n = d.boxes[i].place.node;
    outline[n] = {Edge{}};
    if (d.boxes[i].place.cut || tree.nodes[n].is_leaf()) continue;
    const std::uint32_t first = tree.nodes[n].child, ways = tree.nodes[n].ways();
    Outline children = std::move(outline[first]);
    double last = 0;
    for (std::uint32_t k = 1; k < ways; ++k) {
      last = stack(children, outline[first + k]);
      d.boxes[d.box_of[first + k]].y = last;
      outline[first + k] = {};
    }
    for (std::uint32_t k = 0; k < ways; ++k) d.boxes[d.box_of[first + k]].y -= last / 2;
    for (Edge& edge : children) outline[n].push_back({edge.top - last / 2, edge.bottom - last / 2});
  }
  return std::move(outline[0]);
}

// Says more levels where a wider box of the same column has made room for them.
void fill_labels(const Model& model, const ShownTree& tree, Drawing& d) {
  Reach reach(model, tree);
  for (Box& box : d.boxes) {
    reach.enter(box.place);
    if (box.place.depth > 0 && box.branch != box.whole)
      box.branch =
          short_branch(model, tree.nodes[box.place.parent], box.place.branch, reach.levels(), box.width - 2 * kPad);
  }
}

// A depth is a column as wide as its widest box.
Drawing lay_out(const Model& model, const ShownTree& tree, std::uint32_t max_depth) {
  Drawing d;
  d.box_of.resize(tree.nodes.size());
  const std::vector<std::uint32_t> leaves = leaves_below(tree);
  std::vector<double> wide;
  Reach reach(model, tree);
  for (const NodePlace& place : places(tree, max_depth)) {
    reach.enter(place);
    d.box_of[place.node] = d.boxes.size();
    d.boxes.push_back(box_of(model, tree, place, reach, leaves[place.node]));
    if (wide.size() <= place.depth) wide.push_back(0);
    wide[place.depth] = std::max(wide[place.depth], d.boxes.back().width);
  }
  double top = 0, bottom = 0;
  for (const Edge& edge : tidy(tree, d)) top = std::min(top, edge.top), bottom = std::max(bottom, edge.bottom);
  std::vector<double> left = {kMargin};
  for (double w : wide) left.push_back(left.back() + w + kGap);
  for (Box& box : d.boxes) {
    box.x = left[box.place.depth];
    box.width = wide[box.place.depth];
    box.y += box.place.depth == 0 ? kHead + kRow / 2 - top : d.boxes[d.box_of[box.place.parent]].y;
  }
  fill_labels(model, tree, d);
  d.width = left.back() - kGap + kMargin;
  d.height = kHead + bottom - top + kRow + kMargin;
  return d;
}

std::string link(const Box& from, const Box& to, double share) {
  const double x0 = from.x + from.width, x1 = to.x, middle = (x0 + x1) / 2;
  return fmt::format("<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" stroke-width=\"{:.1f}\"/>\n",
                     x0, from.y, middle, from.y, middle, to.y, x1, to.y, std::max(1.0, kWidestLink * share));
}

std::string bar_piece(double x, double y, double width, const char* colour) {
  return width < 0.05 ? ""
                      : fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"9\" fill=\"{}\"/>", x, y,
                                    width, colour);
}

struct ValueRange {
  double low = 0, high = 0;
};

// Classes: their shares side by side. Numbers: how far the value lies between the tree's lowest and highest.
std::string bar(const Model& model, const ShownTree& tree, const Box& box, ValueRange range) {
  const double x = box.x + kPad, y = box.y + 3;
  std::string out = bar_piece(x, y, kBar, "#e4e4e4");
  const std::vector<double> shares = class_shares(model, tree, box.place.node);
  if (shares.empty()) {
    const double at = node_number(model, tree, box.place.node);
    const double share = range.high > range.low ? (at - range.low) / (range.high - range.low) : 1;
    return out + bar_piece(x, y, kBar * share, kColour[0]);
  }
  double done = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    out += bar_piece(x + done * kBar, y, shares[k] * kBar, colour_of(k));
    done += shares[k];
  }
  return out;
}

std::string box_svg(const Model& model, const ShownTree& tree, const Box& box, ValueRange range) {
  const bool leaf = tree.nodes[box.place.node].is_leaf();
  return fmt::format(
      "<g><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"5\" class=\"{}\"/>"
      "<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"b\">{}</text>{}<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
      escaped(box.whole + "\n" + box.says), box.x, box.y - kBoxHeight / 2, box.width, kBoxHeight, leaf ? "l" : "n",
      box.x + kPad, box.y - 3.5, escaped(box.branch), bar(model, tree, box, range), box.x + 2 * kPad + kBar, box.y + 12,
      escaped(box.says));
}

struct Legend {
  std::string svg;
  double width = 0;  // of the picture that holds it
};

Legend legend(const Model& model) {
  std::string out;
  double x = kMargin;
  constexpr double kSquare = 14, kApart = 18;
  const std::vector<std::string>& names = model.schema.target.level;
  for (std::size_t k = 0; k < names.size() && k < kLegend; ++k) {
    const std::string name = printable(names[k], 30);
    out += fmt::format("<rect x=\"{:.1f}\" y=\"36\" width=\"10\" height=\"10\" fill=\"{}\"/>", x, colour_of(k));
    out += fmt::format("<text x=\"{:.1f}\" y=\"45\">{}</text>\n", x + kSquare, escaped(name));
    x += kSquare + text_width(name) + kApart;
  }
  if (names.size() > kLegend) {
    const std::string more = fmt::format("... {} more", names.size() - kLegend);
    out += fmt::format("<text x=\"{:.1f}\" y=\"45\">{}</text>\n", x, more);
    x += text_width(more) + kApart;
  }
  return {out, x - kApart + kMargin};
}

ValueRange range_of(const Model& model, const ShownTree& tree) {
  if (!class_shares(model, tree, 0).empty()) return {};
  ValueRange range{node_number(model, tree, 0), node_number(model, tree, 0)};
  for (std::uint32_t i = 1; i < tree.nodes.size(); ++i) {
    range.low = std::min(range.low, node_number(model, tree, i));
    range.high = std::max(range.high, node_number(model, tree, i));
  }
  return range;
}

}  // namespace

std::uint32_t drawn_leaves(const TreeView& tree, std::uint32_t max_depth) {
  std::uint32_t count = 0;
  for (const NodePlace& place : places(tree, max_depth)) count += place.cut || tree.nodes[place.node].is_leaf() ? 1 : 0;
  return count;
}

std::string tree_svg(const Model& model, std::size_t index, std::uint32_t max_depth) {
  const ShownTree tree = shown(model, index);
  const Drawing d = lay_out(model, tree, max_depth);
  const ValueRange range = range_of(model, tree);
  const std::string title = fmt::format("{} by {}", title_of(model, tree),
                                        printable(model.made.learner.empty() ? "tree" : model.made.learner, 40));
  const std::vector<std::string> notes = notes_of(model, tree);  // below the tree
  const Legend classes = class_shares(model, tree, 0).empty() ? Legend{} : legend(model);
  double width = std::max({d.width, bold_width(title) * kTitle / 12 + 2 * kMargin, classes.width});
  for (const std::string& note : notes) width = std::max(width, text_width(note) + 2 * kMargin);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "role=\"img\" aria-label=\"{2}\">\n"
      "<style>text{{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#222}}"
      ".b{{font-weight:600}}.t{{font-size:16px;font-weight:600}}.n{{fill:#fff;stroke:#b8b8b8}}"
      ".l{{fill:#f3f6fa;stroke:#8a9db3}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"{3}\" y=\"26\" class=\"t\">{2}</text>\n",
      width, d.height + kLine * static_cast<double>(notes.size()), escaped(title), kMargin);
  out += classes.svg + "<g fill=\"none\" stroke=\"#cfd6de\">\n";
  for (const Box& box : d.boxes) {
    if (box.place.depth == 0) continue;
    const double share = tree.cover.empty() || tree.cover[0] <= 0 ? 0.1 : tree.cover[box.place.node] / tree.cover[0];
    out += link(d.boxes[d.box_of[box.place.parent]], box, share);
  }
  out += "</g>\n";
  for (const Box& box : d.boxes) out += box_svg(model, tree, box, range);
  for (std::size_t i = 0; i < notes.size(); ++i)
    out += fmt::format("<text x=\"{}\" y=\"{:.1f}\">{}</text>\n", kMargin, d.height + kLine * static_cast<double>(i),
                       escaped(notes[i]));
  return out + "</svg>\n";
}

}  // namespace wald
