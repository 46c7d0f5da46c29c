#include <algorithm>
#include <cstring>

#include "tree/sapling_rows.h"
#include "tree/sapling_sums.h"
#include "tree/sapling_together.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tree/sapling_bits.cpp"
#include <hwy/foreach_target.h>
// Highway wants to be first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace wald::HWY_NAMESPACE {
namespace {

namespace bits_hn = hwy::HWY_NAMESPACE;

void count_bits(const std::uint64_t* word, std::uint32_t bit, std::span<sapling::ClassBits> classes) {
  namespace hn = bits_hn;
  const hn::CappedTag<std::uint64_t, sapling::BitCounts::kAtOnce> d;
  const auto tested = hn::Set(d, std::uint64_t{1} << bit);
  for (sapling::ClassBits& c : classes) {
    auto sum = hn::Zero(d);
    for (std::size_t i = c.begin; i < c.end; i += hn::Lanes(d)) {
      const auto here = hn::LoadU(d, word + i);
      sum = hn::Add(sum, hn::IfThenElseZero(hn::TestBit(here, tested), hn::ShiftRight<TwoValued::kBits>(here)));
    }
    c.ones = static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, sum)));
  }
}

}  // namespace
}  // namespace wald::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace wald {
HWY_EXPORT(count_bits);

namespace sapling {
namespace {

std::uint64_t load(const std::uint8_t* from) {
  std::uint64_t out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

}  // namespace

std::uint64_t* BitCounts::add_class(std::uint32_t label, std::size_t most) {
  const std::size_t begin = classes_.empty() ? 0 : classes_.back().end;
  if (word_.size() < begin + most + kAtOnce) word_.resize(2 * (begin + most + kAtOnce));
  classes_.push_back({.label = label, .begin = begin});
  return word_.data() + begin;
}
void BitCounts::end_class(std::size_t rows) {
  ClassBits& last = classes_.back();
  last.end = last.begin + (rows + kAtOnce - 1) / kAtOnce * kAtOnce;
  std::fill_n(word_.begin() + static_cast<std::ptrdiff_t>(last.begin + rows), kAtOnce, 0);
}

void BitCounts::fetch(std::span<const ClassEntry> entries, const CodeColumn& column) {
  const std::uint8_t* const from = column.word;
  const std::size_t step = column.word_step, rows = entries.size();
  const auto word = [=](const ClassEntry& e) {
    return load(from + e.place * step) | std::uint64_t{e.count} << TwoValued::kBits;
  };
  classes_.clear();
  for (std::size_t i = 0; i < rows;) {
    const std::uint32_t label = entries[i].label;
    // Where the last of so many is of the class, all are.
    std::uint64_t* to = add_class(label, rows - i);
    std::uint64_t* const begin = to;
    for (; i + kAtOnce <= rows && entries[i + kAtOnce - 1].label == label; i += kAtOnce, to += kAtOnce)
      for (std::size_t k = 0; k < kAtOnce; ++k) to[k] = word(entries[i + k]);
    for (; i < rows && entries[i].label == label; ++i) *to++ = word(entries[i]);
    end_class(static_cast<std::size_t>(to - begin));
  }
  fetched_ = from;
}

void BitCounts::fetch(std::span<const TwoEntry> entries, const CodeColumn& column) {
  const std::uint8_t* const from = column.word;
  const std::size_t step = column.word_step;
  std::size_t second = 0;
  for (const TwoEntry& e : entries) second += class_of(e);
  classes_.clear();
  add_class(0, entries.size() - second), end_class(entries.size() - second);
  add_class(1, second), end_class(second);
  std::uint64_t* to[2] = {word_.data(), word_.data() + classes_[1].begin};
  for (const TwoEntry& e : entries)
    *to[class_of(e)]++ = load(from + e.place * step) | static_cast<std::uint64_t>(e.weight()) << TwoValued::kBits;
  fetched_ = from;
}

template <class Entry>
std::span<const ClassBits> BitCounts::count_by(std::span<const Entry> entries, const CodeColumn& column) {
  if (fetched_ != column.word) fetch(entries, column);
  HWY_DYNAMIC_DISPATCH(count_bits)(word_.data(), column.bit, classes_);
  return classes_;
}
std::span<const ClassBits> BitCounts::count(std::span<const ClassEntry> entries, const CodeColumn& column) {
  return count_by(entries, column);
}
std::span<const ClassBits> BitCounts::count(std::span<const TwoEntry> entries, const CodeColumn& column) {
  return count_by(entries, column);
}

}  // namespace sapling
}  // namespace wald
#endif
