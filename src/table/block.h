// Sixty-four bytes of text at once: which of them equal a given byte, as the bits of one word.
#pragma once
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

  // n <= 64 bytes at p; what is beyond them equals no byte asked for.
  Block(const char* p, std::size_t n) : valid_(n == kSize ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) {
    if (n == kSize) {
      std::memcpy(bytes_, p, kSize);
    } else {
      std::memset(bytes_, 0, kSize);
      std::memcpy(bytes_, p, n);
    }
  }

#if defined(__SSE2__)
  std::uint64_t equal(char c) const {
    const __m128i wanted = _mm_set1_epi8(c);
    return gather([&](__m128i v) { return _mm_movemask_epi8(_mm_cmpeq_epi8(v, wanted)); }) & valid_;
  }
  std::uint64_t high() const {  // bytes from 0x80 on
    return gather([](__m128i v) { return _mm_movemask_epi8(v); }) & valid_;
  }

 private:
  template <class F>
  std::uint64_t gather(F mask) const {
    std::uint64_t out = 0;
    for (int i = 0; i < 4; ++i) {
      const __m128i v = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes_ + 16 * i));
      out |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(mask(v))) << (16 * i);
    }
    return out;
  }
#else
  std::uint64_t equal(char c) const {
    return gather([c](char b) { return b == c; }) & valid_;
  }
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

  alignas(16) char bytes_[kSize];
  std::uint64_t valid_;
};

}  // namespace wald
