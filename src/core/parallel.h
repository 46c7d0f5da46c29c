// Threads. Work is given as ranges; what a range computes must not depend on how the work was cut, which holds
// because everything summed across ranges is an integer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace wald {

// A view of a callable, valid during the call it is passed to.
template <class Signature>
class FunctionRef;
template <class R, class... A>
class FunctionRef<R(A...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
  FunctionRef(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))), call_([](void* object, A... a) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(static_cast<A>(a)...);
        }) {}
  R operator()(A... a) const { return call_(object_, static_cast<A>(a)...); }

 private:
  void* object_;
  R (*call_)(void*, A...);
};

// Runs `work` with at most `threads` threads (0 = all cores) for every parallel_for inside it.
void with_threads(int threads, FunctionRef<void()> work);
int thread_count();  // of the innermost with_threads
int thread_index();  // of the caller, 0 .. thread_count() - 1

// Calls body(begin, end) on ranges that cover 0 .. n - 1, none longer than grain.
void parallel_for(std::size_t n, std::size_t grain, FunctionRef<void(std::size_t, std::size_t)> body);

// For tests of the promise that work order never matters: ranges are taken in an order drawn from the seed.
// 0 restores the ordinary order.
void shuffle_work(std::uint64_t seed);

}  // namespace wald
