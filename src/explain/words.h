// What a tree's parts are called, the same in text, drawings and rules.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tree/figures.h"
#include "wald/model.h"

namespace wald {

inline constexpr std::size_t kFewLevels = 5;  // a longer list of levels is shortened where there is little room

// A number of the data, in full where that takes at most ten characters, else rounded.
std::string value_text(double);
std::string percent_text(double share);  // "12.4 %"
std::string weight_text(double weight);  // "n=9,204"
std::string column_name(const Model&, std::uint32_t column);
// A level as text that cannot be taken for anything else: quoted where it holds a delimiter, an edge blank or a word
// of the descriptions.
std::string level_text(std::string_view level, std::size_t limit = 40);
std::string levels_text(const Field&, std::span<const std::int32_t> levels, std::size_t most);  // "{east, west}"

// The levels that lead from a node (Set or EachLevel) to one of its children.
std::vector<std::int32_t> branch_levels(const Model&, const Node&, std::uint32_t branch);
// "age > 41", "region in {east, west} or missing".
std::string branch_text(const Model&, const Node&, std::uint32_t branch, std::size_t most_levels = kFewLevels);
// The same of some of the levels only: those that can come to the node.
std::string branch_text(const Model&, const Node&, std::uint32_t branch, std::span<const std::int32_t> levels,
                        std::size_t most_levels = kFewLevels);

// What goes where missing values go: " or missing"; " or unseen" of levels where missing ones are filled in before;
// nothing where there is neither.
std::string_view gap_words(const Model&, std::uint32_t column);

// What a surrogate says of rows that go to child `branch`: "income > 30000".
std::string surrogate_text(const Model&, const Surrogate&, std::uint32_t branch);

// A tree with all that is derived of its inner nodes.
struct ShownTree : TreeView, Figures {};
ShownTree shown(const Model&, std::size_t index);

// What a score is: "probability of yes", "log-odds of yes", "score of yes", "log of claims", or the target's name.
std::string output_words(const Model&, std::size_t output);
std::string title_of(const Model&, const TreeView&);  // the target's name; what a tree of one output among many adds to

// What a node says: for two classes the share of the second, for more the largest share, else a number.
struct NodeWords {
  std::string value;   // "12.4 % yes", "setosa 97.0 %", "23.4", "23.4 + 0.3 * (age - 41)"
  std::string answer;  // the class, for classes; else as value
};
// most_terms: of a leaf's model; how many more there are is said.
constexpr std::size_t kFewTerms = 3;
NodeWords node_words(const Model&, const ShownTree&, std::uint32_t node, std::size_t most_terms = kFewTerms);
std::vector<double> class_shares(const Model&, const ShownTree&, std::uint32_t node);  // empty for numbers and scores
// The class that predict gives a row that ends there; of one tree among many, the one it votes for.
std::size_t class_of(const Model&, const ShownTree&, std::uint32_t node);
double node_number(const Model&, const ShownTree&, std::uint32_t node);  // for numbers and scores

// Columns of text, two spaces apart; right[k] pushes column k to the right. No line ends in spaces.
std::string aligned(std::span<const std::array<std::string, 4>> lines, std::array<bool, 4> right);

}  // namespace wald
