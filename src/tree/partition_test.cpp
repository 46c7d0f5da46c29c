#include "tree/partition.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <numeric>

#include "core/parallel.h"
#include "core/random.h"
#include "tree/divide_rows.h"
#include "tree/histogram.h"
#include "tree/threshold.h"

namespace wald {
namespace {

template <class Code>
Binned drawn_column(std::size_t rows, int codes, std::uint64_t seed) {
  const Random random(seed, Purpose::Sample);
  std::vector<Code> code(rows);
  for (std::size_t r = 0; r < rows; ++r) code[r] = static_cast<Code>(random.below(static_cast<std::size_t>(codes), r));
  Binned out;
  out.rows = static_cast<Row>(rows);
  out.columns.emplace_back();
  out.columns[0].codes = codes;
  out.columns[0].code = std::move(code);
  return out;
}

bool goes_left(const Split& split, int code) {
  if (code == 0) return split.missing_left;
  if (!split.set) return code <= static_cast<int>(split.bin);
  return std::ranges::find(split.left, code - 1) != split.left.end();
}

void expect_stable(const Binned& x, const Split& split, std::vector<Row> rows) {
  std::vector<Row> expected = rows, spare(rows.size());
  const auto middle = std::stable_partition(expected.begin(), expected.end(),
                                            [&](Row r) { return goes_left(split, x.columns[0].at(r)); });
  for (const int threads : {1, 3}) {
    std::vector<Row> got = rows;
    std::size_t left = 0;
    with_threads(threads, [&] { left = partition(x, split, got, spare, threads == 1 ? Team::One : Team::All); });
    EXPECT_EQ(left, static_cast<std::size_t>(middle - expected.begin()));
    EXPECT_EQ(got, expected);
  }
}

TEST(Partition, KeepsTheOrderOnBothSides) {
  for (const std::size_t n : {0, 1, 7, 63, 64, 65, 200, 1000, 40'000}) {
    const Binned narrow = drawn_column<std::uint8_t>(n + 1, 200, n), wide = drawn_column<std::uint16_t>(n + 1, 900, n);
    std::vector<Row> rows(n);
    std::iota(rows.begin(), rows.end(), 1u);
    std::vector<Row> others;  // some of them, some twice
    for (Row r = 1; r < n; r += 1 + r % 3) others.insert(others.end(), 1 + r % 2, r);
    for (const Binned* x : {&narrow, &wide})
      for (const bool missing_left : {true, false}) {
        Split cut{.bin = 77}, set{.set = true};
        cut.missing_left = set.missing_left = missing_left;
        for (int level = 0; level < 190; level += 1 + level % 5) set.left.push_back(static_cast<std::uint16_t>(level));
        for (const Split& split : {cut, set}) expect_stable(*x, split, rows), expect_stable(*x, split, others);
      }
  }
}

// The definition, by writing and reading decimals.
double written_threshold(double below, double above) {
  const double middle = std::midpoint(below, above);
  if (middle < below || middle >= above) return below;
  if (to_fifteen_digits(below) != below || to_fifteen_digits(above) != above) return middle;
  const double rounded = to_fifteen_digits(middle);
  return rounded >= below && rounded < above ? rounded : middle;
}

TEST(Threshold, IsTheMiddleInAsFewDigitsAsItsNeighbours) {
  EXPECT_EQ(threshold_between(300, 300.1), 300.05);
  EXPECT_EQ(threshold_between(-2.5, 1), -0.75);
  const Random random(3, Purpose::Sample);
  for (std::uint64_t n = 0; n < 200'000; n += 8) {
    const auto number = [&](std::uint64_t i) {
      const double digits = std::floor(std::pow(10, 17 * random.unit(i)) * (random.unit(i + 1) - 0.3));
      const double value = digits / std::pow(10, static_cast<double>(random.below(12, i + 2)));
      return random.below(8, i + 3) == 0 ? value * (1 + random.unit(i + 1)) : value;  // some with all digits
    };
    double a = number(n), b = random.below(2, n + 7) == 0 ? a + number(n + 4) * 1e-3 : number(n + 4);
    if (a > b) std::swap(a, b);
    if (a == b) continue;
    ASSERT_EQ(threshold_between(a, b), written_threshold(a, b)) << a << " " << b;
  }
}

template <class Body>
void on_every_instruction_set(Body body) {
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    hwy::SetSupportedTargetsForTest(left & -left);
    SCOPED_TRACE(hwy::TargetName(left & -left));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Some places and their marks, n of them out of `all`, and what comes of them.
struct Marked {
  std::vector<std::uint16_t> places, want, rest;
  std::vector<std::uint8_t> mark;

  Marked(std::size_t all, std::size_t n) : places(n + 3), mark(all + PlaceMarks::kMarkedAtOnce) {
    const Random random(5, Purpose::Sample);
    for (std::size_t i = 0; i < mark.size(); ++i) mark[i] = random.below(n % 4 + 1, 1000 * n + i) == 0;
    for (std::size_t i = 0; i < n; ++i) {
      places[i] = static_cast<std::uint16_t>(random.below(all, 1000 * n + 700 + i));
      (mark[places[i]] != 0 ? want : rest).push_back(places[i]);
    }
  }
};

void expect_divided(std::size_t all, std::size_t n, WantedSides wanted) {
  Marked m(all, n);
  std::vector<std::uint16_t> spare(n + kDividedAtOnce);
  std::uint16_t* const right = m.places.data() + m.want.size() + n % 3;
  const std::vector<std::uint16_t> behind(m.places.begin() + static_cast<std::ptrdiff_t>(n), m.places.end());
  EXPECT_EQ(divide_places()(m.places.data(), n, {m.mark.data(), all, n}, right, spare.data(), wanted), m.want.size());
  if (wanted.left) { EXPECT_EQ(std::vector(m.places.data(), m.places.data() + m.want.size()), m.want); }
  if (wanted.right) { EXPECT_EQ(std::vector(right, right + m.rest.size()), m.rest); }
  if (!wanted.right) {  // nothing behind the last is written
    EXPECT_EQ(std::vector(m.places.data() + n, m.places.data() + n + 3), behind);
  }
}

TEST(DividePlaces, MarkedOnesComeFirstAndAllKeepTheirOrder) {
  on_every_instruction_set([] {
    for (const std::size_t all : {500, 512, 600})  // few enough for bits, and not
      for (std::size_t n = 0; n < 300; n += 1 + n / 20)
        for (const WantedSides wanted : {WantedSides{}, WantedSides{true, false}, WantedSides{false, true}})
          expect_divided(all, n, wanted);
  });
}

TEST(DividePlaces, WideOnesLikewise) {
  on_every_instruction_set([] {
    for (std::size_t n = 0; n < 300; n += 1 + n / 20) {
      Marked m(512, n);
      std::vector<std::uint32_t> places(m.places.begin(), m.places.begin() + static_cast<std::ptrdiff_t>(n)),
          spare(n + kDividedAtOnce), want(m.want.begin(), m.want.end());
      want.insert(want.end(), m.rest.begin(), m.rest.end());
      EXPECT_EQ(divide_places(places.data(), n, {m.mark.data(), 512, n}, spare.data()), m.want.size());
      EXPECT_EQ(places, want);
    }
  });
}

TEST(PlaceMarks, AreThoseOfTheCodesThatGoLeft) {
  on_every_instruction_set([] {
    const Random random(8, Purpose::Sample);
    for (const std::size_t places : {1, 63, 64, 300, 512})
      for (const std::uint32_t last : {1u, 7u, 200u, 255u})
        for (const bool missing_left : {false, true}) {
          std::vector<std::uint8_t> code(places + PlaceMarks::kMarkedAtOnce), mark(code.size());
          for (std::size_t i = 0; i < places; ++i)
            code[i] = static_cast<std::uint8_t>(random.below(256, i) % (last + 9));
          const PlaceMarks marks(code.data(), places, last, missing_left, mark.data());
          for (std::size_t i = 0; i < places; ++i) {
            const bool left = code[i] == 0 ? missing_left : code[i] <= last;
            EXPECT_EQ(marks.byte[i], left ? 1 : 0);
            EXPECT_EQ(marks.bits[i / 32] >> (i % 32) & 1, left ? 1u : 0u);
          }
        }
  });
}

TEST(Turn, PutsEveryByteInItsColumn) {
  const Random random(6, Purpose::Sample);
  for (const std::size_t width : {1, 15, 16, 33, 70})
    for (const std::size_t n : {0, 1, 15, 16, 40}) {
      RowBytes x;
      x.reserve(100, width);
      for (std::size_t i = 0; i < x.code.size(); ++i) x.code[i] = static_cast<std::uint8_t>(random.below(256, i));
      std::vector<Row> rows(n);
      for (std::size_t i = 0; i < n; ++i) rows[i] = static_cast<Row>(random.below(100, 1'000'000 + i));
      std::vector<std::uint8_t> turned;
      turn(x, rows, turned);
      ASSERT_EQ(turned.size(), n * width);
      for (std::size_t k = 0; k < width; ++k)
        for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(turned[k * n + i], x.of(rows[i])[k]) << width << " " << n;
    }
}

}  // namespace
}  // namespace wald
