#include "core/check.h"

#include <cstdio>
#include <cstdlib>

namespace wald {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "wald: internal error at %s:%d: %s does not hold; please report this\n", file, line, condition);
  std::abort();
}

}  // namespace wald
