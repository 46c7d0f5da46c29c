// What surrounds a call from Python: errors as exceptions, the interpreter free for others, Ctrl-C heard.
#pragma once
#include <pybind11/pybind11.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "wald/result.h"
#include "wald/run.h"

namespace wald::python {

namespace py = pybind11;

template <class T>
T value_of(Result<T> result) {
  if (!result) throw Error(result.error());
  return *std::move(result);
}

// wald.Error and its kin, made by the package itself.
inline void raise(const Error& error) {
  const py::object made =
      py::module_::import("wald._errors").attr("made")(static_cast<int>(error.kind), error.message, error.cure);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
}

inline std::atomic<bool>& stop_asked() {
  static std::atomic<bool> asked{false};
  return asked;
}
inline struct sigaction& python_handler() {
  static struct sigaction handler{};
  return handler;
}

// While it lives, an interrupt asks the computation to stop, beside what Python does with it. Python acts on signals in
// its main thread alone, and so does this.
class Interruptible {
 public:
  Interruptible() : listening_(gettid() == getpid()) {
    if (!listening_) return;
    stop_asked() = false;
    struct sigaction ours{};
    ours.sa_handler = [](int number) {
      stop_asked() = true;
      if (const auto handler = python_handler().sa_handler; handler != SIG_DFL && handler != SIG_IGN) handler(number);
    };
    sigemptyset(&ours.sa_mask);
    ours.sa_flags = SA_RESTART;
    sigaction(SIGINT, &ours, &python_handler());
  }
  ~Interruptible() {
    if (listening_) sigaction(SIGINT, &python_handler(), nullptr);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  const std::atomic<bool>* stop() const { return listening_ ? &stop_asked() : nullptr; }
  bool stopped() const { return listening_ && stop_asked(); }

 private:
  bool listening_;
};

// work(run) without the interpreter's lock. An interrupt that left no result is Python's own exception; one that left a
// result sets `interrupted`, and Python's exception is taken back.
template <class Work>
auto computed(std::uint64_t seed, int threads, const Work& work, bool* interrupted = nullptr) {
  const Interruptible interrupt;
  auto result = [&] {
    const py::gil_scoped_release unlocked;
    return work(Run{.seed = seed, .threads = threads, .stop = interrupt.stop()});
  }();
  if (interrupt.stopped()) {
    if (result && interrupted != nullptr) {
      *interrupted = true;
      if (PyErr_CheckSignals() != 0) PyErr_Clear();
    } else if (PyErr_CheckSignals() != 0) {
      throw py::error_already_set();
    }
  }
  return value_of(std::move(result));
}

}  // namespace wald::python
