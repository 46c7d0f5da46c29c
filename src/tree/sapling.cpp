#include "tree/sapling.h"

#include <algorithm>

#include "tree/sapling_grow.h"
#include "tree/sapling_scans.h"
#include "tree/sapling_sink.h"
#include "tree/sapling_twig_grow.h"

namespace wald {
namespace sapling {

std::vector<CodeColumn> code_columns(const Binned& x) {
  std::vector<CodeColumn> out;
  std::uint32_t next_two = 0;
  for (std::uint32_t c = 0; c < x.columns.size(); ++c) {
    const BinnedColumn& column = x.columns[c];
    if (column.codes <= 1) continue;
    CodeColumn& made = out.emplace_back();
    made = {.number = c,
            .index = static_cast<std::uint32_t>(out.size() - 1),
            .type = column.type,
            .codes = column.codes,
            .binned = &column};
    if (const auto* narrow = std::get_if<0>(&column.code)) made.narrow = narrow->data();
    else made.wide = std::get<1>(column.code).data();
    if (next_two < x.two_valued.column.size() && x.two_valued.column[next_two] == c) {
      const std::uint32_t k = next_two++;
      made.word = reinterpret_cast<const std::uint8_t*>(x.two_valued.word.data() + k / TwoValued::kBits);
      made.word_step = static_cast<std::uint32_t>(x.two_valued.words * sizeof(std::uint64_t));
      made.bit = k % TwoValued::kBits;
    }
  }
  return out;
}

// Extremely randomised trees (Geurts, Ernst and Wehenkel 2006): a cut of numbers is uniform between the least and the
// greatest, put into the gap of bins it falls into. Where infinities leave nothing to draw between, uniform over bins.
void draw_cut(const CodeColumn& column, std::span<std::uint16_t> occupied, RandomSeries& draws, Split& into) {
  const bool has_missing = occupied[0] == 0;
  const auto values = occupied.subspan(has_missing ? 1 : 0);
  into.set = column.type == ColumnType::Category;
  into.missing_left = draws.below(2) == 0;
  if (values.size() == 1) {  // the cut says "is missing"
    into.missing_left = false;
    into.bin = values[0], into.next = 0;
    if (into.set) into.left.assign(1, static_cast<std::uint16_t>(values[0] - 1));
    return;
  }
  if (into.set) {
    const std::size_t left = 1 + draws.below(values.size() - 1);
    into.left.clear();
    for (std::size_t i = 0; i < left; ++i) {
      std::swap(values[i], values[i + draws.below(values.size() - i)]);
      into.left.push_back(static_cast<std::uint16_t>(values[i] - 1));
    }
    std::ranges::sort(into.left);
    return;
  }
  const std::uint32_t first = values.front(), last = values.back();
  const double low = column.binned->lowest[first - 1], high = column.binned->highest[last - 1], u = draws.unit();
  if (const double t = low * (1 - u) + high * u; std::isfinite(t)) {
    const auto begin = column.binned->highest.begin();
    into.bin = static_cast<std::uint32_t>(std::upper_bound(begin, begin + last, t) - begin);
  } else {
    into.bin = first + static_cast<std::uint32_t>(u * (last - first));
  }
  into.bin = std::clamp(into.bin, first, last - 1);
  into.next = into.bin + 1;
}

}  // namespace sapling

namespace {

// Twigs are for rows that count, of classes.
template <class Scan>
using TwigsOf = std::conditional_t<requires(const Scan& scan) { scan.gini(); }, sapling::TwigGrower, sapling::NoTwigs>;

template <class Scan>
class GrowerOf : public SaplingGrower {
 public:
  GrowerOf(const Binned& x, const Scan& scan, const SaplingOptions& how, std::uint64_t seed)
      : how_(how), grower_(x, scan, sapling::SaplingSink(scan.outputs()), how, seed) {}
  Sapling grow(std::span<const Drawn> rows, std::uint32_t tree) override {
    how_.tree = tree;
    grower_.begin(how_, -1);
    grower_.grow(0, 0, rows);
    return grower_.sink().take();
  }

 private:
  SaplingOptions how_;
  sapling::Grower<Scan, sapling::SaplingSink, TwigsOf<Scan>> grower_;
};

template <class C>
std::unique_ptr<SaplingGrower> grower_of(const Binned& x, const C& criterion, const SaplingOptions& how,
                                         std::uint64_t seed) {
  return sapling::with_scan(x, criterion, x.rows, [&](const auto& scan) -> std::unique_ptr<SaplingGrower> {
    return std::make_unique<GrowerOf<std::remove_cvref_t<decltype(scan)>>>(x, scan, how, seed);
  });
}

}  // namespace

std::unique_ptr<SaplingGrower> sapling_grower(const Binned& x, const Gini& gini, const SaplingOptions& how,
                                              std::uint64_t seed) {
  return grower_of(x, gini, how, seed);
}
std::unique_ptr<SaplingGrower> sapling_grower(const Binned& x, const Variance& variance, const SaplingOptions& how,
                                              std::uint64_t seed) {
  return grower_of(x, variance, how, seed);
}
std::unique_ptr<SaplingGrower> sapling_grower(const Binned& x, const Blind& blind, const SaplingOptions& how,
                                              std::uint64_t seed) {
  return grower_of(x, blind, how, seed);
}

}  // namespace wald
