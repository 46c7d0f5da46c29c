// Offers the splits of one column of a sapling's node to the chooser: those of scan.h, in the same order. For targets
// whose sums are a pair.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "tree/histogram.h"
#include "tree/sapling_classes.h"
#include "tree/sapling_compare.h"
#include "tree/sapling_rows.h"
#include "tree/sapling_sums.h"
#include "tree/sapling_together.h"

namespace wald::sapling {

template <class Kind>
class PairScan {
 public:
  using Entry = typename Kind::Entry;
  using Cell = typename Kind::Cell;
  using Part = Cell;
  static constexpr bool kCounted = std::is_same_v<Kind, TwoCounted>;
  static constexpr std::size_t kTogether = sapling::kTogether;

  PairScan(const Kind& kind, int most_codes)
      : kind_(kind),
        cells_(kCopies * static_cast<std::size_t>(most_codes)),
        code_(static_cast<std::size_t>(most_codes) + kFew),
        upto_(static_cast<std::size_t>(most_codes) + kFew) {
    if constexpr (kCounted)
      gain_.resize(upto_.size()), narrow_.resize(cells_.size() + kTwoAtOnce), occupied_.resize(upto_.size());
    touched_.resize(most_codes);
  }
  int outputs() const { return kind_.outputs(); }
  Entry entry(const Drawn& d) const { return kind_.entry(d); }
  static Part part(const Entry& e) {
    Cell cell{};
    Kind::add(cell, e);
    return cell;
  }
  double gain_unit() const { return kind_.gain_unit(); }
  const Gini& gini() const
    requires kCounted
  {
    return kind_.gini;
  }

  void open(const NodeRows<Entry, Part>& rows) {
    if (ahead_.any())
      with_cells(
          [this](auto&, auto& together, auto) { ahead_.forget([&](std::size_t place) { together.clear(place); }); });
    rows_ = rows, entries_ = rows.entries;
    compared_.forget(), bits_.forget();
    all_ = sum_of(entries_), total_ = Kind::sums(all_), pure_ = kind_.pure(total_, entries_);
  }
  double weight() const { return kind_.weight(total_); }
  double score() const { return kind_.score(total_, weight()); }
  static constexpr bool kMostIsPure = Kind::kMostIsPure;
  double most_gain() const { return kind_.most_gain(entries_, weight(), score()); }  // of any way to divide the rows
  bool pure() const { return pure_; }
  void leaf(std::span<double> out) const { kind_.leaf(total_, entries_, pure_, out); }
  // Whether leaves of one class say it, whatever their weight.
  bool pure_say_class() const
    requires kCounted
  {
    return kind_.gini.smoothing == 0;
  }

  // Whether a column's rows are counted by bits.
  bool by_bits(const CodeColumn& column) const { return kCounted && column.word != nullptr && entries_.size() > kFew; }
  // Whether columns had better be counted together; and does so, as far as that suits them, with those about to be
  // scanned, kTogether at most.
  bool looks_ahead() const { return rows_.at == nullptr && entries_.size() > kFew; }
  void look_ahead(std::span<const CodeColumn* const> columns) {
    std::array<const CodeColumn*, kTogether> suit;
    std::array<const std::uint8_t*, kTogether> codes;
    std::size_t n = 0;
    for (const CodeColumn* column : columns)
      if (!by_bits(*column) && column->narrow != nullptr && counts(*column))
        suit[n] = column, codes[n++] = column->narrow;
    if (n < 2) return;
    with_cells([&](auto&, auto& together, auto put) {
      together.count(entries_, std::span<const std::uint8_t* const>(codes).first(n), true, put);
      for (std::size_t i = 0; i < n; ++i) {
        together.join(i, static_cast<std::size_t>(suit[i]->codes));
        ahead_.put(i, suit[i]->index);
      }
    });
  }

