// The scan of boosting's nodes of few rows. A node reads its part of each column's order: the packed sums left of every
// place tell the most that a cut there can gain. Only columns that may be the best are judged, and of their cuts those
// that may decide: where these are few, the others have no say; else the column is summed up by code, and its offers
// are those of scan.h, in the same order.
#pragma once
#include <bit>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tree/histogram.h"
#include "tree/newton.h"
#include "tree/newton_bound.h"
#include "tree/sapling_promising.h"
#include "tree/sapling_rows.h"
#include "tree/scan_few.h"
#include "tree/scan_levels.h"

namespace wald::sapling {

class NewtonScan {
 public:
  struct Entry {
    std::uint32_t place;
  };
  using Part = Gradient;
  Part part(const Entry& e) const { return newton_.part(e.place); }  // whose place is still its row
  static constexpr bool kMostIsPure = false;

  // rows: the most a node will have, at most newton.packed_rows().
  NewtonScan(const Newton& newton, int most_codes, std::size_t rows)
      : left_(kRoom + padded(rows) + kLine),
        worth_(left_.size()),
        sums_(2 * static_cast<std::size_t>(most_codes)),
        upto_(rows) {
    begin(newton);
    scratch_.cuts.fit(rows), scratch_.codes.resize(rows);
  }
  // Rows count alike: newton.least has no weights.
  void begin(const Newton& newton) {
    newton_ = newton;
    needed_ = newton.least.any() ? static_cast<std::size_t>(newton.least.needed()) : 1;
  }
  static int outputs() { return 1; }
  static Entry entry(const Drawn& d) { return {d.row}; }
  static double gain_unit() { return 1; }

  // known: the sums of the rows; nullptr = not yet.
  void open(const NodeRows<Entry, Part>& rows, const std::int64_t* known) {
    rows_ = rows, bound_open_ = false, room_used_ = 0;
    part_ = rows.placed != nullptr ? rows.placed : newton_.gradients->row.data();
    if (known != nullptr) {
      total_[0] = known[0], total_[1] = known[1];
      return;
    }
    std::uint64_t sum = 0;
#pragma GCC unroll 4
    for (const Entry& e : rows_.entries) sum += Newton::pack(part_[e.place]);
    total_[0] = total_[1] = 0;
    Newton::unpack(sum, total_);
  }
  double weight() const { return newton_.weight(total_); }
  double score() const { return newton_.score(total_, weight()); }
  static double most_gain() { return std::numeric_limits<double>::infinity(); }
  static bool pure() { return false; }
  bool may_divide() const { return rows_.entries.size() >= 2 * needed_; }
  // The same of a child, which must have so much weight too.
  bool may_divide(std::size_t rows, Sums sums, double least) const {
    return rows >= 2 * needed_ && newton_.weight(sums) >= least;
  }
  Sums total() const { return total_; }
  void leaf(std::span<double> out) const { newton_.leaf(total_, out); }

 private:
  // The rows of the column's common code stand in its order as one, which adds what the n others leave.
  template <class Code, class Body>
  auto with_common(const CodeColumn& column, const Code* code, const std::uint16_t* order, std::size_t n, Body body) {
    listed_.resize(n + 1 + kUnrolled), code_.resize(n + 1);
    std::int64_t rest[2] = {total_[0], total_[1]};
    std::size_t place = 0;  // of the common code
    for (std::size_t i = 0; i < n; ++i) {
      const Gradient part = rows_.at[order[i]];
      const std::uint32_t c = code[order[i]];
      rest[0] -= part.g, rest[1] -= part.h;
      place += c < column.common;
      const std::size_t to = i + (c > column.common);
      listed_[to] = part, code_[to] = c;
    }
    listed_[place] = {.h = static_cast<std::int32_t>(rest[1]), .g = static_cast<std::int32_t>(rest[0])};
    code_[place] = column.common, common_at_ = place;
    return body(
        n + 1, [of = code_.data()](std::size_t i) { return of[i]; },
        [of = listed_.data()](std::size_t i) { return of[i]; });
  }

  // body(n, code_of, part_of): code_of(i) and part_of(i) of the row that is the i-th of n in the column's order. Where
  // there are kUnrolled or more, part_of() may be asked about as many behind the last, and says anything.
  template <class Body>
  [[gnu::always_inline]] auto with_order(const CodeColumn& column, Body body) {
    return with_codes(column, [&](const auto* code) {
      const std::span<const Entry> rows = rows_.entries;
      common_at_ = kNoCommon;
      if (rows_.at == nullptr) {
        const std::size_t turned = code[rows[0].place] > code[rows[1].place];  // there are only two
        const auto code_of = [=](std::size_t i) { return std::uint32_t{code[rows[i ^ turned].place]}; };
        return body(2, code_of, [=, at = part_](std::size_t i) { return at[rows[i ^ turned].place]; });
      }
      const std::uint16_t* order = column.order + rows_.first;
      const std::size_t n = rows_.in_order(column);
      if (n < rows.size()) return with_common(column, code, order, n, body);
      const auto code_of = [=](std::size_t i) { return std::uint32_t{code[order[i]]}; };
      return body(n, code_of, [order, at = rows_.at](std::size_t i) { return at[order[i]]; });
    });
  }

