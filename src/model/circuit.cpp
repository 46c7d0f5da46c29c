#include "model/circuit.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include "core/parallel.h"

namespace wald {
namespace {

constexpr std::size_t kMostSays = (std::size_t{64} << 20) / sizeof(double);

class Planner {
 public:
  explicit Planner(const Model& model) : model_(model), forest_(model.forest()), tops_(forest_.trees()), first_cut_{0} {
    for (const auto& cuts : forest_.cuts)
      first_cut_.push_back(first_cut_.back() + static_cast<std::uint32_t>(cuts.size()));
    used_.resize(first_cut_.back());
  }

  CircuitPlan make() {
    each_tree([this](std::size_t t) { look(t); });
    for (most_ = kMostLevels; most_ > 0 && !mark(); --most_) {}
    if (most_ == 0) return {};
    number();
    make_room();
    each_tree([this](std::size_t t) { build(t); });
    choose_whole();
    each_tree([this](std::size_t t) { take_values(t); });
    out_.plain_sum = forest_.outputs == 1 && std::ranges::all_of(out_.trees, &Circuit::whole);
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kTreesAtOnce = 4;
  template <class Work>
  void each_tree(const Work& work) const {
    parallel_for(forest_.trees(), kTreesAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; ++t) work(t);
    });
  }

  // Whether a circuit may hold the node: a binary test that sends all missing values one way.
  bool fits(const Node& node) const {
    if (node.is_leaf() || node.test() == Test::EachLevel || node.missing() >= kMissingEverywhere) return false;
    return node.test() == Test::Threshold || model_.schema.columns[node.column()].level.size() - 1 < kMostSetLevels;
  }

  enum class Asks : std::uint8_t { Nothing, Cut, Set };  // Nothing that a circuit may hold

  // A node that a circuit holds or ends at. They are many, and memory that is touched first is slow: few bytes.
  struct Place {
    std::uint32_t number;    // in its tree
    std::uint32_t question;  // of a threshold its number among all cuts, of a set, once it is known, among sets
    std::uint16_t path;      // the answers above, the first one the highest bit
    std::int8_t depth;
    Asks asks;
  };
  struct Top {
    std::vector<Place> places;                         // of a circuit as deep as any, in the order of depth
    std::array<std::size_t, kMostLevels + 1> nodes{};  // at each depth
    int depth = 0;                                     // of the circuit
    bool leaves = true;                                // alone does it end at, plain ones
  };

  // What will be read once its neighbours have been looked at is far away.
  void fetch(std::span<const Node> nodes, const Node& node) const {
    __builtin_prefetch(nodes.data() + node.child);
    if (node.test() == Test::Set) __builtin_prefetch(forest_.sets.data() + node.ref);
  }

  void look(std::size_t t) {
    const std::span<const Node> nodes = forest_.tree(t).nodes;
    Top& top = tops_[t];
    const auto add = [&](std::uint32_t k, std::uint32_t path, int depth) {
      const Node& node = nodes[k];
      const bool goes_on = fits(node), cut = node.test() == Test::Threshold;
      if (goes_on) fetch(nodes, node);
      top.places.push_back({k, goes_on && cut ? first_cut_[node.column()] + node.ref : 0,
                            static_cast<std::uint16_t>(path), static_cast<std::int8_t>(depth),
                            !goes_on ? Asks::Nothing
                            : cut    ? Asks::Cut
                                     : Asks::Set});
      ++top.nodes[static_cast<std::size_t>(depth)];
    };
    top.places.reserve((std::size_t{2} << kMostLevels) - 1);
    add(0, 0, 0);
    for (std::size_t i = 0; i < top.places.size(); ++i) {
      const Place place = top.places[i];
      if (place.asks == Asks::Nothing || place.depth == kMostLevels) continue;
      const std::uint32_t child = nodes[place.number].child;
      for (std::uint32_t way = 0; way < 2; ++way) add(child + way, place.path * 2u + way, place.depth + 1);
    }
  }

  // As deep as the tree is, but not so deep that most of the circuit would stand for nothing.
  int depth_for(const Top& top) const {
    int best = 0;
    std::size_t nodes = top.nodes[0];  // down to each depth
    for (int d = 1; d <= most_ && top.nodes[static_cast<std::size_t>(d)] > 0; ++d)
      if (nodes += top.nodes[static_cast<std::size_t>(d)]; std::size_t{1} << d <= 2 * nodes) best = d;
    return best;
  }

  // Finds the questions asked; false if they are too many.
  bool mark() {
    std::ranges::fill(used_, 0);
    sets_.clear(), out_.sets.clear();
    std::size_t count = 0;
    for (std::size_t t = 0; t < tops_.size(); ++t) {
      Top& top = tops_[t];
      const std::span<const Node> nodes = forest_.tree(t).nodes;
      top.depth = depth_for(top);
      for (Place& place : top.places) {
        if (place.depth >= top.depth) break;
        if (place.asks == Asks::Set) place.question = number_of_set(nodes[place.number]);
        if (place.asks != Asks::Cut || used_[place.question] != 0) continue;
        used_[place.question] = 1;
        ++count;
      }
      if (count + sets_.size() > kMostQuestions) return false;
    }
    for (std::size_t c = 0; c < forest_.cuts.size(); ++c)  // one that nobody asks comes with every column
      count += std::ranges::any_of(used_of(c), [](std::uint32_t used) { return used != 0; });
    return count + sets_.size() <= kMostQuestions;
  }
  std::span<std::uint32_t> used_of(std::size_t column) {
    return std::span(used_).subspan(first_cut_[column], forest_.cuts[column].size());
  }

