// WALD_CHECK marks what can only be false through a bug of ours, never through a user's input.
#pragma once

namespace wald {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}

#define WALD_CHECK(condition) ((condition) ? void(0) : ::wald::check_failed(#condition, __FILE__, __LINE__))
