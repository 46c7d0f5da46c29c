// Room for large vectors that are about to be filled, touched by all threads: the first touch of a page costs more than
// what one thread then writes to it.
#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/huge.h"
#include "core/parallel.h"

namespace wald {

// All pages from there on, the last one not, by one call instead of an interruption each; false where the system
// cannot.
inline bool touched_at_once([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(at) / 4096 * 4096;
  return madvise(reinterpret_cast<void*>(begin), bytes, MADV_POPULATE_WRITE) == 0;
#else
  return false;
#endif
}

// For n elements of an empty vector.
template <class T>
void reserve_touched(std::vector<T>& empty, std::size_t n) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  constexpr std::size_t kPage = 4096 / sizeof(T), kPagesAtOnce = 32;
  if (n <= empty.capacity()) return;
  empty.reserve(n);
  T* const data = empty.data();
  wish_huge(data, n * sizeof(T));
  parallel_for((n + kPage - 1) / kPage, kPagesAtOnce, [&](std::size_t begin, std::size_t end) {
    if (touched_at_once(data + begin * kPage, (end - begin) * kPage * sizeof(T))) return;
    for (std::size_t page = begin; page < end; ++page) std::construct_at(data + page * kPage);
  });
}

}  // namespace wald
