// Tells a Run how far reading is, from any thread, and asks it whether to go on.
#pragma once
#include <atomic>
#include <mutex>
#include <string>

#include "wald/result.h"
#include "wald/run.h"

namespace wald {

class Meter {
 public:
  Meter(const Run& run, std::uint64_t total) : run_(run), total_(total) {}

  void add(std::uint64_t done) {
    const std::uint64_t now = done_.fetch_add(done, std::memory_order_relaxed) + done;
    if (!run_.progress || !lock_.try_lock()) return;
    // A thread that was overtaken has nothing new to tell.
    if (now > told_) run_.progress({"reading", told_ = now, total_});
    lock_.unlock();
  }
  bool stopped() const { return run_.stopped(); }

 private:
  const Run& run_;
  std::uint64_t total_, told_ = 0;
  std::atomic<std::uint64_t> done_{0};
  std::mutex lock_;
};

inline Error interrupted(const std::string& source) {
  return {ErrorKind::Interrupted, "interrupted while reading " + source, {}};
}

}  // namespace wald
