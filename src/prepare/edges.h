// Where a column of numbers is cut into bins: exact quantiles, found by counting on the order-preserving integer image
// of the numbers. Three ways lead to the same edges: a counter for every image where they span few; buckets of equal
// width, of which only those where a bin ends are sorted; a sort of all.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "prepare/bin.h"

namespace wald {

// The image of a number: an unsigned integer in the same order. Missing never gets here.
inline std::uint32_t image(std::int32_t digits) { return static_cast<std::uint32_t>(digits) ^ 0x8000'0000u; }
inline std::uint64_t image(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 becomes 0
  return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}
inline bool missing(std::int32_t digits) { return digits == Numbers::kNone; }
inline double number(std::uint64_t key) {
  return std::bit_cast<double>(key >> 63 ? key ^ std::uint64_t{1} << 63 : ~key);
}
inline bool missing(double value) { return std::isnan(value); }

// The quantile rule, value by value in ascending order.
class BinRule {
 public:
  BinRule(std::size_t rows, int max_bins) : left_(static_cast<std::size_t>(max_bins)), rows_(rows) {}
  // Whether a bin ends with the value that occurs so often; next: how often the next one does.
  bool closes(std::size_t times, std::size_t next, bool last) {
    filled_ += times;
    // A bin ends when it holds its share of what is left, or would pass it by more than it lacks now.
    const bool full = filled_ * left_ >= rows_ || (2 * filled_ + next) * left_ > 2 * rows_;
    if (!last && !(full && left_ > 1)) return false;
    rows_ -= filled_, filled_ = 0, --left_;
    return true;
  }
  // Whether none ends with any of the values that together occur so often, of which the next ones at most `next`.
  bool passes(std::size_t times, std::size_t next) {
    if (left_ > 1 && (2 * (filled_ + times) + next) * left_ > 2 * rows_) return false;
    filled_ += times;
    return true;
  }

 private:
  std::size_t left_, rows_, filled_ = 0;  // bins, the open one included; rows not in closed bins, and in the open one
};

template <class Key>
struct RowImage {  // the image of a row's number
  Key key = 0;
  Row row = 0;
};

// Memory of one thread, for one column after the other.
template <class Key>
struct Room {
  std::vector<Key> keys, other;      // images, sorted
  std::vector<std::uint32_t> cells;  // how often each image of a narrow range occurs
  std::vector<Key> distinct;         // ascending
  std::vector<std::size_t> counts;   // of the distinct ones
  std::vector<RowImage<Key>> placed, other_placed;
};

// Least significant digit first, of the leading bits that the keys do not share; a digit that all have costs nothing.
// Keys that agree in all of them are few, and are put in order afterwards.
template <int kDigitBits, int kDigits, class Item, class Key, class KeyOf>
void sort_by_digits(std::vector<Item>& items, std::vector<Item>& other, Key least, Key most, KeyOf key_of) {
  constexpr int kCells = 1 << kDigitBits;
  const int lowest = std::max(0, static_cast<int>(std::bit_width(most - least)) - kDigitBits * kDigits);
  const auto digit = [&](const Item& item, int d) {
    return (key_of(item) - least) >> lowest >> d * kDigitBits & (kCells - 1);
  };
  std::array<std::array<std::uint32_t, kCells>, kDigits> count{};
  for (const Item& item : items)
    for (int d = 0; d < kDigits; ++d) ++count[static_cast<std::size_t>(d)][digit(item, d)];
  other.resize(items.size());
  for (int d = 0; d < kDigits; ++d) {
    auto& start = count[static_cast<std::size_t>(d)];
    if (std::ranges::find(start, items.size()) != start.end()) continue;
    std::exclusive_scan(start.begin(), start.end(), start.begin(), 0u);
    for (const Item& item : items) other[start[digit(item, d)]++] = item;
    items.swap(other);
  }
  if (lowest == 0) return;
  for (auto from = items.begin(); from != items.end();) {
    const Key lead = (key_of(*from) - least) >> lowest;
    auto to = from + 1;
    while (to != items.end() && (key_of(*to) - least) >> lowest == lead) ++to;
    if (to - from > 1 && !std::ranges::is_sorted(from, to, {}, key_of)) std::ranges::sort(from, to, {}, key_of);
    from = to;
  }
}

constexpr std::size_t kFewValues = 1024;  // far fewer than the cells of long digits, which would have to be read

template <class Item, class Key, class KeyOf>
void radix_sort(std::vector<Item>& items, std::vector<Item>& other, Key least, Key most, KeyOf key_of) {
  if (items.size() < 64) std::ranges::sort(items, {}, key_of);
  else if (items.size() < kFewValues) sort_by_digits<8, 2>(items, other, least, most, key_of);
  else sort_by_digits<11, 3>(items, other, least, most, key_of);
}

template <class Key>
void count_sorted(Room<Key>& room) {
  for (const Key key : room.keys) {
    if (room.distinct.empty() || room.distinct.back() != key) room.distinct.push_back(key), room.counts.push_back(0);
    ++room.counts.back();
  }
}

// A cell for every image from the least to the greatest: no sort at all.
template <class Key, class Value>
void count_in_cells(std::span<const Value> values, Room<Key>& room, Key least, Key most) {
  const std::size_t width = static_cast<std::size_t>(most - least) + 1;
  room.cells.assign(width + 1, 0);  // the last one is for missing values
  for (const Value v : values) ++room.cells[missing(v) ? width : static_cast<std::size_t>(image(v) - least)];
  for (std::size_t k = 0; k < width; ++k)
    if (room.cells[k] > 0) room.distinct.push_back(least + static_cast<Key>(k)), room.counts.push_back(room.cells[k]);
}

// The least and the greatest image; least > most where all are missing.
template <class Key>
struct Span {
  Key least = std::numeric_limits<Key>::max(), most = 0;
  bool empty() const { return least > most; }
  // Whether so few images lie between them that each can have a counter.
  bool narrow(std::size_t values) const { return most - least < std::min<std::size_t>(4 * values, 1u << 22); }
};
template <class Key, class Value>
Span<Key> span_of(std::span<const Value> values) {
  Span<Key> out;
  for (const Value v : values) {
    const Key key = image(v);
    out.least = std::min(out.least, missing(v) ? out.least : key);
    out.most = std::max(out.most, missing(v) ? out.most : key);
  }
  return out;
}

// The distinct images of a column and how often they occur.
template <class Key, class Value>
void count_images(std::span<const Value> values, Room<Key>& room, Span<Key> span) {
  room.distinct.clear(), room.counts.clear();
  if (span.narrow(values.size())) return count_in_cells(values, room, span.least, span.most);
  room.keys.clear(), room.keys.reserve(values.size());
  for (const Value v : values)
    if (!missing(v)) room.keys.push_back(image(v));
  radix_sort(room.keys, room.other, span.least, span.most, std::identity());
  count_sorted(room);
}

// The least and the greatest image of each bin.
template <class Key>
struct Edges {
  std::vector<Key> first, last;
};

// Numbers from the least to the greatest in buckets of equal width. Rounding keeps their order: of two numbers the
// greater is never in the lower bucket.
struct Buckets {
  static constexpr std::size_t kCount = 1u << 14;
  double least = 0, per_unit = 0;
  static Buckets over(Span<std::uint64_t> span) {
    const double least = number(span.least);
    return {least, kCount / (number(span.most) - least)};
  }
  bool usable() const { return std::isfinite(per_unit) && per_unit > 0 && std::isfinite(least); }
  std::size_t of(double v) const {
    return std::min(static_cast<std::size_t>(static_cast<std::int64_t>((v - least) * per_unit)), kCount - 1);
  }
};

// Bins from counted buckets. Whether a bin ends within a bucket can be told from its count, but for those near an end;
// these are sorted.
class BucketCutter {
 public:
  BucketCutter(std::span<std::uint64_t> keys, std::span<const std::uint32_t> start, int max_bins)
      : keys_(keys), rule_(keys.size(), max_bins) {
    for (std::size_t b = 0; b + 1 < start.size(); ++b)
      if (start[b] < start[b + 1]) full_.push_back({start[b], start[b + 1]});
  }
  std::size_t full() const { return full_.size(); }
  Edges<std::uint64_t> edges() {
    for (std::size_t b = 0; b < full_.size(); ++b) {
      const bool last = b + 1 == full_.size();
      const std::size_t count = full_[b].end - full_[b].begin, next = last ? 0 : full_[b + 1].end - full_[b + 1].begin;
      if (!open_) out_.first.push_back(least_of(b).key), open_ = true;
      if (!last && rule_.passes(count, next)) continue;
      cut(b, last);
    }
    return std::move(out_);
  }

 private:
  struct Range {
    std::size_t begin, end;
  };
  struct Least {
    std::uint64_t key = 0;
    std::size_t times = 0;
  };
  Least least_of(std::size_t bucket) const {
    const auto keys = keys_.subspan(full_[bucket].begin, full_[bucket].end - full_[bucket].begin);
    const std::uint64_t key = *std::ranges::min_element(keys);
    return {key, static_cast<std::size_t>(std::ranges::count(keys, key))};
  }
  void cut(std::size_t bucket, bool last_bucket) {
    const auto keys = keys_.subspan(full_[bucket].begin, full_[bucket].end - full_[bucket].begin);
    std::ranges::sort(keys);
    const auto run = [&](std::size_t from) {
      std::size_t to = from;
      while (to < keys.size() && keys[to] == keys[from]) ++to;
      return to - from;
    };
    for (std::size_t at = 0, times = run(0); at < keys.size();) {
      const std::uint64_t key = keys[at];
      at += times;
      const bool end = at == keys.size(), last = end && last_bucket;
      const std::size_t next = !end ? run(at) : last ? 0 : least_of(bucket + 1).times;
      if (!open_) out_.first.push_back(key), open_ = true;
      if (rule_.closes(times, next, last)) out_.last.push_back(key), open_ = false;
      times = next;
    }
  }

  std::span<std::uint64_t> keys_;  // bucket after bucket
  BinRule rule_;
  std::vector<Range> full_;  // the buckets that hold any
  Edges<std::uint64_t> out_;
  bool open_ = false;  // a bin that has begun
};

// Nothing where buckets do not serve: few rows, most of them in few buckets, or nearly as many bins as buckets.
inline Edges<std::uint64_t> cut_buckets(std::span<const double> values, int max_bins, Room<std::uint64_t>& room,
                                        const Buckets& buckets) {
  constexpr std::size_t kNone = Buckets::kCount;
  if (!buckets.usable() || values.size() < 4 * Buckets::kCount || max_bins > static_cast<int>(Buckets::kCount / 4))
    return {};
  std::vector<std::uint32_t> start(Buckets::kCount + 2);
  for (const double v : values) ++start[1 + (missing(v) ? kNone : buckets.of(v))];
  const std::size_t rows = values.size() - start[1 + kNone];
  if (*std::max_element(start.begin() + 1, start.begin() + 1 + kNone) > rows / 8) return {};
  std::inclusive_scan(start.begin(), start.end(), start.begin());
  room.keys.resize(values.size());  // missing values come last
  for (const double v : values) room.keys[start[missing(v) ? kNone : buckets.of(v)]++] = image(v);
  for (std::size_t b = Buckets::kCount; b > 0; --b) start[b] = start[b - 1];
  start[0] = 0;
  BucketCutter cutter({room.keys.data(), rows}, {start.data(), Buckets::kCount + 1}, max_bins);
  return cutter.full() > static_cast<std::size_t>(max_bins) ? cutter.edges() : Edges<std::uint64_t>{};
}

template <class Key, class Value>
Edges<Key> edges_of(std::span<const Value> values, int max_bins, Room<Key>& room, Span<Key> span) {
  Edges<Key> out;
  if (span.empty()) return out;
  if constexpr (std::is_same_v<Value, double>)
    if (out = cut_buckets(values, max_bins, room, Buckets::over(span)); !out.last.empty()) return out;
  count_images(values, room, span);
  std::size_t at = 0;
  for (const std::size_t size : bin_sizes(room.counts, max_bins)) {
    out.first.push_back(room.distinct[at]);
    at += size;
    out.last.push_back(room.distinct[at - 1]);
  }
  return out;
}

}  // namespace wald
