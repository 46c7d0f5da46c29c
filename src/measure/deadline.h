// A run that also stops when its time is over.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "wald/run.h"

namespace wald {

class Deadline {
 public:
  // seconds: from now on; 0 = for ever.
  Deadline(const Run& run, double seconds);

  const Run& run() const { return run_; }
  double spent() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
  bool over() const { return seconds_ > 0 && spent() >= seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  void watch(const std::stop_token& ended, const std::atomic<bool>* asked);

  Run run_;
  double seconds_ = 0;
  Clock::time_point began_ = Clock::now();
  std::atomic<bool> stop_ = false;
  std::mutex lock_;
  std::condition_variable_any wakes_;
  std::jthread watcher_;  // last: it ends before what it looks at
};

}  // namespace wald
