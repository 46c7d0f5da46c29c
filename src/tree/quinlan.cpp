#include "tree/quinlan.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "core/statistics.h"
#include "tree/quinlan_node.h"

namespace wald {
namespace quinlan {

std::int64_t total(const Counts& count) { return std::accumulate(count.begin(), count.end(), std::int64_t{0}); }
double wrong(const Counts& count) { return real(total(count) - *std::ranges::max_element(count)); }

Counts count(const QuinlanTask& task, const Items& items) {
  Counts out(static_cast<std::size_t>(task.classes));
  for (const Item& item : items) out[static_cast<std::size_t>(task.label[item.row])] += item.weight;
  return out;
}

std::vector<Items> divide(const QuinlanTask& task, const Test& test, const Items& items) {
  const BinnedColumn& x = task.x.columns[test.column];
  std::vector<Items> parts(test.branches(task.x));
  std::vector<std::int64_t> known(parts.size());
  Items without;
  for (const Item& item : items) {
    const int code = x.at(item.row);
    if (code == 0) without.push_back(item);
    else parts[test.branch(code)].push_back(item), known[test.branch(code)] += item.weight;
  }
  const __int128 all = total(known);
  for (const Item& item : without)
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto share =
          static_cast<std::int64_t>(all > 0 ? (static_cast<__int128>(item.weight) * known[k] + all / 2) / all
                                            : item.weight / static_cast<std::int64_t>(parts.size()));
      if (share > 0) parts[k].push_back({item.row, share});
    }
  return parts;
}

namespace {

constexpr std::size_t kSmall = 1 << 14;  // cells of a node that one thread looks at

class Grower {
 public:
  Grower(const QuinlanTask& task, const QuinlanOptions& how, std::size_t rows, const Run& run)
      : task_(task), how_(how), rows_(rows), run_(run), scratch_(static_cast<std::size_t>(thread_count())) {}

  std::unique_ptr<Node> grow(const Items& items, int depth) {
    auto node = std::make_unique<Node>();
    node->count = count(task_, items);
    const std::optional<Test> test = may_split(*node, depth) ? look(items, total(node->count)) : std::nullopt;
    if (!test || run_.stopped()) {
      settle(items.size());
      return node;
    }
    node->test = *test;
    std::vector<Items> parts = divide(task_, *test, items);
    for (Items& part : parts) {
      node->child.push_back(grow(part, depth + 1));
      part = {};
    }
    return node;
  }

 private:
  bool may_split(const Node& node, int depth) const {
    const std::int64_t all = total(node.count);
    if (depth >= (how_.max_depth > 0 ? std::min(how_.max_depth, kDeepestQuinlan) : kDeepestQuinlan)) return false;
    return real(all) >= 2 * how_.min_branch - kSame && wrong(node.count) >= kSame;
  }

  std::optional<Test> look(const Items& items, std::int64_t all) {
    const std::size_t columns = task_.x.columns.size();
    std::vector<std::optional<Test>> tests(columns);
    const auto look_at = [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c)
        tests[c] = best_test(task_, how_, static_cast<std::uint32_t>(c), items, all,
                             scratch_[static_cast<std::size_t>(thread_index())]);
    };
    if (items.size() * columns < kSmall) look_at(0, columns);
    else parallel_for(columns, 1, look_at);
    const std::optional<Test> best = choose(task_, how_, rows_, tests);
    return best && how_.max_p < 1 && p_value(*best, items) > how_.max_p ? std::nullopt : best;
  }

