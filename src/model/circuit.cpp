#include "model/circuit.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace wald {
namespace {

constexpr std::size_t kMostSays = (std::size_t{64} << 20) / sizeof(double);

class Planner {
 public:
  explicit Planner(const Model& model) : model_(model), forest_(model.forest()), used_(forest_.cuts.size()) {
    for (std::size_t c = 0; c < used_.size(); ++c) used_[c].resize(forest_.cuts[c].size());
  }

  CircuitPlan make() {
    for (most_ = kMostLevels; most_ > 0 && !mark(); --most_) {}
    if (most_ == 0) return {};
    number();
    for (std::size_t t = 0; t < forest_.trees(); ++t) build(t);
    out_.plain_sum = forest_.outputs == 1 && std::ranges::all_of(out_.trees, &Circuit::whole);
    return std::move(out_);
  }

 private:
  // Whether a circuit may hold the node: a binary test that sends all missing values one way.
  bool fits(const Node& node) const {
    if (node.is_leaf() || node.test() == Test::EachLevel || node.missing() >= kMissingEverywhere) return false;
    return node.test() == Test::Threshold || model_.schema.columns[node.column()].level.size() - 1 < kMostSetLevels;
  }

  // Calls at(node, path, depth, inside) for the nodes of a circuit of `most` levels and those where it ends, in the
  // order of depth; a path is the answers above, the first one the highest bit.
  template <class At>
  void each_node(std::size_t t, int most, const At& at) {
    const std::span<const Node> nodes = forest_.tree(t).nodes;
    open_.assign(1, {0, 0, 0});
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const Place place = open_[i];
      const bool inside = place.depth < most && fits(nodes[place.node]);
      at(place.node, place.path, place.depth, inside);
      for (std::uint32_t way = 0; inside && way < 2; ++way)
        open_.push_back({nodes[place.node].child + way, place.path << 1 | way, place.depth + 1});
    }
  }

  // As deep as the tree is, but not so deep that most of the circuit would stand for nothing.
  int depth_for(std::size_t t) {
    std::array<std::size_t, kMostLevels + 1> nodes{};  // down to each depth
    each_node(t, most_, [&](std::uint32_t, std::uint32_t, int depth, bool) { ++nodes[depth]; });
    int best = 0;
    for (int d = 1; d <= most_ && nodes[d] > 0; ++d)
      if (nodes[d] += nodes[d - 1]; std::size_t{1} << d <= 2 * nodes[d]) best = d;
    return best;
  }

  // Finds the questions asked; false if they are too many.
  bool mark() {
    for (auto& column : used_) std::ranges::fill(column, 0);
    sets_.clear();
    std::vector<bool> met(used_.size());
    std::size_t count = 0;
    for (std::size_t t = 0; t < forest_.trees() && count <= kMostQuestions; ++t)
      each_node(t, depth_for(t), [&](std::uint32_t k, std::uint32_t, int, bool inside) {
        const Node& node = forest_.tree(t).nodes[k];
        if (!inside) return;
        if (node.test() == Test::Set) {
          count += sets_.try_emplace(key_of(node)).second;
        } else if (std::uint32_t& used = used_[node.column()][node.ref]; used == 0) {
          used = 1;
          count += met[node.column()] ? 1 : 2;  // one that nobody asks comes with every column
          met[node.column()] = true;
        }
      });
    return count <= kMostQuestions;
  }

  // Sets that ask the same are asked once, however often they are stored.
  using SetKey = std::tuple<std::uint32_t, std::uint64_t, bool>;  // column, levels that go left, missing go right
  SetKey key_of(const Node& node) const { return {node.column(), forest_.sets[node.ref], node.missing() == 1}; }