 public:
  // Whether the rows have two different codes; then the column is among those that choose() chooses from.
  bool consider(const CodeColumn& column, const Choice& choice) {
    return with_order(column, [&](std::size_t n, auto code_of, auto part_of) {
      if (code_of(0) == code_of(n - 1)) return false;
      const bool bounded = column.type == ColumnType::Number && code_of(0) > 0;
      promising_.add(column, bounded ? most(column, choice, n, part_of) : std::numeric_limits<double>::infinity());
      return true;
    });
  }
  void choose(Choice& choice) {
    promising_.choose(choice, [&](const CodeColumn& column, Greedy& found) { judge(column, choice, found); });
  }

 private:
  // The favourite of a column that has two different codes, unless it gains no more than found.floor.
  void judge(const CodeColumn& column, const Choice& choice, Greedy& found) {
    with_order(column, [&](std::size_t n, auto code_of, auto part_of) {
      if (column.type != ColumnType::Number) return categories(column, choice, n, code_of, part_of, found);
      if (code_of(0) > 0 && common_at_ == kNoCommon) {
        if (!bounded_[column.index].own) most(column, choice, n, part_of);
        if (bound_.tells() && deciding_cuts(column, choice, bounded_[column.index], code_of, found)) return;
      }
      numbers(column, choice, n, code_of, part_of, found);
    });
  }

  void open_bound(const Choice& choice) {
    bound_.open(newton_, rows_.entries.size(), total_, choice.parent, choice.greedy.min_leaf);
  }
  // Cuts between rows of one code are asked about too, for it costs less than to tell them apart.
  template <class PartOf>
  double most(const CodeColumn& column, const Choice& choice, std::size_t n, PartOf part_of) {
    if (!std::exchange(bound_open_, true)) open_bound(choice);
    const std::size_t less = common_at_ == kNoCommon ? needed_ - 1 : 0;  // the first cut has one row on its left
    if (column.index >= bounded_.size()) bounded_.resize(column.index + std::size_t{1});
    const std::size_t cuts = n - 1 - 2 * less;
    Bounded& here = bounded_[column.index];
    here.cuts = cuts, here.own = room_used_ + padded(cuts) <= kRoom;
    here.at = here.own ? room_used_ : kRoom;
    if (here.own) room_used_ += padded(cuts);
    std::uint64_t sum = 0, *left = left_of(here);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < less; ++i) sum += Newton::pack(part_of(i));
    const auto put = [&](std::size_t i) { left[i] = sum += Newton::pack(part_of(less + i)); };
    std::size_t i = 0;
    // Sums of what lies behind the last cut are nobody's, but a loop that makes them has one end less to be mistaken
    // of.
    if (cuts >= kUnrolled)
      for (; i < cuts; i += kUnrolled)
        for (std::size_t k = 0; k < kUnrolled; ++k) put(i + k);
    for (; i < cuts; ++i) put(i);
    return bound_.most(left, cuts, worth_of(here), here.most);
  }

  // The cuts of a column, its rows being in the order of their codes.
  struct Bounded {
    std::size_t at = 0, cuts = 0;  // where they are; the first leaves as many rows on its left as it must
    bool own = false;              // so that they stay there while the node's other columns are looked at
    float most = 0;                // what one of them may be worth
  };
  // Of each cut: what is left of it, packed, and what it may be worth. Each column has a place of its own as long as
  // there is room, so that nothing waits to know which is the most promising; the others share the last. Registers that
  // are read from there do not lie across two lines of the cache.
  static constexpr std::size_t kRoom = 1u << 13, kLine = 16;
  static std::size_t padded(std::size_t cuts) { return (cuts + kCutPadding + kLine - 1) / kLine * kLine; }
  template <class T>
  static T* aligned(std::vector<T>& room) {
    constexpr std::uintptr_t kBytes = 64;
    static_assert(kLine * sizeof(T) >= kBytes);
    const auto first = reinterpret_cast<std::uintptr_t>(room.data());
    return room.data() + (kBytes - first % kBytes) % kBytes / sizeof(T);
  }
  std::uint64_t* left_of(const Bounded& b) { return aligned(left_) + b.at; }
  float* worth_of(const Bounded& b) { return aligned(worth_) + b.at; }