  // Sets that ask the same are asked once, however often they are stored.
  struct SetKey {
    std::uint32_t column = 0;
    bool missing_right = false;
    std::uint64_t left = 0;  // levels
    bool operator==(const SetKey&) const = default;
  };
  struct SetHash {
    std::size_t operator()(const SetKey& key) const {
      const std::uint64_t mixed = (key.left ^ (std::uint64_t{key.column} << 1 | key.missing_right) << 32) + key.column;
      return mixed * 0x9E37'79B9'7F4A'7C15 >> 20;
    }
  };
  std::uint32_t number_of_set(const Node& node) {
    const SetKey key{node.column(), node.missing() == 1, forest_.sets[node.ref]};
    const auto [at, is_new] = sets_.try_emplace(key, static_cast<std::uint32_t>(sets_.size()));
    if (is_new) out_.sets.push_back({category(key.column), key.missing_right, key.left});
    return at->second;
  }

  void number() {
    std::uint32_t next = 1;
    for (std::uint32_t c = 0; c < forest_.cuts.size(); ++c) {
      CutQuestions questions{.column = c, .first = next};
      const std::span<std::uint32_t> used = used_of(c);
      for (std::size_t k = 0; k < used.size(); ++k) {
        if (used[k] == 0) continue;
        used[k] = next++;
        questions.cuts.push_back(forest_.cuts[c][k]);
      }
      if (questions.cuts.empty()) continue;
      ++next;
      divide(questions);
      out_.cuts.push_back(std::move(questions));
    }
    out_.thresholds = next - 1;
  }

  void make_room() {
    std::uint32_t questions = 0, slots = 0;
    for (const Top& top : tops_) {
      out_.trees.push_back({.depth = top.depth, .question = questions, .slot = slots});
      questions += (1u << top.depth) - 1, slots += 1u << top.depth;
    }
    out_.plain.resize(questions), out_.ways.resize(questions), out_.node.resize(slots);
  }

  void build(std::size_t t) {
    const std::span<const Node> nodes = forest_.tree(t).nodes;
    const Circuit& circuit = out_.trees[t];
    for (const Place& place : tops_[t].places) {
      if (place.depth > circuit.depth) break;
      const Node& node = nodes[place.number];
      if (place.asks != Asks::Nothing && place.depth < circuit.depth) {
        ask(node, place, circuit.question + (std::size_t{1} << place.depth) - 1 + place.path);
        continue;
      }
      // Below its end a circuit asks what is never true: of the slots there the first is taken.
      out_.node[circuit.slot + (std::size_t{place.path} << (circuit.depth - place.depth))] = place.number;
      tops_[t].leaves = tops_[t].leaves && node.is_leaf() && forest_.terms_of(node).empty();
    }
  }

  void ask(const Node& node, const Place& place, std::size_t at) {
    if (place.asks == Asks::Cut) {
      const std::uint32_t question = used_[place.question];
      out_.plain[at] = static_cast<std::uint16_t>(question);
      out_.ways[at] = static_cast<std::uint16_t>(question + (node.missing() == 1 ? out_.missing_on() : 0));
      return;
    }
    out_.plain[at] = out_.ways[at] = static_cast<std::uint16_t>(1 + out_.thresholds + place.question);
  }

  std::uint32_t category(std::uint32_t column) {
    const auto found = std::ranges::find(out_.categories, column, &CategoryColumn::column);
    if (found != out_.categories.end()) return static_cast<std::uint32_t>(found - out_.categories.begin());
    const CategoryColumn* last = out_.categories.empty() ? nullptr : &out_.categories.back();
    const auto levels = static_cast<std::uint32_t>(model_.schema.columns[column].level.size());
    out_.categories.push_back({column, levels, last == nullptr ? 0 : last->first + last->levels + 1});
    return static_cast<std::uint32_t>(out_.categories.size() - 1);
  }

  void choose_whole() {
    std::size_t says = 0;
    for (std::size_t t = 0; t < out_.trees.size(); ++t) {
      Circuit& circuit = out_.trees[t];
      const std::size_t needed = forest_.width() << circuit.depth;
      circuit.says = says, circuit.whole = tops_[t].leaves && says + needed <= kMostSays;
      if (circuit.whole) says += needed;
    }
    out_.says.resize(says);
  }

  void take_values(std::size_t t) {
    const Circuit& circuit = out_.trees[t];
    if (!circuit.whole) return;
    const std::size_t slots = std::size_t{1} << circuit.depth;
    for (std::size_t s = 0; s < slots; ++s) {
      const Node& leaf = forest_.tree(t).nodes[out_.node[circuit.slot + s]];
      if (!leaf.is_leaf()) continue;  // a slot that no row takes
      for (std::size_t o = 0; o < forest_.width(); ++o)
        out_.says[circuit.says + o * slots + s] = forest_.values_of(leaf)[o];
    }
  }

  const Model& model_;
  const Forest& forest_;
  std::vector<Top> tops_;
  std::vector<std::uint32_t> first_cut_;                     // of each column, among those of all
  std::vector<std::uint32_t> used_;                          // of each cut: its question, 0 = not asked
  std::unordered_map<SetKey, std::uint32_t, SetHash> sets_;  // and their numbers
  int most_ = 0;
  CircuitPlan out_;
};

}  // namespace

CircuitPlan plan_circuits(const Model& model) { return Planner(model).make(); }

}  // namespace wald