  void number() {
    std::uint32_t next = 1;
    for (std::uint32_t c = 0; c < used_.size(); ++c) {
      CutQuestions questions{.column = c, .first = next};
      for (std::size_t k = 0; k < used_[c].size(); ++k) {
        if (used_[c][k] == 0) continue;
        used_[c][k] = next++;
        questions.cuts.push_back(forest_.cuts[c][k]);
      }
      if (questions.cuts.empty()) continue;
      ++next;
      divide(questions);
      out_.cuts.push_back(std::move(questions));
    }
    out_.thresholds = next - 1;
    for (auto& [key, question] : sets_) {
      const auto [column, left, missing_right] = key;
      out_.sets.push_back({category(column), missing_right, left});
      question = static_cast<std::uint32_t>(2 * out_.thresholds + out_.sets.size());
    }
  }

  void build(std::size_t t) {
    const std::span<const Node> nodes = forest_.tree(t).nodes;
    Circuit circuit{.question = static_cast<std::uint32_t>(out_.plain.size()),
                    .slot = static_cast<std::uint32_t>(out_.node.size()),
                    .says = out_.says.size()};
    circuit.depth = depth_for(t);
    const std::size_t slots = std::size_t{1} << circuit.depth;
    plain_.assign(slots - 1, 0), ways_.assign(slots - 1, 0);
    out_.node.resize(out_.node.size() + slots);
    circuit.whole = out_.says.size() + slots * forest_.width() <= kMostSays;
    each_node(t, circuit.depth, [&](std::uint32_t k, std::uint32_t path, int depth, bool inside) {
      if (inside) return ask(nodes[k], (std::size_t{1} << depth) - 1 + path);
      // Below its end a circuit asks what is never true: of the slots there the first is taken.
      out_.node[circuit.slot + (std::size_t{path} << (circuit.depth - depth))] = k;
      circuit.whole = circuit.whole && nodes[k].is_leaf() && forest_.terms_of(nodes[k]).empty();
    });
    out_.plain.insert(out_.plain.end(), plain_.begin(), plain_.end());
    out_.ways.insert(out_.ways.end(), ways_.begin(), ways_.end());
    if (circuit.whole) take_values(nodes, circuit, slots);
    out_.trees.push_back(circuit);
  }

  void ask(const Node& node, std::size_t at) {
    if (node.test() == Test::Threshold) {
      const std::uint32_t question = used_[node.column()][node.ref];
      plain_[at] = static_cast<std::uint16_t>(question);
      ways_[at] = static_cast<std::uint16_t>(question + (node.missing() == 1 ? out_.thresholds : 0));
      return;
    }
    plain_[at] = ways_[at] = static_cast<std::uint16_t>(sets_.at(key_of(node)));
  }

  std::uint32_t category(std::uint32_t column) {
    const auto found = std::ranges::find(out_.categories, column, &CategoryColumn::column);
    if (found != out_.categories.end()) return static_cast<std::uint32_t>(found - out_.categories.begin());
    const CategoryColumn* last = out_.categories.empty() ? nullptr : &out_.categories.back();
    const auto levels = static_cast<std::uint32_t>(model_.schema.columns[column].level.size());
    out_.categories.push_back({column, levels, last == nullptr ? 0 : last->first + last->levels + 1});
    return static_cast<std::uint32_t>(out_.categories.size() - 1);
  }

  void take_values(std::span<const Node> nodes, const Circuit& circuit, std::size_t slots) {
    const std::size_t width = forest_.width();
    out_.says.resize(out_.says.size() + slots * width);
    for (std::size_t s = 0; s < slots; ++s) {
      const Node& leaf = nodes[out_.node[circuit.slot + s]];
      if (!leaf.is_leaf()) continue;  // a slot that no row takes
      for (std::size_t o = 0; o < width; ++o) out_.says[circuit.says + o * slots + s] = forest_.values_of(leaf)[o];
    }
  }

  struct Place {
    std::uint32_t node, path;
    int depth;
  };
  const Model& model_;
  const Forest& forest_;
  std::vector<std::vector<std::uint32_t>> used_;  // column x cut: its question, 0 = not asked
  std::map<SetKey, std::uint32_t> sets_;          // and their questions
  std::vector<std::uint16_t> plain_, ways_;
  int most_ = 0;
  std::vector<Place> open_;
  CircuitPlan out_;
};

}  // namespace

CircuitPlan plan_circuits(const Model& model) { return Planner(model).make(); }

}  // namespace wald
