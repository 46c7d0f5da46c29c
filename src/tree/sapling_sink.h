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
  explicit SaplingSink(int outputs)
      : pool_(static_cast<std::size_t>(outputs)), says_(static_cast<std::size_t>(outputs)), gain_(1) {
    out_.nodes.resize(1);
  }
  template <class Scan>
  void visit(std::uint32_t, const Scan&, std::size_t, std::size_t) {}
  template <class Scan>
  void leaf(std::uint32_t node, const Scan& scan) {
    scan.leaf(says_);
    out_.nodes[node] = Node::leaf(pool_.put(says_), static_cast<float>(scan.weight()));
  }
  std::uint32_t split(std::uint32_t node, const Split& split, int codes, std::uint32_t set_at, double gain_unit) {
    const auto child = static_cast<std::uint32_t>(out_.nodes.size());
    out_.nodes[node] = Node::binary(split.set ? Test::Set : Test::Threshold, split.column, child,
                                    split.set ? set_at : gap_of(split, codes), split.missing_left ? 0 : 1);
    gain_[node] = static_cast<float>(
        std::clamp(split.gain * gain_unit, 0.0, static_cast<double>(std::numeric_limits<float>::max())));
    out_.nodes.resize(out_.nodes.size() + 2), gain_.resize(gain_.size() + 2);
    return child;
  }
  std::vector<std::uint64_t>& sets() { return out_.sets; }

  Sapling take() {
    for (std::size_t n = 0; n < out_.nodes.size(); ++n)
      if (!out_.nodes[n].is_leaf()) out_.gain.push_back(gain_[n]);
    out_.values = pool_.take();
    return std::move(out_);
  }

 private:
  // The middle one of the gaps between bins that divide the node's rows alike.
  static std::uint32_t gap_of(const Split& split, int codes) {
    if (split.next == 0) return static_cast<std::uint32_t>(codes - 1);  // only missing values go right
    return split.bin + (split.next - split.bin - 1) / 2;
  }

  Pool pool_;
  std::vector<double> says_;
  std::vector<float> gain_;  // per node
  Sapling out_;
};

}  // namespace wald::sapling
