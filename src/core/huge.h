// Memory for large arrays that are read at random: in pages of 2 MB where the system has them, so that finding a page
// costs no more than reading from it.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace wald {

// kSet: elements are made as by T(), else as by T, so that a large array is first written by whoever fills it.
template <class T, bool kSet = true>
struct HugeAllocator {
  using value_type = T;
  template <class U>
  struct rebind {
    using other = HugeAllocator<U, kSet>;
  };
  static constexpr std::size_t kPage = std::size_t{2} << 20;

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
    if (bytes < 2 * kPage) return static_cast<T*>(::operator new(bytes));
    void* at = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
    if (at == nullptr) throw std::bad_alloc();
    madvise(at, bytes, MADV_HUGEPAGE);  // a wish: where it is not granted, nothing changes but the speed
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t n) {
    if (n * sizeof(T) < 2 * kPage) ::operator delete(at);
    else std::free(at);
  }
  bool operator==(const HugeAllocator&) const { return true; }
};

template <class T>
using HugeVector = std::vector<T, HugeAllocator<T>>;
template <class T>
using UnsetHugeVector = std::vector<T, HugeAllocator<T, false>>;

}  // namespace wald