  // The first of the cuts that are worth most and lie between two codes: kNoCut where none is worth `least`, kTooMany
  // where it takes too long to tell. Cuts between rows of one code that are found on the way are worth nothing after.
  template <class CodeBefore>
  static std::size_t most_worthy(float* worth, std::size_t cuts, float least, CodeBefore code_before) {
    for (int tries = 0; tries < kTries; ++tries) {
      const std::size_t best = first_of_most(worth, cuts);
      if (worth[best] < least) return kNoCut;
      const std::uint32_t code = code_before(best);
      if (code != code_before(best + 1)) return best;
      for (std::size_t i = best; i < cuts && code_before(i + 1) == code; ++i) worth[i] = -1;
      for (std::size_t i = best; i-- > 0 && code_before(i) == code;) worth[i] = -1;
    }
    return kTooMany;
  }

  // The same of cuts listed in their order, which must be all that are worth as much as one of them.
  template <class CodeBefore>
  static std::size_t most_worthy_of(const float* worth, std::span<const std::uint16_t> listed, CodeBefore code_before) {
    std::size_t best = kNoCut;
    for (const std::size_t cut : listed)
      if (code_before(cut) != code_before(cut + 1) && (best == kNoCut || worth[cut] > worth[best])) best = cut;
    return best;
  }

  // As numbers(), but of the cuts only those are judged that may decide by what they are worth: whoever gains less than
  // one of them by more than twice the noise has no say, as in each_deciding(). False, and nothing is offered, where
  // that takes too much to tell.
  template <class CodeOf>
  bool deciding_cuts(const CodeColumn& column, const Choice& choice, const Bounded& cuts, CodeOf code_of,
                     Greedy& found) {
    const auto code_before = [&](std::size_t cut) { return code_of(cut + needed_ - 1); };
    const float floor = bound_.least_worth(found.floor);
    if (cuts.most < floor) return true;
    // Nearly always those that may decide are worth nearly as much as the most: one look finds them all.
    float* const worth_at = worth_of(cuts);
    const std::uint64_t* const left_at = left_of(cuts);
    std::uint16_t near[kNear];
    const float guess = cuts.most * kNearly;
    std::size_t listed = list_worth(worth_at, cuts.cuts, guess, near, kNear);
    std::size_t best = listed <= kNear ? most_worthy_of(worth_at, {near, listed}, code_before) : kNoCut;
    const bool guessed = best != kNoCut;
    if (guessed && worth_at[best] < floor) return true;
    if (!guessed) best = most_worthy(worth_at, cuts.cuts, floor, code_before);
    if (best == kNoCut) return true;
    if (best == kTooMany) return false;
    const double least = gain(left_at[best], choice.parent), noise = Greedy::noise_below(least, choice.parent);
    const float worth = bound_.least_worth(least - 2 * noise);
    if (!guessed || worth < guess) listed = list_worth(worth_at, cuts.cuts, worth, near, kNear);
    if (listed > kNear) return false;
    std::size_t count = 0;
    std::int64_t* const left = scratch_.cuts.left.data();
    for (std::size_t k = 0; k < listed; ++k) {
      if (worth_at[near[k]] < worth || code_before(near[k]) == code_before(near[k] + std::size_t{1})) continue;
      const auto part = std::bit_cast<Part>(left_at[near[k]]);
      left[2 * count] = part.g, left[2 * count + 1] = part.h, near[count++] = near[k];
    }
    double* const gains = scratch_.cuts.gain.data();
    const double most = count == 1  // nearly always
                            ? gains[0] = least
                            : newton_.gains({left, count, total_[0], total_[1]}, choice.parent, found.min_leaf, gains);
    if (!(most >= least)) return false;
    if (most <= found.floor) return true;
    const FewColumn x{.column = column.number, .total = total_, .rule = choice.rule};
    return each_deciding({gains, count}, most, found.noise_below(most, choice.parent), [&](std::size_t k) {
      if (!found.wants(gains[k])) return;
      if (Split* split = offer_cut(x, left + 2 * k, true, newton_, choice.parent, found))
        split->bin = code_before(near[k]), split->next = code_before(near[k] + std::size_t{1});
    });
  }
  double gain(std::uint64_t packed, double parent) const {
    const auto part = std::bit_cast<Part>(packed);
    const std::int64_t left[2] = {part.g, part.h}, right[2] = {total_[0] - part.g, total_[1] - part.h};
    return newton_.score(left, newton_.weight(left)) + newton_.score(right, newton_.weight(right)) - parent;
  }

