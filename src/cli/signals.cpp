#include "cli/signals.h"

#include <unistd.h>

#include <csignal>

#include "wald/result.h"

namespace wald::cli {
namespace {

std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // hence safe in a signal handler

void ask_to_stop(int) {
  if (asked.exchange(true)) ::_exit(static_cast<int>(ErrorKind::Interrupted));
}

}  // namespace

void install_signals() {
  struct sigaction action{};
  action.sa_handler = ask_to_stop;  // without SA_RESTART: a read that waits is woken
  for (int signal : {SIGINT, SIGTERM}) {
    struct sigaction before{};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);  // a shell's background job stays deaf
  }
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &action, nullptr);
  ::sigaction(SIGXFSZ, &action, nullptr);
}

const std::atomic<bool>& stop_asked() { return asked; }

}  // namespace wald::cli
