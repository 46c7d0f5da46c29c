// Counts the rows of a node into the wide sums of all columns: packed where the criterion can (one of several outputs,
// output by output), row by row where the codes lie so, else column by column.
#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <variant>
#include <vector>

#include "core/parallel.h"
#include "tree/histogram.h"
#include "tree/partition.h"

namespace wald {

constexpr std::size_t kBlock = 1u << 15;     // rows that one thread counts at a time
constexpr std::size_t kFewCells = 1u << 15;  // less work than this is not worth waking anyone for

constexpr std::size_t kPackedRows = 1024;   // shorter blocks of words cost more than wide cells
constexpr std::size_t kBundledRows = 2048;  // fewer rows do not pay for dealing out what bundles hold

inline Scratch& own_scratch(std::vector<Scratch>& scratch) { return scratch[static_cast<std::size_t>(thread_index())]; }

inline bool works_alone(Team team, std::size_t cells) { return team == Team::One || cells < kFewCells; }

template <class Body>
void for_columns(Team team, std::size_t cells, std::size_t columns, Body body) {
  if (works_alone(team, cells))
    for (std::size_t c = 0; c < columns; ++c) body(c);
  else parallel_for(columns, 1, [&](std::size_t c, std::size_t) { body(c); });
}

template <class C>
struct Counter {
  template <class>
  friend struct Counter;
  const Binned& x;
  const BinLayout& layout;
  const C& criterion;
  std::vector<Scratch>& scratch;
  Team team;

  // The sums of rows; into: whatever it held. They are taken off `off` too, if given. into may be nullptr where so many
  // rows are poured.
  void count(std::span<const Row> rows, Histogram* into, Histogram* off) const {
    if (pours(rows.size())) return pour_rows(rows, into, off);
    std::ranges::fill(*into, 0);
    count_blocks(rows, *into);
    if (off != nullptr) subtract(*off, *into);
  }
  // Whether packed cells go from where they are counted to the sums and off others, which are met once for it.
  bool pours(std::size_t rows) const {
    return criterion.width() == 2 && most_rows(rows) > 0 && !x.by_rows.column.empty() && layout.by_columns.empty() &&
           !bundled(rows);
  }

 private:
  // Whether words have room for so few rows that wide cells are better.
  bool widens(std::size_t rows) const { return Widens<C> && packed_rows(criterion) < std::min(rows, kPackedRows); }
  // Rows that may be added to a cell of the kind that suits so many; 0 = there is none.
  std::size_t most_rows(std::size_t rows) const {
    return widens(rows) ? kBlock : std::min(kBlock, packed_rows(criterion));
  }
  // body(of one cell) of that kind.
  template <class Body>
  void with_cell(std::size_t rows, Body body) const {
    if constexpr (Widens<C>)
      if (widens(rows)) return body(TwoSums{});
    if constexpr (Packs<C>) body(std::uint64_t{});
  }
  bool bundled(std::size_t rows) const { return x.bundles.width > 0 && rows >= kBundledRows; }

  void pour_rows(std::span<const Row> rows, Histogram* into, Histogram* off) const {
    with_cell(rows.size(), [&]<class Cell>(Cell) {
      each_stripe<Cell>(x.by_rows, rows, [&](const auto& stripe, std::span<Cell> cells, std::size_t k, bool first) {
        const Place at = place(stripe, k);
        const std::span own = cells.subspan(at.cell, at.codes);
        std::int64_t* const to = into == nullptr ? nullptr : column(*into, at.column);
        std::int64_t* const from = off == nullptr ? nullptr : column(*off, at.column);
        if (to == nullptr) pour<Pour::Nowhere, true>(own, criterion, to, from);
        else if (first && from == nullptr) pour<Pour::Over, false>(own, criterion, to, from);
        else if (from == nullptr) pour<Pour::Onto, false>(own, criterion, to, from);
        else if (first) pour<Pour::Over, true>(own, criterion, to, from);
        else pour<Pour::Onto, true>(own, criterion, to, from);
      });
    });
  }

  void count_blocks(std::span<const Row> rows, Histogram& into) const {
    if (most_rows(rows.size()) > 0) return with_cell(rows.size(), [&]<class Cell>(Cell) { packed<Cell>(rows, into); });
    if constexpr (requires { criterion.output(0); }) {
      for (int k = 0; k < criterion.outputs(); ++k) {
        const auto output = criterion.output(k);
        Counter<std::remove_const_t<decltype(output)>>{x, layout, output, scratch, team}.count_blocks(rows, into);
      }
      return;
    }
    std::vector<typename C::Part> parts(rows.size());
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = criterion.part(rows[i]);
    const auto one = [&](std::size_t c) {
      std::visit([&](const auto& code) { fill<C>(code, rows, parts.data(), criterion, column(into, c)); },
                 x.columns[c].code);
    };
    if (works_alone(team, rows.size() * x.columns.size())) return fill_columns(rows, parts.data(), into, one);
    parallel_for(x.columns.size(), 1, [&](std::size_t c, std::size_t) { one(c); });
  }
  // one(c) fills those of a column that is not filled together with others.
  template <class One>
  void fill_columns(std::span<const Row> rows, const typename C::Part* part, Histogram& into, One one) const {
    std::array<std::uint32_t, kFilledTogether> together;
    std::array<const std::uint8_t*, kFilledTogether> code;
    std::array<std::int64_t*, kFilledTogether> sums;
    std::size_t count = 0;
    for (std::uint32_t c = 0; c < x.columns.size(); ++c) {
      const auto* narrow = std::get_if<std::vector<std::uint8_t>>(&x.columns[c].code);
      if (narrow == nullptr) {
        one(c);
        continue;
      }
      together[count] = c, code[count] = narrow->data(), sums[count] = column(into, c);
      if (++count == kFilledTogether) fill_together<C>(code, rows, part, criterion, sums), count = 0;
    }
    for (std::size_t k = 0; k < count; ++k) one(together[k]);
  }

