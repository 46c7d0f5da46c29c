// Counts the rows of a node into the wide sums of all columns: packed where the criterion can (one of several outputs,
// output by output), row by row where the codes lie so, else column by column.
#pragma once
#include <algorithm>
#include <array>
#include <mutex>
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
  // rows are counted once.
  void count(std::span<const Row> rows, Histogram* into, Histogram* off) const {
    if (counts_once(rows.size())) return count_once(rows, into, off);
    std::ranges::fill(*into, 0);
    count_blocks(rows, *into);
    if (off != nullptr) subtract(*off, *into);
  }
  // Whether each packed cell is filled by one block of rows, so that no sum is met twice: few rows, and one thread or
  // columns for all.
  bool counts_once(std::size_t rows) const {
    if (rows > std::min(kBlock, widens(rows) ? kBlock : packed_rows(criterion)) || criterion.width() != 2) return false;
    if (x.by_rows.column.empty() || !layout.by_columns.empty() || bundled(rows)) return false;
    return team == Team::One || stripes() >= 2 * static_cast<std::size_t>(thread_count());
  }

 private:
  // Whether words have room for so few rows that wide cells are better.
  bool widens(std::size_t rows) const { return Widens<C> && packed_rows(criterion) < std::min(rows, kPackedRows); }
  // body(of one cell) of the kind that suits so many rows.
  template <class Body>
  void with_cell(std::size_t rows, Body body) const {
    if constexpr (Widens<C>)
      if (widens(rows)) return body(TwoSums{});
    if constexpr (Packs<C>) body(std::uint64_t{});
  }
  std::size_t stripes() const { return (x.by_rows.width + kStripe - 1) / kStripe; }
  bool bundled(std::size_t rows) const { return x.bundles.width > 0 && rows >= kBundledRows; }

  void count_once(std::span<const Row> rows, Histogram* into, Histogram* off) const {
    with_cell(rows.size(), [&]<class Cell>(Cell) {
      const auto stripe_of = [&](std::size_t s) {
        const std::size_t first = s * kStripe, last = std::min(x.by_rows.width, first + kStripe);
        const std::span cells = own_scratch(scratch).template cells<Cell>();
        fill_by_rows(x.by_rows, rows, criterion, first, last, cells.data());
        each_counted(cells, first, last, [&](std::span<Cell> own, std::size_t c) {
          if (into == nullptr) pour<false, true>(own, criterion, nullptr, column(*off, c));
          else if (off == nullptr) pour<true, false>(own, criterion, column(*into, c), nullptr);
          else pour<true, true>(own, criterion, column(*into, c), column(*off, c));
        });
      };
      if (team == Team::One)
        for (std::size_t s = 0; s < stripes(); ++s) stripe_of(s);
      else parallel_for(stripes(), 1, [&](std::size_t s, std::size_t) { stripe_of(s); });
    });
  }

  void count_blocks(std::span<const Row> rows, Histogram& into) const {
    if constexpr (Widens<C>)
      if (widens(rows.size())) return packed<TwoSums>(rows, kBlock, into);
    if constexpr (Packs<C>)
      if (const std::size_t most = criterion.packed_rows(); most > 0) return packed<std::uint64_t>(rows, most, into);
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
  void packed(std::span<const Row> rows, std::size_t most, Histogram& into) const {
    if (!x.by_rows.column.empty()) by_rows<Cell>(rows, std::min(most, kBlock), into);
    const std::size_t words = bundled(rows.size()) ? x.by_rows.words.size() : 0;  // which are not in the bundles
    const std::size_t columns = layout.by_columns.size() + words;
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

  // body(cells, column) for what fill_by_rows has counted of by_rows.
  template <class Cell, class Body>
  void each_counted(std::span<Cell> cells, std::size_t first, std::size_t last, Body body) const {
    for (std::size_t k = first; k < last; ++k) {
      const std::uint32_t c = x.by_rows.column[k];
      body(cells.subspan((k - first) * kByRowsCells, static_cast<std::size_t>(x.columns[c].codes)), c);
    }
    if (last == x.by_rows.width)
      for (const RowBytes::Word& w : x.by_rows.words)
        body(cells.subspan(packed_cells(last - first) + w.cell, w.codes), w.column);
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

  template <class Cell>
  void stripe(std::span<const Row> rows, bool in_bundles, std::size_t first, std::size_t last, std::mutex& adding,
              Histogram& into) const {
    const std::span cells = own_scratch(scratch).template cells<Cell>();
    const RowBytes& bytes = in_bundles ? static_cast<const RowBytes&>(x.bundles) : x.by_rows;
    fill_by_rows(bytes, rows, criterion, first, last, cells.data());
    const std::lock_guard lock(adding);
    if (in_bundles)
      for (std::size_t k = first; k < last; ++k)
        deal_out(cells.subspan((k - first) * kByRowsCells, 256), x.bundles.of_byte[k], into);
    else
      each_counted(cells, first, last,
                   [&](std::span<Cell> own, std::size_t c) { flush(own, criterion, column(into, c)); });
  }

  // Whoever has counted a block adds it to the node's sums; of whole numbers, so that it matters not in which order.
  template <class Cell>
  void by_rows(std::span<const Row> rows, std::size_t most, Histogram& into) const {
    const bool in_bundles = bundled(rows.size());
    const std::size_t width = in_bundles ? x.bundles.width : x.by_rows.width;
    std::mutex adding;
    const auto block = [&](std::size_t begin, std::size_t end) {
      const auto some = rows.subspan(begin, end - begin);
      for (std::size_t first = 0; first < width; first += kStripe)
        stripe<Cell>(some, in_bundles, first, std::min(width, first + kStripe), adding, into);
    };
    if (team == Team::All) {
      // As many blocks for each thread, so that none waits for a last one.
      const auto threads = static_cast<std::size_t>(thread_count());
      const std::size_t turns = (rows.size() + threads * most - 1) / (threads * most);
      const std::size_t share = rows.size() / (threads * turns) + 1;
      parallel_for(rows.size(), std::clamp<std::size_t>(share, std::min<std::size_t>(4096, most), most), block);
    } else {
      for (std::size_t at = 0; at < rows.size(); at += most) block(at, std::min(rows.size(), at + most));
    }
  }
};

}  // namespace wald
