// Nodes of grow_sapling() on their way into a Sapling.
#pragma once
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "tree/choose.h"
#include "tree/pool.h"
#include "tree/sapling.h"

namespace wald::sapling {

class SaplingSink {
 public:
  static constexpr bool kAnyOrder = true;  // of the rows: nobody asks which ones are in a leaf

  explicit SaplingSink(int outputs)
      : pool_(static_cast<std::size_t>(outputs)), says_(static_cast<std::size_t>(outputs)), of_class_(says_.size()) {
    begin();
  }
  template <class Scan>
  void visit(std::uint32_t, const Scan&, std::size_t, std::size_t) {}
  template <class Scan>
  void leaf(std::uint32_t node, const Scan& scan) {
    out_.nodes[node] = Node::leaf(vector_of(scan), static_cast<float>(scan.weight()));
  }
  // Of one class, where that is all it says.
  void leaf_of_class(std::uint32_t node, std::size_t label, double weight) {
    std::uint32_t& known = of_class_[label];
    if (known == kNone) {
      std::ranges::fill(says_, 0.0);
      says_[label] = 1;
      known = pool_.put(says_);
    }
    out_.nodes[node] = Node::leaf(known, static_cast<float>(weight));
  }
  std::uint32_t split(std::uint32_t node, const Split& split, int codes, std::uint32_t set_at, double gain_unit) {
    // A gain of nothing stays so in units beyond all numbers.
    return this->split(node, split.set ? Test::Set : Test::Threshold, split.column,
                       split.set ? set_at : gap_of(split.bin, split.next, codes), split.missing_left,
                       split.gain > 0 ? split.gain * gain_unit : 0);
  }
  std::uint32_t split(std::uint32_t node, Test test, std::uint32_t column, std::uint32_t ref, bool missing_left,
                      double gain) {
    constexpr double kMost = std::numeric_limits<float>::max();
    const std::uint32_t child = used_;
    out_.nodes[node] = Node::binary(test, column, child, ref, missing_left ? 0 : 1);
    gain_[node] = gain > 0 ? static_cast<float>(std::min(gain, kMost)) : 0.0F;
    used_ += 2;
    if (used_ > gain_.size()) out_.nodes.resize(2 * std::size_t{used_}), gain_.resize(2 * std::size_t{used_});
    return child;
  }
  // The middle one of the gaps between bins that divide the node's rows alike.
  static std::uint32_t gap_of(std::uint32_t bin, std::uint32_t next, int codes) {
    if (next == 0) return static_cast<std::uint32_t>(codes - 1);  // only missing values go right
    return bin + (next - bin - 1) / 2;
  }
  std::vector<std::uint64_t>& sets() { return out_.sets; }

  // The tree as it stands, in as much room as it needs; the next one has that of this one.
  Sapling take() {
    Sapling out{.nodes = {out_.nodes.begin(), out_.nodes.begin() + used_},
                .gain = {},
                .values = pool_.values(),
                .sets = out_.sets};
    out.gain.resize(out.nodes.size() / 2 + 1);
    float* to = out.gain.data();
    for (std::size_t n = 0; n < out.nodes.size(); ++n)  // each is written, those of inner nodes stay
      *to = gain_[n], to += !out.nodes[n].is_leaf();
    out.gain.pop_back();
    begin();
    return out;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  void begin() {
    if (gain_.empty()) out_.nodes.resize(1), gain_.resize(1);
    used_ = 1, out_.sets.clear();
    pool_ = Pool(says_.size());
    std::ranges::fill(of_class_, kNone);
  }

  // Most leaves speak for one of many classes, and need not be looked up.
  template <class Scan>
  std::uint32_t vector_of(const Scan& scan) {
    std::uint32_t* known = nullptr;
    if constexpr (requires { scan.only_class(); })
      if (const int k = scan.only_class(); k >= 0) known = &of_class_[static_cast<std::size_t>(k)];
    if (known != nullptr && *known != kNone) return *known;
    scan.leaf(says_);
    const std::uint32_t vector = pool_.put(says_);
    if (known != nullptr) *known = vector;
    return vector;
  }

  Pool pool_;
  std::vector<double> says_;
  std::vector<std::uint32_t> of_class_;  // the vector that says a class alone
  std::vector<float> gain_;              // per node
  Sapling out_;
  std::uint32_t used_ = 0;  // of the nodes there is room for
};

}  // namespace wald::sapling