  // Says whether the rows have two different codes.
  bool scan(const CodeColumn& column, Choice& choice) {
    if constexpr (kCounted)
      if (rows_.at == nullptr && column.type == ColumnType::Number && entries_.size() <= kFew &&
          ComparedNode<true>::suits(column, entries_.size(), total_.a + total_.b))
        if (const auto found = compared_.scan(column, entries_, choice); found != Compared::Missing)
          return found == Compared::Done;
    if (rows_.at != nullptr) {
      if (!fill_in_order(column)) return false;
    } else {
      if (counts(column) ? !count(column) : !codes_.read(column, entries_)) return false;
      if (!counts(column)) fill();
    }
    if (column.type == ColumnType::Number) numbers(column.number, choice);
    else categories(column.number, choice);
    return true;
  }
  // The one split given.
  void judge(const CodeColumn& column, const Goes& goes, Choice& choice, Split& split) const {
    Cell left{};
    with_codes(column, [&](const auto* code) {
      goes.with([&](auto test) {
        for (const Entry& e : entries_)
          if (test(code[e.place])) Kind::add(left, e);
      });
    });
    Offer offer{.parent = choice.parent};
    if (!weigh(Kind::sums(left), offer, choice)) return;
    if (Split* taken = choice.greedy.offer(offer)) {
      split.gain = taken->gain, split.noise = taken->noise;
      std::swap(*taken, split);
    }
  }

 private:
  static Cell sum_of(std::span<const Entry> entries) {
    if constexpr (kCounted) return Kind::sum(entries);
    Cell all{};
    for (const Entry& e : entries) Kind::add(all, e);
    return all;
  }
  // Whether a node has so many rows that every code is looked at.
  bool counts(const CodeColumn& column) const {
    const std::size_t codes = static_cast<std::size_t>(column.codes), n = entries_.size();
    return codes <= n || (n > kFew && codes <= 2 * n);
  }
  // body(cells alone, cells together, put) with cells as narrow as will do; put as in CellsTogether.
  template <class Body>
  [[gnu::always_inline]] auto with_cells(Body body) {
    if constexpr (kCounted)
      if (total_.a + total_.b <= Kind::kMostNarrow)
        return body(narrow_, narrow_together_,
                    [](std::uint32_t* cells, std::size_t code, const Entry& e) { cells[code] += e.packed; });
    return body(cells_, together_, [](Cell* cells, std::size_t code, const Entry& e) { Kind::add(cells[code], e); });
  }
  // Lists the occupied codes, ascending, and what the rows up to each add up to. Says whether there are two.
  bool count(const CodeColumn& column) {
    if constexpr (kCounted)
      if (by_bits(column)) return count_bits(column);
    return with_cells([&](auto& alone, auto& together, auto put) {
      const std::size_t place = ahead_.take(column.index);
      if (place == kTogether) count_alone(column, alone.data(), put);
      return list(static_cast<std::size_t>(column.codes), place < kTogether ? together.of(place) : alone.data());
    });
  }
  bool count_bits(const CodeColumn& column)
    requires kCounted
  {
    const auto classes = bits_.count(entries_, column);
    const auto ones = static_cast<Cell>(classes[0].ones) | static_cast<Cell>(classes[1].ones) << 32;
    code_[0] = 1, code_[1] = 2, upto_[0] = all_ - ones, upto_[1] = all_;
    used_ = 2;
    return ones != 0 && ones != all_;
  }
  // Neighbours have cells of their own, so that rows of one code do not wait for each other.
  template <class Counted, class Put>
  void count_alone(const CodeColumn& column, Counted* cells, Put put) {
    const auto codes = static_cast<std::size_t>(column.codes), n = entries_.size();
    Counted *const second = cells + codes, *const third = second + codes, *const fourth = third + codes;
    with_codes(column, [=, entries = entries_.data()](const auto* code) {
      std::size_t i = 0;
      for (; i + 3 < n; i += 4) {
        put(cells, code[entries[i].place], entries[i]);
        put(second, code[entries[i + 1].place], entries[i + 1]);
        put(third, code[entries[i + 2].place], entries[i + 2]);
        put(fourth, code[entries[i + 3].place], entries[i + 3]);
      }
      for (; i < n; ++i) put(cells, code[entries[i].place], entries[i]);
    });
    for (std::size_t c = 0; c < codes; ++c) {
      cells[c] += std::exchange(second[c], Counted{});
      cells[c] += std::exchange(third[c], Counted{});
      cells[c] += std::exchange(fourth[c], Counted{});
    }
  }
  bool list(std::size_t codes, Cell* cells) {
    Cell *upto = upto_.data(), sum{};
    std::uint16_t* const listed = code_.data();
    std::size_t used = 0;
    for (std::size_t c = 0; c < codes; ++c) {
      const Cell here = std::exchange(cells[c], Cell{});
      const Pair s = Kind::sums(here);
      listed[used] = static_cast<std::uint16_t>(c);
      upto[used] = sum += here;
      used += (s.a | s.b) != 0;
    }
    used_ = used;
    return used > 1;
  }
  bool list(std::size_t codes, std::uint32_t* cells)
    requires kCounted
  {
    used_ = list_occupied(cells, codes, code_.data(), occupied_.data());
    Cell *upto = upto_.data(), sum{};
    for (std::size_t i = 0; i < used_; ++i) upto[i] = sum += Kind::widened(occupied_[i]);
    return used_ > 1;
  }
  // The same where there are fewer rows than codes, or a few of them, whose codes are read.
  void fill() {
    const Entry* entries = entries_.data();
    const std::size_t n = entries_.size();
    const std::uint16_t* code = codes_.data();
    Cell *cells = cells_.data(), *upto = upto_.data(), sum{};
    std::size_t used = 0;
    if (n <= kFew) {
      std::uint32_t last = ~0u;
      for (const std::uint32_t key : codes_.sorted(n)) {  // without a branch, which would be mistaken every other time
        used += key >> 16 != last, last = key >> 16;
        Kind::add(sum, entries[key & 0xFFFF]);
        code_[used - 1] = static_cast<std::uint16_t>(last), upto[used - 1] = sum;
      }
    } else {
      for (std::size_t i = 0; i < n; ++i) touched_.add(code[i]), Kind::add(cells[code[i]], entries[i]);
      touched_.take(listed_);
      for (const std::uint16_t c : listed_) code_[used] = c, upto[used++] = sum += std::exchange(cells[c], Cell{});
    }
    used_ = used;
  }
  // The same from a block's order. Says whether there are two different codes.
  bool fill_in_order(const CodeColumn& column) {
    struct Take {
      Cell* upto;
      Cell sum = {};
      std::size_t used = 0, common = ~std::size_t{0};
      void operator()(std::size_t, std::size_t k, const Cell& part) { sum += part, upto[k] = sum; }
      void rest(std::size_t k) { upto[k] = sum, common = k; }
    };
    const Take taken = rows_.walk(column, code_.data(), Take{upto_.data()});
    used_ = taken.used;
    const Cell rest = all_ - taken.sum;
    for (std::size_t k = taken.common; k < used_; ++k) upto_[k] += rest;
    return used_ > 1;
  }
  std::span<const std::uint16_t> occupied() const { return std::span(code_).first(used_); }

