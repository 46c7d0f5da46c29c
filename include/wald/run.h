// What surrounds a computation: its seed, its threads, who hears of its progress, who may stop it.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

namespace wald {

struct Progress {
  std::string_view stage;  // "reading", "growing"
  std::uint64_t done = 0;
  std::uint64_t total = 0;  // 0 = unknown
};

struct Run {
  std::uint64_t seed = 1;  // the whole of the randomness: same seed, same model, byte for byte
  int threads = 0;         // 0 = all cores; never changes a result
  std::function<void(const Progress&)> progress = {};  // called from any thread, one call at a time
  const std::atomic<bool>* stop = nullptr;             // set to true to interrupt

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

}  // namespace wald
