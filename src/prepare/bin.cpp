#include "prepare/bin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "core/parallel.h"
#include "core/text.h"

namespace wald {
namespace {

// The image of a number: an unsigned integer in the same order. Missing never gets here.
std::uint32_t image(std::int32_t digits) { return static_cast<std::uint32_t>(digits) ^ 0x8000'0000u; }
std::uint64_t image(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 becomes 0
  return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}
bool missing(std::int32_t digits) { return digits == Numbers::kNone; }
bool missing(double value) { return std::isnan(value); }

constexpr int kDigitBits = 11, kDigits = 3;  // a sort looks at the leading 33 bits

// Least significant digit first; a digit that all keys share costs nothing. Keys of 64 bits that agree in the leading
// 33 are few, and are put in order afterwards.
template <class Key>
void radix_sort(std::vector<Key>& keys) {
  constexpr int kCells = 1 << kDigitBits,
                kLowest = std::max(0, std::numeric_limits<Key>::digits - kDigitBits * kDigits);
  const auto digit = [](Key key, int d) { return key >> (kLowest + d * kDigitBits) & (kCells - 1); };
  std::vector<std::array<std::uint32_t, kCells>> count(kDigits);
  for (const Key key : keys)
    for (int d = 0; d < kDigits; ++d) ++count[static_cast<std::size_t>(d)][digit(key, d)];
  std::vector<Key> other(keys.size());
  for (int d = 0; d < kDigits; ++d) {
    auto& start = count[static_cast<std::size_t>(d)];
    if (std::ranges::find(start, keys.size()) != start.end()) continue;
    std::exclusive_scan(start.begin(), start.end(), start.begin(), 0u);
    for (const Key key : keys) other[start[digit(key, d)]++] = key;
    keys.swap(other);
  }
  if constexpr (kLowest > 0) {
    for (auto from = keys.begin(); from != keys.end();) {
      const auto to = std::find_if(from, keys.end(), [&](Key key) { return key >> kLowest != *from >> kLowest; });
      if (!std::is_sorted(from, to)) std::sort(from, to);
      from = to;
    }
  }
}

// From images to their bins: the first whose last image is not below.
template <class Key>
class Finder {
 public:
  static constexpr std::size_t kAtOnce = 4;                           // searches that do not wait for each other
  explicit Finder(std::vector<Key> last) : last_(std::move(last)) {}  // last[b] = the greatest image of bin b
  void operator()(const Key* key, std::size_t* bin) const {           // kAtOnce of them
    std::array<const Key*, kAtOnce> at;
    at.fill(last_.data());
    for (std::size_t size = last_.size(); size > 1; size -= size / 2)
      for (std::size_t k = 0; k < kAtOnce; ++k) at[k] += size / 2 * (at[k][size / 2 - 1] < key[k]);
    for (std::size_t k = 0; k < kAtOnce; ++k) bin[k] = static_cast<std::size_t>(at[k] - last_.data());
  }

 private:
  std::vector<Key> last_;
};

template <class Value>
auto sorted_images(std::span<const Value> values) {
  std::vector<decltype(image(Value{}))> keys;
  keys.reserve(values.size());
  for (const Value v : values)
    if (!missing(v)) keys.push_back(image(v));
  radix_sort(keys);
  return keys;
}

template <class Code, class Value, class Find>
std::vector<Code> codes_of(std::span<const Value> values, const Find& find) {
  std::vector<Code> code(values.size());
  constexpr std::size_t kAtOnce = Find::kAtOnce;
  for (std::size_t i = 0; i < values.size(); i += kAtOnce) {
    std::array<decltype(image(Value{})), kAtOnce> key{};
    std::array<std::size_t, kAtOnce> bin{};
    const std::size_t some = std::min(kAtOnce, values.size() - i);
    for (std::size_t k = 0; k < some; ++k) key[k] = missing(values[i + k]) ? 0 : image(values[i + k]);
    find(key.data(), bin.data());
    for (std::size_t k = 0; k < some; ++k)
      code[i + k] = missing(values[i + k]) ? Code{0} : static_cast<Code>(bin[k] + 1);
  }
  return code;
}

// value_of turns an image back into the number it stands for.
template <class Value, class ValueOf>
BinnedColumn bin_numbers(std::span<const Value> values, int max_bins, const ValueOf& value_of) {
  const auto keys = sorted_images(values);
  using Key = std::decay_t<decltype(keys[0])>;
  std::vector<Key> distinct;
  std::vector<std::size_t> counts;
  for (const Key key : keys) {
    if (distinct.empty() || distinct.back() != key) distinct.push_back(key), counts.push_back(0);
    ++counts.back();
  }
  BinnedColumn out;
  std::vector<Key> last;
  std::size_t at = 0;
  for (const std::size_t size : bin_sizes(counts, max_bins)) {
    out.lowest.push_back(value_of(distinct[at]));
    at += size;
    out.highest.push_back(value_of(distinct[at - 1]));
    last.push_back(distinct[at - 1]);
  }
  out.codes = static_cast<int>(last.size()) + 1;
  if (last.empty()) {
    out.code = std::vector<std::uint8_t>(values.size());
  } else if (const Finder<Key> find(std::move(last)); out.codes <= 256) {
    out.code = codes_of<std::uint8_t>(values, find);
  } else {
    out.code = codes_of<std::uint16_t>(values, find);
  }
  return out;
}

BinnedColumn bin_numbers(const Numbers& numbers, int max_bins) {
  if (!numbers.is_decimal())
    return bin_numbers(numbers.doubles(), max_bins, [](std::uint64_t key) {
      return std::bit_cast<double>(key >> 63 ? key ^ std::uint64_t{1} << 63 : ~key);
    });
  return bin_numbers(numbers.digits(), max_bins, [&](std::uint32_t key) {
    return Numbers({static_cast<std::int32_t>(key ^ 0x8000'0000u)}, numbers.decimals())[0];
  });
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
std::size_t row_stride(std::size_t columns) {
  const std::size_t even = columns <= 64 ? std::bit_ceil(columns) : (columns + 63) / 64 * 64;
  return even - columns <= even / 4 ? even : columns;
}

}  // namespace

std::vector<std::size_t> bin_sizes(const std::vector<std::size_t>& counts, int max_bins) {
  const auto bins = static_cast<std::size_t>(max_bins);
  if (counts.size() <= bins) return std::vector<std::size_t>(counts.size(), 1);
  std::vector<std::size_t> sizes;
  std::size_t rows = std::accumulate(counts.begin(), counts.end(), std::size_t{0}), filled = 0, size = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    filled += counts[i];
    ++size;
    const std::size_t bins_left = bins - sizes.size();  // this one included
    const std::size_t next = i + 1 < counts.size() ? counts[i + 1] : 0;
    // Close the bin when it holds its share of what is left, or would pass it by more than it lacks now.
    const bool full = filled * bins_left >= rows || (2 * filled + next) * bins_left > 2 * rows;
    if (i + 1 == counts.size() || (full && bins_left > 1)) {
      sizes.push_back(size);
      rows -= filled;
      filled = size = 0;
    }
  }
  return sizes;
}

RowMajor by_rows(const Binned& x) {
  RowMajor out;
  for (std::uint32_t c = 0; c < x.columns.size(); ++c)
    if (x.columns[c].codes > 1 && std::holds_alternative<std::vector<std::uint8_t>>(x.columns[c].code))
      out.column.push_back(c);
  if (out.column.size() < 2 || out.column.size() > kMostByRows) return {};
  const std::size_t columns = out.column.size(), stride = out.stride = row_stride(columns);
  out.code.resize(x.rows * stride + sizeof(std::uint64_t));  // so that the last row may be read in whole words
  parallel_for(x.rows, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < columns; ++k) {
      const auto& code = std::get<std::vector<std::uint8_t>>(x.columns[out.column[k]].code);
      for (std::size_t r = begin; r < end; ++r) out.code[r * stride + k] = code[r];
    }
  });
  return out;
}

Result<Binned> bin(const Table& table, int max_bins) {
  for (const Column& column : table.columns)
    if (column.type() == ColumnType::Category && column.categories().level.size() > kMaxBins)
      return bad_data(fmt::format("column '{}' has {} levels; a tree can use at most {}", printable(column.name),
                                  with_commas(column.categories().level.size()), with_commas(kMaxBins)),
                      fmt::format("leave it out with --ignore '{}', or group its rare levels", printable(column.name)));
  Binned out{.rows = table.rows, .columns = std::vector<BinnedColumn>(table.columns.size())};
  parallel_for(table.columns.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const Column& column = table.columns[c];
      out.columns[c] = column.type() == ColumnType::Number ? bin_numbers(column.numbers(), max_bins)
                                                           : bin_categories(column.categories());
    }
  });
  out.by_rows = by_rows(out);
  return out;
}

}  // namespace wald