  bool weigh(const Pair& left, Offer& offer, const Choice& choice) const {
    const Pair right = total_ - left;
    const double wl = offer.left_weight = kind_.weight(left), wr = offer.right_weight = kind_.weight(right);
    if (!choice.greedy.admits(wl, wr)) return false;
    if (!choice.could_win(kind_.squares(left), kind_.squares(right), wl, wr)) return false;
    offer.left = kind_.score(left, wl), offer.right = kind_.score(right, wr);
    return true;
  }

  void numbers(std::uint32_t column, Choice& choice) {
    if constexpr (kCounted)
      if (code_[0] != 0 && used_ > kJudgedInTurn && numbers_at_once(column, choice)) return;
    numbers_in_turn(column, choice);
  }
  // No value is missing. False, and nothing is offered, where that does not tell which cut is taken.
  bool numbers_at_once(std::uint32_t column, Choice& choice) {
    const std::size_t cuts = used_ - 1;
    const double least = std::max(choice.greedy.min_leaf, 0.5);  // counts are whole
    const double most = judge_two({upto_.data(), cuts, all_}, choice.parent, least, gain_.data());
    if (!choice.greedy.wants(most)) return true;
    return each_deciding({gain_.data(), cuts}, most, Greedy::noise_below(most, choice.parent), [&](std::size_t i) {
      Offer offer{.parent = choice.parent};
      if (!weigh(Kind::sums(upto_[i]), offer, choice)) return;
      Split* split = choice.greedy.offer(offer);
      if (split == nullptr) return;
      split->column = column, split->missing_left = offer.left_weight >= offer.right_weight;
      split->bin = code_[i], split->next = code_[i + 1];
    });
  }
  void numbers_in_turn(std::uint32_t column, Choice& choice) {
    struct Left {
      Cell but;  // the missing values, whose code is the least, where they go right
      Pair sums;
    };
    const Cell* upto = upto_.data();
    const double missing = code_[0] == 0 ? kind_.weight(Kind::sums(upto[0])) : 0;
    walk_numbers(
        column, occupied(), missing, choice,
        [&](bool missing_left) { return Left{missing_left ? Cell{} : upto[0], {}}; },
        [upto](std::size_t i, Left& left) { left.sums = Kind::sums(upto[i] - left.but); },
        [&](const Left& left, Offer& offer) { return weigh(left.sums, offer, choice); });
  }