  template <class CodeOf, class PartOf>
  void numbers(const CodeColumn& column, const Choice& choice, std::size_t n, CodeOf code_of, PartOf part_of,
               Greedy& found) {
    FewColumn x{.column = column.number, .total = total_, .rule = choice.rule};
    std::size_t i = 0, k = 0, end = n;
    for (; i < n && code_of(i) == 0; ++i) Newton::add(part_of(i), x.missing), x.any_missing = true;
    std::int64_t sum[2] = {x.missing[0], x.missing[1]};
    if (x.any_missing || common_at_ != kNoCommon) {
      if (needed_ > 1) count_rows(x, n, code_of);
    } else {  // every row counts for one: those at both ends have no cut between them
      for (; i + 1 < needed_; ++i) Newton::add(part_of(i), sum);
      end = n + 1 - needed_;
    }
    std::uint64_t here = Newton::pack({.h = static_cast<std::int32_t>(sum[1]), .g = static_cast<std::int32_t>(sum[0])});
    std::uint64_t* const upto = aligned(left_) + kRoom;
    std::uint16_t* const codes = scratch_.codes.data();
    std::uint32_t last = code_of(i);
    for (; i < end; ++i) {  // no branch on the codes, which would be mistaken every other time
      const std::uint32_t code = code_of(i);
      k += code != std::exchange(last, code);
      upto[k] = here += Newton::pack(part_of(i)), codes[k] = static_cast<std::uint16_t>(code);
    }
    std::int64_t* const left = scratch_.cuts.left.data();
    for (std::size_t j = 0; j <= k; ++j) {
      const auto part = std::bit_cast<Part>(upto[j]);
      left[2 * j] = part.g, left[2 * j + 1] = part.h;
    }
    offer_few(x, k + 1, newton_, choice.parent, found, scratch_);
  }
  // What the cuts after each value need to be judged by their rows.
  template <class CodeOf>
  void count_rows(FewColumn& x, std::size_t n, CodeOf code_of) {
    std::size_t k = 0, i = 0, rows = 0;
    const auto of = [&](std::size_t at) { return at == common_at_ ? rows_.entries.size() - (n - 1) : 1; };
    for (; i < n && code_of(i) == 0; ++i) rows += of(i);
    x.missing_rows = rows;
    for (std::uint32_t last = code_of(i); i < n; ++i) {
      k += code_of(i) != std::exchange(last, code_of(i));
      upto_[k] = static_cast<std::uint32_t>(rows += of(i));
    }
    x.upto = upto_.data(), x.rows = rows, x.needed = needed_;
  }

  template <class CodeOf, class PartOf>
  void categories(const CodeColumn& column, const Choice& choice, std::size_t n, CodeOf code_of, PartOf part_of,
                  Greedy& found) {
    std::size_t used = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t code = code_of(i);
      if (i == 0 || code != scratch_.codes[used - 1]) {
        scratch_.codes[used++] = static_cast<std::uint16_t>(code);
        sums_[2 * code] = sums_[2 * code + 1] = 0;
      }
      Newton::add(part_of(i), sums_.data() + 2 * code);
    }
    const ColumnSums sums{.column = column.number,
                          .codes = std::span(scratch_.codes).first(used),
                          .sums = sums_.data(),
                          .total = total_,
                          .rows = rows_.entries.size(),
                          .rule = choice.rule};
    LevelScan<Newton, Greedy>(sums, newton_, choice.parent, found, scratch_.left, scratch_.right).scan();
  }

  static constexpr std::size_t kNoCommon = ~std::size_t{0}, kNoCut = kNoCommon, kTooMany = kNoCut - 1;
  static constexpr std::size_t kUnrolled = 8;
  static constexpr int kTries = 8;          // cuts looked at to find one between two codes
  static constexpr std::size_t kNear = 16;  // cuts judged
  static constexpr float kNearly = 1 - 0x1p-9F;

  Newton newton_;
  std::size_t needed_ = 1;  // rows of a leaf
  NodeRows<Entry, Part> rows_;
  const Part* part_ = nullptr;  // by place
  std::int64_t total_[2] = {0, 0};
  GainBound bound_;
  bool bound_open_ = false;
  Promising promising_;
  std::vector<Bounded> bounded_;     // by the index of the column
  std::vector<std::uint64_t> left_;  // of their cuts: kRoom for those that have a place, then that of the others
  std::vector<float> worth_;
  std::size_t room_used_ = 0;
  std::vector<std::int64_t> sums_;   // of a category's codes
  std::vector<Part> listed_;         // of a column that has a common code: its rows, those of that code as one, ...
  std::vector<std::uint32_t> code_;  // ... and their codes
  std::size_t common_at_ = kNoCommon;
  std::vector<std::uint32_t> upto_;  // rows up to each value, with those that miss the column
  Scratch scratch_;
};

}  // namespace wald::sapling
