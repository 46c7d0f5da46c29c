// The bound against the gains themselves.
#include "tree/newton_bound.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "core/random.h"

namespace wald {
namespace {

// The packed sums left of each cut of some rows, and the gains of those cuts.
struct Judged {
  std::vector<std::uint64_t> packed;
  std::int64_t total[2] = {0, 0};
  std::vector<double> gain;
  double score = 0, most = 0;

  Judged(const Newton& newton, double min_leaf) {
    std::vector<std::int64_t> left;
    std::uint64_t sum = 0;
    for (const Gradient& part : newton.gradients->row) {
      packed.push_back(sum += Newton::pack(part));
      Newton::add(part, total);
      left.insert(left.end(), {total[0], total[1]});
    }
    const std::size_t cuts = packed.size() - 1;
    packed.resize(cuts + kCutPadding), left.resize(2 * (cuts + kCutPadding)), gain.resize(cuts + kCutPadding);
    score = newton.score(total, newton.weight(total));
    most = newton.gains({left.data(), cuts, total[0], total[1]}, score, min_leaf, gain.data());
    gain.resize(cuts);
  }
};

FixedGradients drawn(std::uint64_t seed, std::size_t rows, double g_size, double h_size) {
  const Random random(seed, Purpose::Sample);
  std::vector<double> g, h;
  for (std::size_t r = 0; r < rows; ++r) {
    const double h_here = random.below(5, 3 * r) == 0 ? 0 : random.unit(3 * r + 1);
    h.push_back(h_size * h_here), g.push_back(g_size * (random.unit(3 * r + 2) - 0.4));
  }
  FixedGradients out;
  fix_gradients(g, h, 20, out);
  return out;
}

void expect_near_above() {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const double g_size = seed % 7 == 0 ? 1e-30 : seed % 5 == 0 ? 1e8 : 1, h_size = seed % 11 == 0 ? 1e-6 : 1;
    const FixedGradients gradients = drawn(seed, 2 + seed % 90, g_size, h_size);
    const Newton newton{
        .gradients = &gradients, .l1 = seed % 3 == 0 ? 0.2 * g_size : 0, .l2 = seed % 4 == 0 ? 0 : 0.5 * h_size};
    const double min_leaf = seed % 2 == 0 ? 0 : h_size;
    const Judged judged(newton, min_leaf);
    std::vector<float> worth(judged.packed.size());
    GainBound bound;
    bound.open(newton, gradients.row.size(), judged.total, judged.score, min_leaf);
    float top = 0;
    const double most = bound.most(judged.packed.data(), judged.gain.size(), worth.data(), top);
    const auto end = worth.begin() + static_cast<std::ptrdiff_t>(judged.gain.size());
    EXPECT_EQ(top, *std::max_element(worth.begin(), end)) << seed;
    EXPECT_GE(most, judged.most) << seed;
    // Where a first derivative is shrunk to little, little is known of it.
    if (newton.l1 == 0) { EXPECT_LE(most, judged.most + 2e-3 * (judged.score + judged.most)) << seed; }
    EXPECT_EQ(most == Newton::kNone, judged.most == Newton::kNone) << seed;
  }
}

TEST(GainBound, IsNeverBelowAndNeverFarAbove) {
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {  // whose inverses differ
    hwy::SetSupportedTargetsForTest(left & -left);
    SCOPED_TRACE(hwy::TargetName(left & -left));
    expect_near_above();
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Of 1 to 200 cuts, some of which leave a side too little.
TEST(GainBound, ListsEveryCutThatMayGainAsMuch) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const FixedGradients gradients = drawn(seed, 1 + seed, 1, 1);
    const Newton newton{.gradients = &gradients, .l1 = seed % 3 == 0 ? 0.2 : 0, .l2 = seed % 4 == 0 ? 0 : 0.5};
    const double min_leaf = seed % 2 == 0 ? 0 : 1;
    const Judged judged(newton, min_leaf);
    const std::size_t cuts = judged.gain.size();
    std::vector<float> worth(judged.packed.size());
    GainBound bound;
    bound.open(newton, gradients.row.size(), judged.total, judged.score, min_leaf);
    float top = 0;
    if (bound.most(judged.packed.data(), cuts, worth.data(), top) == Newton::kNone) continue;
    EXPECT_EQ(first_of_most(worth.data(), cuts),
              std::max_element(worth.begin(), worth.begin() + static_cast<std::ptrdiff_t>(cuts)) - worth.begin());
    for (const double gain : {judged.most, judged.most / 2, 0.0, Newton::kNone}) {
      std::vector<std::uint16_t> listed(cuts), short_list(1);
      listed.resize(list_worth(worth.data(), cuts, bound.least_worth(gain), listed.data(), cuts));
      EXPECT_TRUE(std::ranges::is_sorted(listed));
      for (std::size_t i = 0; i < cuts; ++i) {
        EXPECT_EQ(worth[i] < 0, judged.gain[i] == Newton::kNone) << seed;
        if (judged.gain[i] > Newton::kNone && judged.gain[i] >= gain) {
          EXPECT_TRUE(std::ranges::binary_search(listed, i)) << seed;
        }
      }
      if (gain == judged.most && newton.l1 == 0) { EXPECT_LE(listed.size(), 3u) << seed; }
      const std::size_t count = list_worth(worth.data(), cuts, bound.least_worth(gain), short_list.data(), 1);
      EXPECT_EQ(count, std::min<std::size_t>(listed.size(), 2));
    }
  }
}

TEST(GainBound, SaysNothingOfWhatItCannotTell) {
  for (const double size : {1e-200, 1e200}) {
    const FixedGradients gradients = drawn(1, 50, size, 1);
    const Newton newton{.gradients = &gradients};
    const Judged judged(newton, 0);
    std::vector<float> worth(judged.packed.size());
    GainBound bound;
    bound.open(newton, gradients.row.size(), judged.total, judged.score, 0);
    float top = 0;
    EXPECT_EQ(bound.most(judged.packed.data(), judged.gain.size(), worth.data(), top),
              std::numeric_limits<double>::infinity());
  }
}

}  // namespace
}  // namespace wald
