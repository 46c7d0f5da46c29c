// Trees grown from copies of rows against trees grown from the table itself.
#include "tree/gathered.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "core/parallel.h"
#include "tree/few.h"
#include "tree/grow.h"
#include "tree/naive_test.h"

namespace wald {
namespace {

constexpr Row kRows = 40'000;

struct Copied {
  testing::Data data;
  Binned x;
  FixedGradients gradients;
};

// With numbers of so many values that codes take two bytes, or of so few that columns share a byte.
Copied copied_of(int distinct, int bits) {
  Copied out{.data = testing::random_data(5, kRows, 5, 2, 6, 2, distinct)};
  out.x = *bin(out.data.table, kMaxBins);
  const Random random(5, Purpose::Sample);
  std::vector<double> g(kRows), h(kRows);
  for (Row r = 0; r < kRows; ++r)
    h[r] = 0.0625 + 0.9375 * random.unit(r), g[r] = (out.data.y[r] - 1.5 + random.unit(kRows + r)) * h[r];
  fix_gradients(g, h, bits, out.gradients);
  return out;
}

struct GrownWith {
  Tree tree;
  std::vector<Row> rows;
  std::vector<Range> range;
  bool gathered = false;
};

GrownWith grown_with(const Copied& p, const Newton& newton, const GrowOptions& how, std::size_t cache,
                     const Run& run = {}) {
  GrowSpace space;
  for (Row r = 0; r < kRows; ++r)
    if (r % 7 != 0) space.rows.push_back(r);
  space.scratch = std::make_unique<GrowScratch>();
  space.scratch->cache = cache;
  GrownWith out;
  with_threads(1, [&] { out.tree = grow(p.x, space, newton, how, run); });
  for (const auto& copies : space.scratch->copies) out.gathered |= copies != nullptr;
  out.rows = space.rows, out.range = space.range;
  return out;
}

constexpr std::size_t kAll = std::size_t{1} << 40;  // no table is larger
std::size_t half_of(const Copied& p) {
  return kRows * (p.x.by_rows.stride + p.x.bundles.stride + sizeof(Gradient)) / 2;
}

void expect_the_same(const GrownWith& a, const GrownWith& b) {
  EXPECT_FALSE(a.gathered);
  EXPECT_TRUE(b.gathered);
  EXPECT_GT(a.tree.nodes.size(), 60u);
  EXPECT_EQ(a.tree.threshold, b.tree.threshold);
  EXPECT_EQ(a.tree.values, b.tree.values);
  EXPECT_EQ(a.tree.gain, b.tree.gain);
  EXPECT_EQ(a.tree.sets, b.tree.sets);
  EXPECT_EQ(a.rows, b.rows);
  ASSERT_EQ(a.range.size(), b.range.size());
  for (std::size_t n = 0; n < a.range.size(); ++n) {
    EXPECT_EQ(a.range[n].first, b.range[n].first);
    EXPECT_EQ(a.range[n].last, b.range[n].last);
  }
}

TEST(Gathered, ATreeGrownFromCopiesOfItsRowsIsTheSame) {
  for (const int distinct : {3, 12, 400})
    for (const int bits : {16, 30}) {
      const Copied p = copied_of(distinct, bits);
      EXPECT_TRUE(distinct != 3 || p.x.bundles.width > 0);
      EXPECT_EQ(p.x.by_rows.words.size() > 0, distinct == 400);
      for (int kind = 0; kind < 4; ++kind) {
        GrowOptions how{.max_depth = 9, .max_leaves = 0, .min_leaf = 0};
        Newton newton{.gradients = &p.gradients};
        if (kind == 1) how.columns_per_node = 3, newton.least = {.rows = 25, .weight = {}};
        if (kind == 2) newton.least = {.rows = 40, .weight = p.data.weight};
        if (kind == 3) how.monotone.assign(p.x.columns.size(), 0), how.monotone[0] = -1;
        SCOPED_TRACE(::testing::Message() << distinct << " values, " << bits << " bits, kind " << kind);
        expect_the_same(grown_with(p, newton, how, kAll), grown_with(p, newton, how, half_of(p)));
      }
    }
}

TEST(Gathered, AnInterruptLosesNoRow) {
  const Copied p = copied_of(12, 16);
  for (const int looks : {1, 3, 10, 30}) {
    std::atomic<bool> stop = false;
    wald::Run run;
    run.stop = &stop;
    run.progress = [&, left = looks](const auto&) mutable { stop = --left <= 0; };
    GrownWith some = grown_with(p, {.gradients = &p.gradients}, {.max_depth = 9, .max_leaves = 0}, half_of(p), run);
    std::ranges::sort(some.rows);
    EXPECT_TRUE(std::ranges::adjacent_find(some.rows) == some.rows.end()) << looks;
  }
}

}  // namespace
}  // namespace wald
