// Vectors of doubles of one length, bit-equal ones stored once. Their numbers follow the order of first appearance.
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace wald {

class Pool {
 public:
  explicit Pool(std::size_t width = 1) : width_(width) {}

  // Room for so many different ones.
  void reserve(std::size_t vectors) {
    values_.reserve(vectors * width_);
    if (2 * vectors > slots_.size()) grow(std::bit_ceil(2 * vectors));
  }
  std::uint32_t put(std::span<const double> vector) {
    if (size() + 1 > slots_.size() / 2) grow(slots_.empty() ? 16 : 4 * slots_.size());
    std::size_t at = slot_of(vector);
    if (slots_[at] != kFree) return slots_[at];
    return slots_[at] = append(vector);
  }
  // As a vector of its own, which no later one shares.
  std::uint32_t append(std::span<const double> vector) {
    for (const double x : vector) values_.push_back(x);
    return static_cast<std::uint32_t>(size() - 1);
  }
  std::size_t size() const { return values_.size() / width_; }
  std::vector<double> take() { return std::move(values_); }
  const std::vector<double>& values() const { return values_; }

 private:
  static constexpr std::uint32_t kFree = 0xFFFF'FFFF;

  std::size_t slot_of(std::span<const double> vector) const {
    std::uint64_t hash = 0;
    for (const double x : vector) hash = (hash ^ hash >> 32 ^ std::bit_cast<std::uint64_t>(x)) * 0x9E37'79B9'7F4A'7C15;
    // The low bits of a product know only the low bits of its factors, which are 0 in numbers of few digits.
    std::size_t at = hash >> (64 - std::countr_zero(slots_.size()));
    while (slots_[at] != kFree && !same(slots_[at], vector)) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  bool same(std::uint32_t number, std::span<const double> vector) const {
    for (std::size_t k = 0; k < width_; ++k)
      if (std::bit_cast<std::uint64_t>(values_[number * width_ + k]) != std::bit_cast<std::uint64_t>(vector[k]))
        return false;
    return true;
  }
  void grow(std::size_t slots) {
    std::vector<std::uint32_t> old(slots, kFree);
    old.swap(slots_);
    for (const std::uint32_t number : old)
      if (number != kFree) slots_[slot_of(std::span(values_).subspan(number * width_, width_))] = number;
  }

  std::size_t width_;
  std::vector<double> values_;
  std::vector<std::uint32_t> slots_;  // a power of two of them, open addressing
};

}  // namespace wald
