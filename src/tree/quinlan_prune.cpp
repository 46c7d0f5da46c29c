// Error-based pruning of C4.5 (Quinlan 1993, chapter 4) as Weka's J48 does it.
#include <algorithm>
#include <limits>
#include <utility>

#include "tree/prune.h"
#include "tree/quinlan_node.h"

namespace wald::quinlan {
namespace {

double training_errors(const Node& node) {
  if (node.leaf()) return wrong(node.count);
  double sum = 0;
  for (const auto& child : node.child) sum += training_errors(*child);
  return sum;
}

// From the root down: a subtree that makes no fewer errors than its root would is one leaf.
void collapse(Node& node) {
  if (node.leaf()) return;
  if (training_errors(node) >= wrong(node.count) - kAverageSlack) {
    node.child.clear();
    return;
  }
  for (const auto& child : node.child) collapse(*child);
}

class Pruner {
 public:
  Pruner(const QuinlanTask& task, const QuinlanOptions& how) : task_(task), how_(how), pessimist_(how.confidence) {}

  void prune(Node& node, const Items& items) const {
    while (!node.leaf()) {
      const std::vector<Items> parts = divide(task_, node.test, items);
      for (std::size_t k = 0; k < parts.size(); ++k) prune(*node.child[k], parts[k]);
      const std::size_t largest = largest_branch(node);
      const double leaf = estimate(node.count), tree = estimate(node);
      const double branch =
          how_.raise ? estimate(*node.child[largest], items) : std::numeric_limits<double>::infinity();
      if (leaf <= tree + kSlack && leaf <= branch + kSlack) {
        node.child.clear();
        return;
      }
      if (branch > tree + kSlack) return;
      raise(node, largest, items);
    }
  }

 private:
  static constexpr double kSlack = 0.1 + kSame;  // of an error: J48's preference for less

  double estimate(const Counts& count) const {
    const double all = real(total(count));
    return all < kSame ? 0 : pessimist_.estimate(all, wrong(count));
  }
  double estimate(const Node& node) const {
    if (node.leaf()) return estimate(node.count);
    double sum = 0;
    for (const auto& child : node.child) sum += estimate(*child);
    return sum;
  }
  double estimate(const Node& node, const Items& items) const {  // if these items came here
    if (node.leaf()) return estimate(count(task_, items));
    const std::vector<Items> parts = divide(task_, node.test, items);
    double sum = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) sum += estimate(*node.child[k], parts[k]);
    return sum;
  }
  static std::size_t largest_branch(const Node& node) {  // the last among equals, as in J48
    std::size_t at = 0;
    for (std::size_t k = 1; k < node.child.size(); ++k)
      if (real(total(node.child[k]->count)) >= real(total(node.child[at]->count)) - kSame) at = k;
    return at;
  }
  void raise(Node& node, std::size_t branch, const Items& items) const {
    const std::unique_ptr<Node> risen = std::move(node.child[branch]);
    node.test = risen->test;
    node.child = std::move(risen->child);
    refill(node, items);
  }
  void refill(Node& node, const Items& items) const {
    node.count = count(task_, items);
    if (node.leaf()) return;
    const std::vector<Items> parts = divide(task_, node.test, items);
    for (std::size_t k = 0; k < parts.size(); ++k) refill(*node.child[k], parts[k]);
  }

  const QuinlanTask& task_;
  const QuinlanOptions& how_;
  const Pessimist pessimist_;
};

}  // namespace

void prune(const QuinlanTask& task, const QuinlanOptions& how, Node& root, const Items& items) {
  if (how.collapse) collapse(root);
  if (how.prune) Pruner(task, how).prune(root, items);
}

}  // namespace wald::quinlan