  std::int64_t* column(Histogram& into, std::size_t c) const {
    return into.data() + layout.start[c] * static_cast<std::size_t>(criterion.width());
  }

  template <class Cell>
  void packed(std::span<const Row> rows, Histogram& into) const {
    const bool in_bundles = bundled(rows.size());
    if (in_bundles)
      each_stripe<Cell>(x.bundles, rows, [&](const Stripe& stripe, std::span<Cell> cells, std::size_t k, bool) {
        deal_out(cells.subspan(k * kByRowsCells, 256), x.bundles.of_byte[stripe.first + k], into);
      });
    else if (!x.by_rows.column.empty())
      each_stripe<Cell>(x.by_rows, rows, [&](const Stripe& stripe, std::span<Cell> cells, std::size_t k, bool) {
        const Place at = place(stripe, k);
        flush(cells.subspan(at.cell, at.codes), criterion, column(into, at.column));
      });
    const std::size_t words = in_bundles ? x.by_rows.words.size() : 0;  // which are not in the bundles
    const std::size_t columns = layout.by_columns.size() + words, most = most_rows(rows.size());
    for_columns(team, rows.size() * columns, columns, [&](std::size_t i) {
      const std::uint32_t c = i < words ? x.by_rows.words[i].column : layout.by_columns[i - words];
      const std::span cells =
          own_scratch(scratch).template cells<Cell>().first(static_cast<std::size_t>(x.columns[c].codes));
      for (std::size_t at = 0; at < rows.size(); at += most) {
        const auto some = rows.subspan(at, std::min(most, rows.size() - at));
        with_codes(x, c, [&](auto code) { fill_packed(code, some, criterion, cells.data()); });
        flush(cells, criterion, column(into, c));
      }
    });
  }
  template <class Cell>
  void deal_out(std::span<Cell> cells, const std::vector<Bundles::Member>& members, Histogram& into) const {
    const auto width = static_cast<std::size_t>(criterion.width());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i] == Cell{}) continue;
      for (const Bundles::Member& m : members) criterion.unpack(cells[i], column(into, m.column) + m.code[i] * width);
      cells[i] = {};
    }
  }

  // Bytes of a row that are counted together, and with the last of them its words.
  struct Stripe {
    const RowBytes& bytes;
    std::size_t first, last;
    std::size_t columns() const { return last - first + (last == bytes.width ? bytes.words.size() : 0); }
  };
  struct Place {
    std::size_t cell, codes;
    std::uint32_t column;
  };
  // Where the k-th column of a stripe has its cells; of by_rows.
  Place place(const Stripe& stripe, std::size_t k) const {
    const std::size_t bytes = stripe.last - stripe.first;
    if (k >= bytes) {
      const RowBytes::Word& word = x.by_rows.words[k - bytes];
      return {packed_cells(bytes) + word.cell, word.codes, word.column};
    }
    const std::uint32_t c = x.by_rows.column[stripe.first + k];
    return {k * kByRowsCells, static_cast<std::size_t>(x.columns[c].codes), c};
  }

  // take(stripe, cells, k, first) for what is counted in each column, which it must clear; first: for the first time.
  // As many rows at a time as there is room for, so that they are near when the next stripe is counted. Of many stripes
  // each is a thread's; else all threads count a share of the rows each, then take a share of the columns each.
  template <class Cell, class Take>
  void each_stripe(const RowBytes& bytes, std::span<const Row> rows, Take take) const {
    const auto all = static_cast<std::size_t>(thread_count());
    const std::size_t threads = works_alone(team, rows.size() * bytes.width) ? 1 : all;
    const std::size_t stripes = (bytes.width + kStripe - 1) / kStripe;
    const bool apart = threads > 1 && stripes >= 2 * threads;
    const std::size_t most = (apart ? 1 : threads) * most_rows(rows.size());
    for (std::size_t at = 0; at < rows.size(); at += most) {
      const auto some = rows.subspan(at, std::min(most, rows.size() - at));
      const auto one = [&](std::size_t s, std::size_t by) {
        const Stripe stripe{bytes, s * kStripe, std::min(bytes.width, (s + 1) * kStripe)};
        count_stripe<Cell>(stripe, some, by, at == 0, take);
      };
      if (apart) parallel_for(stripes, 1, [&](std::size_t s, std::size_t) { one(s, 1); });
      else
        for (std::size_t s = 0; s < stripes; ++s) one(s, threads);
    }
  }
  template <class Cell, class Take>
  void count_stripe(const Stripe& stripe, std::span<const Row> rows, std::size_t threads, bool first, Take take) const {
    const auto cells = [&](std::size_t share) {
      return (threads == 1 ? own_scratch(scratch) : scratch[share]).template cells<Cell>();
    };
    const std::size_t share = (rows.size() + threads - 1) / threads, shares = (rows.size() + share - 1) / share;
    for_shares(threads, rows.size(), share, [&](std::size_t begin, std::size_t end) {
      fill_by_rows(stripe.bytes, rows.subspan(begin, end - begin), criterion, stripe.first, stripe.last,
                   cells(begin / share).data());
    });
    const std::size_t columns = stripe.columns();
    for_shares(threads, columns, (columns + threads - 1) / threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k)
        for (std::size_t s = 0; s < shares; ++s) take(stripe, cells(s), k, first && s == 0);
    });
  }
  template <class Body>
  static void for_shares(std::size_t threads, std::size_t n, std::size_t share, Body body) {
    if (threads == 1) body(0, n);
    else parallel_for(n, share, body);
  }
};

}  // namespace wald
