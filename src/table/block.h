// Sixty-four bytes of text at once: which of them equal a given byte, as the bits of one word.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace wald {

class Block {
 public:
  static constexpr std::size_t kSize = 64;

  // n <= 64 bytes at p; what is beyond them equals no byte asked for. The bytes must outlive the block.
  Block(const char* p, std::size_t n) : bytes_(p), valid_(~std::uint64_t{0}) {
    if (n >= kSize) return;
    valid_ = (std::uint64_t{1} << n) - 1;
    std::memset(padded_, 0, kSize);
    std::memcpy(padded_, p, n);
    bytes_ = padded_;
  }
  Block(const Block&) = delete;

#if defined(__SSE2__)
  std::uint64_t equal(char c) const {
    const __m128i wanted = _mm_set1_epi8(c);
    return gather([&](__m128i v) { return _mm_cmpeq_epi8(v, wanted); }) & valid_;
  }
  std::uint64_t either(char a, char b) const {
    const __m128i one = _mm_set1_epi8(a), two = _mm_set1_epi8(b);
    return gather([&](__m128i v) { return _mm_or_si128(_mm_cmpeq_epi8(v, one), _mm_cmpeq_epi8(v, two)); }) & valid_;
  }
  std::uint64_t high() const {  // bytes from 0x80 on
    return gather([](__m128i v) { return v; }) & valid_;
  }

 private:
  // The top bits of what f makes of the bytes.
  template <class F>
  std::uint64_t gather(F f) const {
    std::uint64_t out = 0;
    for (int i = 0; i < 4; ++i) {
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes_ + 16 * i));
      out |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(f(v)))) << (16 * i);
    }
    return out;
  }
#else
  std::uint64_t equal(char c) const {
    return gather([c](char b) { return b == c; }) & valid_;
  }
  std::uint64_t either(char a, char b) const { return equal(a) | equal(b); }
  std::uint64_t high() const {
    return gather([](char b) { return (static_cast<unsigned char>(b) & 0x80) != 0; }) & valid_;
  }

 private:
  template <class F>
  std::uint64_t gather(F is) const {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < kSize; ++i) out |= static_cast<std::uint64_t>(is(bytes_[i])) << i;
    return out;
  }
#endif

  const char* bytes_;
  std::uint64_t valid_;
  char padded_[kSize];
};

// The places of two bytes in a text, one after the other.
class Marks {
 public:
  Marks(const char* end, char a, char b) : base_(end), end_(end), a_(a), b_(b) {}

  void seek(const char* at) {
    base_ = at;
    load();
  }
  // The next place at or after the one sought, or the end of the text; it is passed over.
  const char* next() {
    while (word_ == 0) {
      if (end_ - base_ <= static_cast<std::ptrdiff_t>(Block::kSize)) return end_;
      base_ += Block::kSize;
      load();
    }
    const char* out = base_ + std::countr_zero(word_);
    word_ &= word_ - 1;
    return out;
  }

 private:
  void load() {
    const Block block(base_, std::min(Block::kSize, static_cast<std::size_t>(end_ - base_)));
    word_ = block.either(a_, b_);
  }
  const char *base_, *end_;
  std::uint64_t word_ = 0;
  char a_, b_;
};

}  // namespace wald
