#include "prepare/bin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>

#include "core/check.h"
#include "core/parallel.h"
#include "core/text.h"
#include "prepare/bundle.h"
#include "prepare/edges.h"

namespace wald {
namespace {

// From images to their bins: the first whose last image is not below. A table over the leading bits tells where to
// begin, and the few bins that share an entry of it are searched.
template <class Key>
class Finder {
 public:
  static constexpr std::size_t kAtOnce = 4;  // searches that do not wait for each other

  // last[b] = the greatest image of bin b; least: the least of all images.
  Finder(std::vector<Key> last, Key least, std::size_t rows) : last_(std::move(last)), least_(least) {
    const int table_bits = std::clamp(static_cast<int>(std::bit_width(rows)) - 2, 1, 16);
    shift_ = std::max(0, static_cast<int>(std::bit_width(last_.back() - least)) - table_bits);
    start_.resize(entry(last_.back()) + 1);
    std::size_t most = 0;
    for (std::size_t b = 0, next = 0; b < start_.size(); ++b) {
      start_[b] = static_cast<std::uint16_t>(next);
      while (next < last_.size() && entry(last_[next]) == b) ++next;
      most = std::max(most, next - start_[b]);
    }
    step_ = std::bit_ceil(most + 1) / 2;
    last_.resize(last_.size() + 2 * step_, std::numeric_limits<Key>::max());
  }
  Key least() const { return least_; }
  void operator()(const Key* key, std::size_t* bin) const {  // kAtOnce of them
    for (std::size_t k = 0; k < kAtOnce; ++k) bin[k] = start_[entry(key[k])];
    for (std::size_t step = step_; step > 0; step /= 2)
      for (std::size_t k = 0; k < kAtOnce; ++k) bin[k] += step * (last_[bin[k] + step - 1] < key[k]);
  }

 private:
  std::size_t entry(Key key) const { return static_cast<std::size_t>((key - least_) >> shift_); }

  std::vector<Key> last_;  // behind its end as many greatest keys as a search may look at
  Key least_;
  int shift_ = 0;
  std::vector<std::uint16_t> start_;  // the first bin whose last image has this entry or a later one
  std::size_t step_ = 0;
};

template <class Code, class Value, class Find>
std::vector<Code> codes_of(std::span<const Value> values, const Find& find) {
  std::vector<Code> code(values.size());
  constexpr std::size_t kAtOnce = Find::kAtOnce;
  std::array<decltype(image(Value{})), kAtOnce> key;
  std::array<std::size_t, kAtOnce> bin;
  for (std::size_t i = 0; i < values.size(); i += kAtOnce) {
    const std::size_t some = std::min(kAtOnce, values.size() - i);
    key.fill(find.least());
    for (std::size_t k = 0; k < some; ++k) key[k] = missing(values[i + k]) ? find.least() : image(values[i + k]);
    find(key.data(), bin.data());
    for (std::size_t k = 0; k < some; ++k)
      code[i + k] = missing(values[i + k]) ? Code{0} : static_cast<Code>(bin[k] + 1);
  }
  return code;
}

// Of few rows: sorted with their numbers, each is told its bin.
template <class Code, class Key>
std::vector<Code> codes_of(std::span<const RowImage<Key>> sorted, std::span<const std::size_t> ends, std::size_t rows) {
  std::vector<Code> code(rows);
  std::size_t at = 0;
  for (std::size_t b = 0; b < ends.size(); ++b)
    for (; at < ends[b]; ++at) code[sorted[at].row] = static_cast<Code>(b + 1);
  return code;
}

template <class Key, class Value, class ValueOf>
BinnedColumn bin_few(std::span<const Value> values, int max_bins, Room<Key>& room, Span<Key> span,
                     const ValueOf& value_of) {
  std::vector<RowImage<Key>>& sorted = room.placed;
  sorted.clear();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!missing(values[i])) sorted.push_back({image(values[i]), static_cast<Row>(i)});
  radix_sort(sorted, room.other_placed, span.least, span.most, [](const RowImage<Key>& p) { return p.key; });
  room.counts.clear();
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i].key != sorted[i - 1].key) room.counts.push_back(0);
    ++room.counts.back();
  }
  std::vector<std::size_t> ends = bin_sizes(room.counts, max_bins);  // so far in different numbers
  BinnedColumn out{.codes = static_cast<int>(ends.size()) + 1};
  std::size_t at = 0, number = 0;
  for (std::size_t& end : ends) {
    out.lowest.push_back(value_of(sorted[at].key));
    for (const std::size_t last = number + end; number < last; ++number) at += room.counts[number];
    out.highest.push_back(value_of(sorted[at - 1].key));
    end = at;
  }
  if (out.codes <= 256) out.code = codes_of<std::uint8_t, Key>(sorted, ends, values.size());
  else out.code = codes_of<std::uint16_t, Key>(sorted, ends, values.size());
  return out;
}

