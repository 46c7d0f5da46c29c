// Memory for large arrays: in pages of 2 MB where the system has them, so that finding a page costs no more than
// reading from it, and the first touch of memory a fourth.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace wald {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

// For the whole pages within fresh memory. A wish: where it is not granted, nothing changes but the speed.
inline void wish_huge(void* at, std::size_t bytes) {
  const auto from = reinterpret_cast<std::uintptr_t>(at);
  const auto begin = (from + kHugePage - 1) / kHugePage * kHugePage, end = (from + bytes) / kHugePage * kHugePage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

// kSet: elements are made as by T(), else as by T, so that a large array is first written by whoever fills it.
template <class T, bool kSet = true>
struct HugeAllocator {
  using value_type = T;
  template <class U>
  struct rebind {
    using other = HugeAllocator<U, kSet>;
  };

  HugeAllocator() = default;
  template <class U>
  HugeAllocator(const HugeAllocator<U, kSet>&) {}

  template <class U>
  void construct(U* at) {
    if constexpr (kSet) ::new (static_cast<void*>(at)) U();
    else ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... A>
  void construct(U* at, A&&... a) {
    ::new (static_cast<void*>(at)) U(std::forward<A>(a)...);
  }

  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    if (bytes < kHugePage) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    void* at = std::aligned_alloc(kHugePage, whole);
    if (at == nullptr) throw std::bad_alloc();
    wish_huge(at, whole);
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t n) {
    if (n * sizeof(T) < kHugePage) ::operator delete(at);
    else std::free(at);
  }
  bool operator==(const HugeAllocator&) const { return true; }
};

template <class T>
using HugeVector = std::vector<T, HugeAllocator<T>>;
template <class T>
using UnsetHugeVector = std::vector<T, HugeAllocator<T, false>>;

}  // namespace wald