  // The sets of scan_categories(), none of whose values is missing, as quickly as cuts of numbers.
  void levels(std::uint32_t column, Choice& choice)
    requires kCounted
  {
    OfCodes<PlacedCode> places(used_);
    OfCodes<std::uint16_t> orders(used_);
    level_.resize(used_);
    Cell before{};
    for (std::size_t i = 0; i < used_; ++i) {
      level_[i] = upto_[i] - std::exchange(before, upto_[i]);
      const Pair s = Kind::sums(level_[i]);
      places[i] = {static_cast<double>(s.b) / static_cast<double>(s.a + s.b), static_cast<std::uint16_t>(i)};
    }
    const std::span order(orders.data(), used_);
    sort_places({places.data(), used_}, order);
    Cell left{};
    std::size_t taken = 0;  // how many of the order the favourite has on the left
    for (std::size_t i = 0; i + 1 < used_; ++i) {
      left += level_[order[i]];
      Offer offer{.parent = choice.parent};
      if (!weigh(Kind::sums(left), offer, choice)) continue;
      Split* split = choice.greedy.offer(offer);
      if (split == nullptr) continue;
      split->column = column, split->missing_left = offer.left_weight >= offer.right_weight;
      taken = i + 1;
    }
    if (taken == 0) return;
    std::vector<std::uint16_t>& chosen = choice.greedy.chosen.left;
    choice.greedy.chosen.set = true, chosen.clear();
    for (const std::uint16_t i : order.first(taken)) chosen.push_back(static_cast<std::uint16_t>(code_[i] - 1));
    std::ranges::sort(chosen);
    choice.right_of = column, choice.right_levels.clear();
    for (const std::uint16_t i : order.subspan(taken))
      choice.right_levels.push_back(static_cast<std::uint16_t>(code_[i] - 1));
  }
  void categories(std::uint32_t column, Choice& choice) {
    if constexpr (kCounted)
      if (code_[0] != 0) return levels(column, choice);
    wide_.resize(2 * upto_.size());
    Cell before{};
    for (std::size_t i = 0; i < used_; ++i) {
      const Pair s = Kind::sums(upto_[i] - before);
      before = upto_[i];
      wide_[2 * std::size_t{code_[i]}] = s.a, wide_[2 * std::size_t{code_[i]} + 1] = s.b;
    }
    const std::int64_t total[2] = {total_.a, total_.b};
    kind_.categories({.column = column, .codes = occupied(), .sums = wide_.data(), .total = total, .rule = choice.rule},
                     choice.parent, choice.greedy, left_, right_);
  }

  static constexpr std::size_t kCopies = 4;

  Kind kind_;
  NodeCodes codes_;
  static constexpr std::size_t kNarrowCodes = 256;

  std::vector<Cell> cells_;              // a code's sums, kCopies of each; all zero between uses
  std::vector<std::uint32_t> narrow_;    // the same for counts of 16 bits
  std::vector<std::uint32_t> occupied_;  // of the narrow ones
  CellsTogether<Cell, 2 * kNarrowCodes> together_;
  CellsTogether<std::uint32_t, kCounted ? 2 * kNarrowCodes : 0> narrow_together_;
  CountedAhead ahead_;
  Touched touched_;
  std::vector<std::uint16_t> listed_;
  std::vector<std::uint16_t> code_;  // the first `used_`: occupied, ascending ...
  std::vector<Cell> upto_;           // ... and the sums of each and those before it
  std::vector<Cell> level_;          // the sums of each
  std::vector<double> gain_;         // of the cut after each
  std::size_t used_ = 0;
  std::vector<std::int64_t> wide_, left_, right_;
  NodeRows<Entry, Part> rows_;
  std::span<const Entry> entries_;  // of rows_
  Cell all_{};                      // of them
  Pair total_;                      // the same
  bool pure_ = false;
  ComparedNode<true> compared_;
  BitCounts bits_;
};

}  // namespace wald::sapling