  // Pearson's test of branch against class on the rows whose branch is known.
  double p_value(const Test& test, const Items& items) const {
    const auto classes = static_cast<std::size_t>(task_.classes);
    const std::size_t branches = test.branches(task_.x);
    std::vector<double> cell(branches * classes), branch(branches), label(classes);
    double all = 0;
    for (const Item& item : items)
      if (const int code = task_.x.columns[test.column].at(item.row); code > 0) {
        const std::size_t b = test.branch(code), k = static_cast<std::size_t>(task_.label[item.row]);
        const double w = real(item.weight);
        cell[b * classes + k] += w, branch[b] += w, label[k] += w, all += w;
      }
    double statistic = 0;
    for (std::size_t b = 0; b < branches; ++b)
      for (std::size_t k = 0; k < classes; ++k)
        if (const double expected = branch[b] * label[k] / all; expected > 0)
          statistic += (cell[b * classes + k] - expected) * (cell[b * classes + k] - expected) / expected;
    const auto used = [](const std::vector<double>& v) {
      return static_cast<double>(std::ranges::count_if(v, [](double w) { return w > 0; }));
    };
    return chi_square_tail(statistic, (used(branch) - 1) * (used(label) - 1));
  }

  void settle(std::size_t items) {
    if (!run_.progress) return;
    settled_ = std::min<std::uint64_t>(settled_ + items, rows_);  // fractions count more than once
    run_.progress({.stage = "growing", .done = settled_, .total = rows_});
  }

  const QuinlanTask& task_;
  const QuinlanOptions& how_;
  const std::size_t rows_;
  const Run& run_;
  std::vector<ColumnCounts> scratch_;  // one a thread
  std::uint64_t settled_ = 0;
};

std::vector<double> shares(const Counts& count, double smoothing) {
  const double all = real(total(count)) + smoothing * static_cast<double>(count.size());
  std::vector<double> out;
  for (const std::int64_t n : count) out.push_back((real(n) + smoothing) / all);
  return out;
}

TreeNode test_of(const Test& test, const Binned& x) {
  TreeNode out{.column = test.column, .missing = static_cast<std::uint16_t>(kMissingEverywhere)};
  out.test = test.levels ? wald::Test::EachLevel : wald::Test::Threshold;
  out.ref = test.levels ? static_cast<std::uint32_t>(test.branches(x)) : test.bin;
  return out;
}

// Nodes level by level. An empty branch says what its parent does.
Tree flatten(const Node& root, const Binned& x, double smoothing) {
  Tree out{.outputs = static_cast<int>(root.count.size())};
  struct Waiting {
    const Node* node;
    std::vector<double> parent;
  };
  std::deque<Waiting> queue;
  queue.push_back({&root, {}});
  for (std::uint32_t made = 1; !queue.empty(); queue.pop_front()) {
    const Node& from = *queue.front().node;
    const bool empty = total(from.count) == 0;
    const std::vector<double> value = empty ? queue.front().parent : shares(from.count, smoothing);
    TreeNode node = from.leaf() ? TreeNode{} : test_of(from.test, x);
    if (!from.leaf()) node.child = std::exchange(made, made + node.ways());
    for (const auto& child : from.child) queue.push_back({child.get(), value});
    const bool cuts = node.test == wald::Test::Threshold;
    out.nodes.push_back(node);
    out.threshold.push_back(cuts ? x.columns[node.column].highest[node.ref - 1] : 0);
    out.gain.push_back(from.leaf() ? 0 : std::max(0.0, from.test.gain * real(total(from.count))));
    out.cover.push_back(real(total(from.count)));
    out.values.insert(out.values.end(), value.begin(), value.end());
  }
  return out;
}

}  // namespace
}  // namespace quinlan

Tree grow_quinlan(const QuinlanTask& task, const std::vector<Row>& rows, const QuinlanOptions& how, const Run& run) {
  quinlan::Items items;
  for (const Row r : rows) items.push_back({r, task.weight.empty() ? std::int64_t{1} << 30 : task.weight[r]});
  const std::unique_ptr<quinlan::Node> root = quinlan::Grower(task, how, rows.size(), run).grow(items, 0);
  quinlan::prune(task, how, *root, items);
  return quinlan::flatten(*root, task.x, how.smoothing);
}

}  // namespace wald
