// Importance of a forest's columns on rows out of bag, as wald/forests.h promises.
#include <algorithm>
#include <cmath>

#include "core/fixed.h"
#include "core/parallel.h"
#include "core/random.h"
#include "learn/forest_bags.h"
#include "model/inputs.h"
#include "wald/forests.h"

namespace wald {
namespace {

// One tree's part of the importance of every column.
class TreeImportance {
 public:
  // weight: of the task's rows; empty = all 1.
  TreeImportance(const Model& model, const Task& task, std::span<const double> weight, const ForestCells& cells,
                 std::size_t tree)
      : forest_(model.forest()),
        task_(task),
        weight_(weight),
        cells_(cells),
        tree_(tree),
        nodes_(forest_.tree(tree).nodes) {}

  // Each step of a row's path moves the tree's answer towards or away from the row's target.
  void add_gain(std::span<const Row> rows, std::vector<double>& into) const {
    const std::vector<double> value = node_values();
    const auto outputs = static_cast<std::size_t>(forest_.outputs);
    const double scale = static_cast<double>(forest_.trees()) / weight_of_all(rows);
    const double centre = task_.classifies() ? 0 : value[0] * static_cast<double>(forest_.trees());
    for (const Row r : rows)
      for (std::uint32_t at = 0; !nodes_[at].is_leaf();) {
        const std::uint32_t next = step(at, r);
        const std::size_t o = task_.classifies() ? static_cast<std::size_t>(task_.classes().code[r]) : 0;
        const double target = task_.classifies() ? 1 : task_.numbers()[r] - centre;
        into[nodes_[at].column()] +=
            scale * weight_of(r) * target * (value[next * outputs + o] - value[at * outputs + o]);
        at = next;
      }
  }
  // Of the inputs; the columns made of one are shuffled together.
  void add_permutation(std::span<const Row> rows, const Inputs& inputs, const Random& random,
                       std::vector<double>& into) const {
    std::vector<std::vector<bool>> moves(into.size());  // of each input that is asked: the columns made of it
    for (const Node& node : nodes_) {
      if (node.is_leaf()) continue;
      for (const std::size_t input : inputs.of(node.column())) {
        moves[input].resize(inputs.made());
        moves[input][node.column()] = true;
      }
    }
    std::vector<std::uint32_t> leaf;
    double before = 0;
    for (const Row r : rows) before += weight_of(r) * loss(r, cells_.leaf(tree_, r));
    for (std::uint32_t column = 0; column < moves.size(); ++column) {
      if (moves[column].empty()) continue;
      std::vector<Row> other(rows.begin(), rows.end());
      for (std::size_t i = other.size(); i > 1; --i)
        std::swap(other[i - 1], other[random.below(i, std::uint64_t{column} << 32 | i)]);
      double after = 0;
      for (std::size_t i = 0; i < rows.size(); ++i)
        after += weight_of(rows[i]) * loss(rows[i], cells_.leaf_by(tree_, [&](std::uint32_t c) {
                   return cells_.at(c, moves[column][c] ? other[i] : rows[i]);
                 }));
      into[column] += (after - before) / weight_of_all(rows);
    }
  }

