#include "explain/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text.h"
#include "model/link.h"
#include "prepare/steps.h"

namespace wald {

std::string aligned(std::span<const std::array<std::string, 4>> lines, std::array<bool, 4> right) {
  std::array<std::size_t, 4> width{};
  for (const auto& line : lines)
    for (std::size_t k = 0; k < 4; ++k) width[k] = std::max(width[k], display_width(line[k]));
  std::string out;
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t k = 0; k < 4; ++k) {
      if (width[k] == 0) continue;
      const std::string space(width[k] - display_width(line[k]), ' ');
      text += (text.empty() ? "" : "  ") + (right[k] ? space + line[k] : line[k] + space);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

std::string value_text(double value) {
  const std::string exact = exact_text(value);
  if (exact.size() <= 10 || !std::isfinite(value)) return exact;
  const double size = std::fabs(value);
  return size >= 1e6 && size < 1e15 ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string weight_text(double weight) {
  const bool whole = std::fabs(weight - std::round(weight)) < 1e-6;
  return whole ? "n=" + with_commas(static_cast<std::uint64_t>(std::llround(weight))) : "n=" + short_text(weight);
}

std::string column_name(const Model& model, std::uint32_t column) {
  return printable(model.schema.columns[column].name, 40);
}

std::string level_text(std::string_view level, std::size_t limit) {
  const std::string text = printable(level, limit);
  const bool edges = level.empty() || level.front() == ' ' || level.back() == ' ';
  const bool marks = level.find_first_of(",{}\"'=") != std::string_view::npos;
  const bool words = level == "missing" || level == "..." || level.find(" or ") != std::string_view::npos ||
                     level.find(" and ") != std::string_view::npos;
  return edges || marks || words ? "\"" + text + "\"" : text;
}

std::string levels_text(const Field& field, std::span<const std::int32_t> levels, std::size_t most) {
  std::string text;
  const std::size_t shown = levels.size() > most ? most - 1 : levels.size();
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("{}{}", i ? ", " : "", level_text(field.level[levels[i]]));
  if (shown < levels.size()) text += fmt::format(", ... {} more", levels.size() - shown);
  return "{" + text + "}";
}

std::vector<std::int32_t> branch_levels(const Model& model, const Node& node, std::uint32_t branch) {
  if (node.test() == Test::EachLevel) return {static_cast<std::int32_t>(branch)};
  std::vector<std::int32_t> levels;
  const auto count = static_cast<std::int32_t>(model.schema.columns[node.column()].level.size());
  for (std::int32_t k = 0; k < count; ++k)
    if (model.forest().set_has(node.ref, k) == (branch == 0)) levels.push_back(k);
  return levels;
}

std::string_view gap_words(const Model& model, std::uint32_t column) {
  if (model.preparation.empty()) return " or missing";
  const Gaps gaps = gaps_of(model.preparation, model.schema.columns[column].name);
  return gaps.missing ? " or missing" : gaps.unseen ? " or unseen" : "";
}

std::string branch_text(const Model& model, const Node& node, std::uint32_t branch, std::size_t most_levels) {
  if (node.test() == Test::Threshold) return branch_text(model, node, branch, {}, most_levels);
  return branch_text(model, node, branch, branch_levels(model, node, branch), most_levels);
}

std::string branch_text(const Model& model, const Node& node, std::uint32_t branch,
                        std::span<const std::int32_t> levels, std::size_t most_levels) {
  const std::string name = column_name(model, node.column());
  const std::string_view gap = node.missing() == branch ? gap_words(model, node.column()) : "";
  std::string text;
  if (node.test() == Test::Threshold) {
    const double cut = model.forest().cuts[node.column()][node.ref];
    if (std::isinf(cut) && cut > 0 && node.missing() == 1) return name + (branch == 0 ? " is known" : " is missing");
    text = fmt::format("{} {} {}", name, branch == 0 ? "≤" : ">", value_text(cut));
  } else {
    const Field& field = model.schema.columns[node.column()];
    if (levels.empty()) return name + " is " + (gap.empty() ? "no known level" : std::string(gap.substr(4)));
    text = levels.size() == 1 ? fmt::format("{} = {}", name, level_text(field.level[levels[0]]))
                              : fmt::format("{} in {}", name, levels_text(field, levels, most_levels));
  }
  return text + std::string(gap);
}

std::string surrogate_text(const Model& model, const Surrogate& s, std::uint32_t branch) {
  const Node as_node = Node::binary(s.test(), s.column(), 0, s.ref, kMissingEverywhere);
  return branch_text(model, as_node, s.turned() ? 1 - branch : branch);
}

ShownTree shown(const Model& model, std::size_t index) {
  return {model.forest().tree(index), figures(model.forest(), index)};
}

std::string output_words(const Model& model, std::size_t output) {
  const std::vector<std::string> targets = model.schema.target_names();
  if (const std::vector<double>& q = model.schema.quantiles; output < q.size())
    return fmt::format("{} quantile of {}", value_text(q[output]), printable(targets[0], 40));
  const std::string target = printable(targets[output < targets.size() ? output : 0], 40);
  if (!model.schema.classifies()) return model.link == Link::Exponential ? "log of " + target : target;
  const std::vector<std::string>& classes = model.schema.target.level;
  const bool one = model.forest().outputs == 1 || output >= classes.size();
  const std::string name = printable(one ? classes.back() : classes[output], 40);
  switch (model.link) {
    case Link::Probabilities:
      return "probability of " + name;
    case Link::Logistic:
      return "log-odds of " + name;
    default:
      return "score of " + name;
  }
}

std::string title_of(const Model& model, const TreeView& tree) {
  const bool plain = model.link == Link::Identity || model.link == Link::Probabilities || model.link == Link::Ordered;
  if (plain && tree.output == kAllOutputs)
    return printable(fmt::format("{}", fmt::join(model.schema.output_names(), ", ")), 40);
  return output_words(model, tree.output == kAllOutputs ? 0 : tree.output);
}

// One tree's values are shares of the classes up to the factor by which its learner weights the tree.
std::vector<double> class_shares(const Model& model, const ShownTree& tree, std::uint32_t node) {
  if (model.link != Link::Probabilities || tree.width != model.schema.target.level.size()) return {};
  const auto values = tree.values_of(node);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  std::vector<double> shares(values.begin(), values.end());
  for (double& share : shares) share = sum > 0 ? share / sum : 0;
  return shares;
}

std::size_t class_of(const Model& model, const ShownTree& tree, std::uint32_t node) {
  const auto values = tree.values_of(node);
  const Forest& forest = model.forest();
  if (forest.trees() > 1) return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  std::vector<double> score(values.begin(), values.end()), value(score.size());
  for (std::size_t k = 0; k < std::min(score.size(), forest.base.size()); ++k) score[k] += forest.base[k];
  apply_link(model, score.data(), value.data());
  return static_cast<std::size_t>(decided(model, value.data()));
}

// The only tree's number is the prediction; one tree among many only adds to it.
double node_number(const Model& model, const ShownTree& tree, std::uint32_t node) {
  const Forest& forest = model.forest();
  const double base = forest.trees() == 1 && !forest.base.empty() ? forest.base[0] : 0;
  return base + tree.values_of(node)[0];
}

namespace {

constexpr double kRounding = 1e-12;  // what is so small a part of a sum is but rounding of the fit

// Without bound where the column is not held within its range.
double most_added(const Term& term) {
  if (term.slope == 0) return 0;
  return std::fabs(term.slope) * std::max(std::fabs(term.low - term.centre), std::fabs(term.high - term.centre));
}

// " + 0.3 * (age - 41)" for each term of a linear leaf that speaks of this number of its vector, beside which it says
// `value` without them. A term that can add nothing but rounding is left away.
std::string terms_text(const Model& model, const Node& node, std::size_t output, double value, std::size_t most) {
  if (!node.is_leaf()) return {};
  std::string text;
  std::size_t count = 0;
  double largest = std::fabs(value);
  for (const Term& term : model.forest().terms_of(node))
    if (term.output == output && std::isfinite(most_added(term))) largest = std::max(largest, most_added(term));
  for (const Term& term : model.forest().terms_of(node)) {
    if (term.output != output || most_added(term) <= kRounding * largest || ++count > most) continue;
    text +=
        fmt::format(" {} {} * ({} {} {})", term.slope < 0 ? '-' : '+', value_text(std::fabs(term.slope)),
                    column_name(model, term.column), term.centre < 0 ? '+' : '-', value_text(std::fabs(term.centre)));
  }
  return count > most ? text + fmt::format(" + {} more", count - most) : text;
}

}  // namespace

namespace {

// One number a target or quantile, in the order of the title.
NodeWords several_words(const Model& model, const ShownTree& tree, std::uint32_t node) {
  std::string text;
  const auto values = tree.values_of(node);
  const bool alone = model.forest().trees() == 1;
  for (std::size_t t = 0; t < values.size(); ++t)
    text += (t > 0 ? ", " : "") + value_text((alone ? model.forest().base[t] : 0) + values[t]);
  return {text, text};
}

// A clustering tree has nothing to say of an inner node but how unlike its two sides are: the share of all variance
// that lies between them.
NodeWords cluster_words(const Model& model, const ShownTree& tree, std::uint32_t node, std::size_t best) {
  if (!tree.nodes[node].is_leaf() && !tree.gain.empty() && !tree.cover.empty())
    return {fmt::format("dissimilarity {:.3f}", tree.gain[node] / tree.cover[0]), ""};
  const std::string name = "cluster " + printable(model.schema.target.level[best], 40);
  return {name, name};
}

}  // namespace

NodeWords node_words(const Model& model, const ShownTree& tree, std::uint32_t node, std::size_t most_terms) {
  const std::vector<double> shares = class_shares(model, tree, node);
  if (model.schema.several() && tree.width > 1) return several_words(model, tree, node);
  if (shares.empty()) {
    const double value = node_number(model, tree, node);
    const std::string number = value_text(value) + terms_text(model, tree.nodes[node], 0, value, most_terms);
    return {number, number};
  }
  const std::vector<std::string>& names = model.schema.target.level;
  const auto best = static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
  if (model.made.learner == "clusters") return cluster_words(model, tree, node, best);
  const std::size_t told = names.size() == 2 ? 1 : best;
  const std::string terms = terms_text(model, tree.nodes[node], told, 1, most_terms);
  return {fmt::format("{} {}{}", percent_text(shares[told]), printable(names[told], 40), terms),
          printable(names[class_of(model, tree, node)], 40)};
}

}  // namespace wald