// value_of turns an image back into the number it stands for.
template <class Key, class Value, class ValueOf>
BinnedColumn bin_numbers(std::span<const Value> values, int max_bins, Room<Key>& room, const ValueOf& value_of) {
  const Span<Key> span = span_of<Key>(values);
  if (values.size() < kFewValues && !span.empty() && !span.narrow(values.size()))
    return bin_few(values, max_bins, room, span, value_of);
  Edges<Key> edges = edges_of(values, max_bins, room, span);
  BinnedColumn out{.codes = static_cast<int>(edges.last.size()) + 1};
  for (const Key key : edges.first) out.lowest.push_back(value_of(key));
  for (const Key key : edges.last) out.highest.push_back(value_of(key));
  if (edges.last.empty()) {
    out.code = std::vector<std::uint8_t>(values.size());
  } else if (const Finder<Key> find(std::move(edges.last), span.least, values.size()); out.codes <= 256) {
    out.code = codes_of<std::uint8_t>(values, find);
  } else {
    out.code = codes_of<std::uint16_t>(values, find);
  }
  return out;
}

struct Rooms {
  Room<std::uint32_t> narrow;
  Room<std::uint64_t> wide;
  std::vector<double> read;  // a column that is lent, read once
};

BinnedColumn bin_numbers(const Numbers& numbers, int max_bins, Rooms& rooms) {
  if (numbers.is_plain()) return bin_numbers(numbers.doubles(), max_bins, rooms.wide, number);
  if (numbers.lent()) {
    rooms.read.resize(numbers.size());
    numbers.copy(0, numbers.size(), rooms.read.data());
    return bin_numbers(std::span<const double>(rooms.read), max_bins, rooms.wide, number);
  }
  double power = 1;  // of ten, exact: what Numbers divides by
  for (int i = 0; i < numbers.decimals(); ++i) power *= 10;
  return bin_numbers(numbers.digits(), max_bins, rooms.narrow,
                     [power](std::uint32_t key) { return static_cast<std::int32_t>(key ^ 0x8000'0000u) / power; });
}

template <class Code>
std::vector<Code> shifted(const std::vector<std::int32_t>& codes) {
  std::vector<Code> out(codes.size());
  std::ranges::transform(codes, out.begin(), [](std::int32_t c) { return static_cast<Code>(c + 1); });
  return out;
}

BinnedColumn bin_categories(const Categories& categories) {
  BinnedColumn out{.type = ColumnType::Category, .codes = static_cast<int>(categories.level.size()) + 1};
  if (out.codes <= 256) out.code = shifted<std::uint8_t>(categories.code);
  else out.code = shifted<std::uint16_t>(categories.code);
  return out;
}

// A row that fits a cache line should not lie across two, unless that wastes more than a quarter.
std::size_t row_stride(std::size_t bytes) {
  const std::size_t even = bytes <= 64 ? std::bit_ceil(bytes) : (bytes + 63) / 64 * 64;
  return even - bytes <= even / 4 ? even : bytes;
}

// As many columns of more than 256 codes as have cells that stay near while rows are counted.
void find_words(const Binned& x, RowMajor& out) {
  constexpr std::size_t kMostCells = 1u << 13;
  for (std::uint32_t c = 0; c < x.columns.size(); ++c) {
    const auto codes = static_cast<std::size_t>(x.columns[c].codes);
    if (!std::holds_alternative<std::vector<std::uint16_t>>(x.columns[c].code) || out.word_cells + codes > kMostCells)
      continue;
    out.words.push_back({.column = c, .cell = out.word_cells, .codes = codes});
    out.word_cells += codes;
  }
}

}  // namespace

std::vector<std::size_t> bin_sizes(const std::vector<std::size_t>& counts, int max_bins) {
  if (counts.size() <= static_cast<std::size_t>(max_bins)) return std::vector<std::size_t>(counts.size(), 1);
  BinRule rule(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), max_bins);
  std::vector<std::size_t> sizes;
  std::size_t size = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool last = i + 1 == counts.size();
    ++size;
    if (rule.closes(counts[i], last ? 0 : counts[i + 1], last)) sizes.push_back(size), size = 0;
  }
  return sizes;
}

