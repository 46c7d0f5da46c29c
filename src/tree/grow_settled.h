#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>

#include "wald/run.h"

namespace wald::growing {

// Rows whose leaf is known, told to whoever watches.
class Settled {
 public:
  Settled(const Run& run, std::uint64_t total) : run_(run), total_(total), step_(total / 500 + 1) {}
  void add(std::uint64_t rows) {
    if (!run_.progress) return;
    const std::uint64_t now = done_ += rows;
    if (now / step_ == (now - rows) / step_ && now != total_) return;
    const std::lock_guard lock(mutex_);
    run_.progress({.stage = "growing", .done = now, .total = total_});
  }

 private:
  const Run& run_;
  std::uint64_t total_, step_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
};

}  // namespace wald::growing
