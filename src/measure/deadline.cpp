#include "measure/deadline.h"

namespace wald {

Deadline::Deadline(const Run& run, double seconds) : run_(run), seconds_(seconds) {
  if (seconds_ <= 0) return;
  run_.stop = &stop_;
  watcher_ = std::jthread([this, asked = run.stop](const std::stop_token& ended) { watch(ended, asked); });
}

// Looks now and then, because whoever may stop the run outside has only a flag to set.
void Deadline::watch(const std::stop_token& ended, const std::atomic<bool>* asked) {
  constexpr auto kLook = std::chrono::milliseconds(10);
  std::unique_lock held(lock_);
  while (!ended.stop_requested() && !stop_) {
    wakes_.wait_for(held, ended, kLook, [] { return false; });
    stop_ = over() || (asked != nullptr && asked->load(std::memory_order_relaxed));
  }
}

}  // namespace wald