void RowBytes::reserve(Row rows, std::size_t narrow) {
  width = narrow, stride = row_stride(bytes());
  code.resize(rows * stride + sizeof(std::uint64_t));  // so that the last row may be read in whole words
  nothing.assign(width + sizeof(std::uint64_t), 0), aside = nothing;
}

std::size_t RowMajor::place(std::uint32_t of, bool word) const {
  const auto found = [&](const auto& list, auto number) {
    const auto at = std::ranges::find(list, of, number);
    WALD_CHECK(at != list.end());
    return static_cast<std::size_t>(at - list.begin());
  };
  if (!word) return found(column, std::identity());
  return width + sizeof(std::uint16_t) * found(words, &Word::column);
}

RowMajor by_rows(const Binned& x) {
  RowMajor out;
  for (std::uint32_t c = 0; c < x.columns.size(); ++c)
    if (x.columns[c].codes > 1 && std::holds_alternative<std::vector<std::uint8_t>>(x.columns[c].code))
      out.column.push_back(c);
  if (out.column.size() < 2 || out.column.size() > kMostByRows) return {};
  find_words(x, out);
  out.reserve(x.rows, out.column.size());
  for (std::size_t k = 0; k < out.width; ++k)
    if (x.columns[out.column[k]].codes <= static_cast<int>(RowBytes::kFewCodes))
      out.aside[k] = 2 * RowBytes::kFewCodes, out.any_aside = true;
  parallel_for(x.rows, 4096, [&](std::size_t begin, std::size_t end) {
    const auto code = [&](std::size_t k) {
      return std::get<std::vector<std::uint8_t>>(x.columns[out.column[k]].code).data();
    };
    std::size_t k = 0;
    for (; k + 4 <= out.width; k += 4) {  // bytes stored one by one are what takes the time
      const std::uint8_t *a = code(k), *b = code(k + 1), *c = code(k + 2), *d = code(k + 3);
      std::uint8_t* to = out.code.data() + begin * out.stride + k;
      for (std::size_t r = begin; r < end; ++r, to += out.stride) {
        const std::uint32_t four =
            a[r] | std::uint32_t{b[r]} << 8 | std::uint32_t{c[r]} << 16 | std::uint32_t{d[r]} << 24;
        std::memcpy(to, &four, sizeof four);
      }
    }
    for (; k < out.width; ++k)
      for (std::size_t r = begin; r < end; ++r) out.code[r * out.stride + k] = code(k)[r];
    for (std::size_t w = 0; w < out.words.size(); ++w) {
      const auto& wide = std::get<std::vector<std::uint16_t>>(x.columns[out.words[w].column].code);
      std::uint8_t* to = out.code.data() + begin * out.stride + out.width + w * sizeof(std::uint16_t);
      for (std::size_t r = begin; r < end; ++r, to += out.stride) std::memcpy(to, &wide[r], sizeof(std::uint16_t));
    }
  });
  return out;
}

Result<Binned> bin(const Table& table, int max_bins) {
  for (const Column& column : table.columns)
    if (column.type() == ColumnType::Category && column.categories().level.size() > kMaxBins)
      return bad_data(fmt::format("column '{}' has {} levels; a tree can use at most {}", printable(column.name),
                                  with_commas(column.categories().level.size()), with_commas(kMaxBins)),
                      fmt::format("give --rare N to group levels of fewer than N rows, --categories target to make a "
                                  "number of each, or leave it out with --ignore '{}'",
                                  printable(column.name)));
  Binned out{.rows = table.rows, .columns = std::vector<BinnedColumn>(table.columns.size())};
  std::vector<Rooms> rooms(static_cast<std::size_t>(thread_count()));
  parallel_for(table.columns.size(), 1, [&](std::size_t begin, std::size_t end) {
    Rooms& room = rooms[static_cast<std::size_t>(thread_index())];
    for (std::size_t c = begin; c < end; ++c) {
      const Column& column = table.columns[c];
      out.columns[c] = column.type() == ColumnType::Number ? bin_numbers(column.numbers(), max_bins, room)
                                                           : bin_categories(column.categories());
    }
  });
  out.by_rows = by_rows(out);
  out.bundles = bundles_of(out);
  out.two_valued = two_valued(out);
  return out;
}

}  // namespace wald