 private:
  double weight_of(Row r) const { return weight_.empty() ? 1 : weight_[r]; }
  double weight_of_all(std::span<const Row> rows) const {
    double sum = 0;
    for (const Row r : rows) sum += weight_of(r);
    return sum;
  }
  // What every node says: its leaves' values, by the training rows in them.
  std::vector<double> node_values() const {
    const auto outputs = static_cast<std::size_t>(forest_.outputs);
    std::vector<double> value(nodes_.size() * outputs), cover(nodes_.size());
    for (std::size_t n = nodes_.size(); n-- > 0;) {  // children come after their parent
      const Node& node = nodes_[n];
      const std::size_t a = node.child, b = a + 1;
      if (!node.is_leaf()) cover[n] = cover[a] + cover[b];
      else cover[n] = node.cover();
      for (std::size_t o = 0; o < outputs; ++o) {
        if (node.is_leaf()) value[n * outputs + o] = forest_.values_of(node)[o];
        else if (cover[n] > 0)
          value[n * outputs + o] = (cover[a] * value[a * outputs + o] + cover[b] * value[b * outputs + o]) / cover[n];
        else value[n * outputs + o] = (value[a * outputs + o] + value[b * outputs + o]) / 2;
      }
    }
    return value;
  }
  std::uint32_t step(std::uint32_t at, Row r) const {
    const Node& node = nodes_[at];
    const double x = cells_.at(node.column(), r);
    if (x != x) return node.child + node.missing();
    if (node.test() == Test::Threshold) return node.child + !(x <= forest_.cuts[node.column()][node.ref]);
    return node.child + !forest_.set_has(node.ref, static_cast<std::int32_t>(x));
  }
  double loss(Row r, std::uint32_t leaf) const {
    const std::span<const double> says = forest_.values_of(nodes_[leaf]);
    if (task_.classifies()) return std::ranges::max_element(says) - says.begin() != task_.classes().code[r];
    const double away = task_.numbers()[r] - says[0] * static_cast<double>(forest_.trees());
    return away * away;
  }

  const Forest& forest_;
  const Task& task_;
  std::span<const double> weight_;
  const ForestCells& cells_;
  const std::size_t tree_;
  std::span<const Node> nodes_;
};

// Of the rows that the trees saw, as they weigh in the table: --balance and --class-weights are of the training alone.
std::vector<double> weights_as_given(const Task& given, const ForestBags& bags) {
  std::vector<double> out;
  if (given.weight.empty()) return out;
  const std::span<const Row> left = bags.left();
  for (Row r = 0; r < bags.task().x.rows; ++r)
    out.push_back(from_fixed(given.weight[left.empty() ? r : left[r]], kWeightBits));
  return out;
}

}  // namespace

Result<OutOfBagImportance> out_of_bag_importance(const Model& model, const Task& given, const Run& run) {
  constexpr double kMostSquared = 1e150;
  if (!given.classifies() && std::ranges::any_of(given.numbers(), [](double y) { return std::fabs(y) > kMostSquared; }))
    return bad_data("importance is in squares of the target, and its numbers are too large for them",
                    "train with a target divided by a power of ten");
  const auto found = BaggedForest::of(model, given, run);
  if (!found) return found.error();
  const ForestBags& bags = found->bags;
  const Task& task = bags.task();
  const std::vector<double> weight = weights_as_given(given, bags);
  const Inputs inputs(model);
  const std::size_t columns = inputs.columns();
  std::vector<OutOfBagImportance> each(bags.trees());
  with_threads(run.threads, [&] {
    parallel_for(each.size(), 1, [&](std::size_t t, std::size_t) {
      each[t].gain.resize(columns), each[t].permutation.resize(columns);
      const ForestRows::Bag bag = bags.rows().bag(static_cast<std::uint32_t>(t));
      if (bag.out.empty() || run.stopped()) return;
      const TreeImportance tree(model, task, weight, found->cells, t);
      std::vector<double> gain(inputs.made());
      tree.add_gain(bag.out, gain);
      each[t].gain = inputs.sums(gain);
      tree.add_permutation(bag.out, inputs, Random(run.seed, Purpose::Permute, static_cast<std::uint32_t>(t)),
                           each[t].permutation);
    });
  });
  if (run.stopped()) return Error{ErrorKind::Interrupted, "interrupted", ""};
  OutOfBagImportance out{std::vector<double>(columns), std::vector<double>(columns)};
  for (const OutOfBagImportance& one : each)
    for (std::size_t c = 0; c < columns; ++c) {
      out.gain[c] += one.gain[c] / static_cast<double>(each.size());
      out.permutation[c] += one.permutation[c] / static_cast<double>(each.size());
    }
  return out;
}

}  // namespace wald
