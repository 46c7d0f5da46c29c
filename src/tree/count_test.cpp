// The counts of full histograms against rows added one by one.
#include "tree/count.h"

#include <gtest/gtest.h>

#include "tree/naive_test.h"
#include "tree/newton.h"
#include "tree/vector_newton.h"

namespace wald {
namespace {

struct Outputs {
  Binned x;
  std::vector<Row> rows;
  std::vector<FixedGradients> of;
};

// Every third row is left out, and numbers have few values: then bytes lie aside and in bundles.
Outputs outputs_of(int count, int bits, Row rows, int values) {
  Outputs out{.x = *bin(testing::random_data(7, rows, 6, 3, 4, 2, values).table, kMaxBins), .rows = {}, .of = {}};
  for (Row r = 0; r < rows; ++r)
    if (r % 3 != 0) out.rows.push_back(r);
  const Random random(7, Purpose::Sample);
  for (int k = 0; k < count; ++k) {
    std::vector<double> g(rows), h(rows);
    for (Row r = 0; r < rows; ++r)
      g[r] = random.unit(std::uint64_t{2} * k * rows + r) - 0.5,
      h[r] = random.unit(std::uint64_t{2} * k * rows + rows + r);
    fix_gradients(g, h, bits, out.of.emplace_back());
  }
  return out;
}

template <class C>
Histogram one_by_one(const Outputs& data, const BinLayout& layout, const C& criterion) {
  const auto width = static_cast<std::size_t>(criterion.width());
  Histogram out(layout.bins() * width);
  for (std::size_t c = 0; c < data.x.columns.size(); ++c)
    for (const Row r : data.rows)
      criterion.add(criterion.part(r), out.data() + (layout.start[c] + data.x.columns[c].at(r)) * width);
  return out;
}

template <class C>
void expect_counted(const Outputs& data, const C& criterion) {
  const BinLayout layout(data.x);
  std::vector<Scratch> scratch(static_cast<std::size_t>(thread_count()));
  for (Scratch& own : scratch) own.fit(layout, data.x, static_cast<std::size_t>(criterion.width()));
  const Histogram want = one_by_one(data, layout, criterion);
  for (const Team team : {Team::One, Team::All}) {
    Histogram got(want.size(), 99), rest = want;
    Counter<C>{data.x, layout, criterion, scratch, team}.count(data.rows, &got, &rest);
    // A column of one code tells nothing and is not counted.
    for (std::size_t c = 0; c < data.x.columns.size(); ++c) ASSERT_GT(data.x.columns[c].codes, 1);
    EXPECT_EQ(got, want);
    EXPECT_TRUE(std::ranges::all_of(rest, [](std::int64_t left) { return left == 0; }));
  }
}

// Of 16 bits thousands of rows are packed, of 24 half of the least that pays, of 30 one.
TEST(Count, SumsAreThoseOfRowsAddedOneByOneWhateverTheirDigits) {
  for (const int bits : {16, 22, 24, 30})
    for (const int values : {2, 4, 300}) {
      const Outputs data = outputs_of(5, bits, 6'000, values);
      expect_counted(data, Newton{.gradients = &data.of[0]});
      expect_counted(data, VectorNewton{.gradients = data.of, .scale = {}});
    }
}

}  // namespace
}  // namespace wald
