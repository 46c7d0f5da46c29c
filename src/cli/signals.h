// Interrupts: the first asks the work to stop, the second ends the program at once. A reader that goes away is no
// reason to die (SIGPIPE), nor is a limit on the size of files (SIGXFSZ): both come back as errors of write().
#pragma once
#include <atomic>

namespace wald::cli {

void install_signals();
const std::atomic<bool>& stop_asked();

}  // namespace wald::cli
