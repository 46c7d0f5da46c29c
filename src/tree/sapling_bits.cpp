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

std::uint64_t* BitCounts::add_class(std::uint32_t label, std::size_t rows) {
  const std::size_t begin = classes_.empty() ? 0 : classes_.back().end, end = begin + rows;
  const std::size_t whole = (end + kAtOnce - 1) / kAtOnce * kAtOnce;
  if (word_.size() < whole) word_.resize(2 * whole);
  std::fill(word_.begin() + static_cast<std::ptrdiff_t>(end), word_.begin() + static_cast<std::ptrdiff_t>(whole), 0);
  classes_.push_back({.label = label, .begin = begin, .end = whole});
  return word_.data() + begin;
}

void BitCounts::fetch(std::span<const ClassEntry> entries, const CodeColumn& column) {
  const std::uint8_t* const from = column.word;
  const std::size_t step = column.word_step;
  classes_.clear();
  for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
    while (end < entries.size() && entries[end].label == entries[begin].label) ++end;
    std::uint64_t* to = add_class(entries[begin].label, end - begin);
    for (const ClassEntry& e : entries.subspan(begin, end - begin))
      *to++ = load(from + e.place * step) | std::uint64_t{e.count} << TwoValued::kBits;
  }
  fetched_ = from;
}

void BitCounts::fetch(std::span<const TwoEntry> entries, const CodeColumn& column) {
  const std::uint8_t* const from = column.word;
  const std::size_t step = column.word_step;
  std::size_t second = 0;
  for (const TwoEntry& e : entries) second += class_of(e);
  classes_.clear();
  add_class(0, entries.size() - second), add_class(1, second);
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
