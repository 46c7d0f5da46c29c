// Any text is declarations or an error; declarations survive being written and read.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "table/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto first = wald::parse_declarations({reinterpret_cast<const char*>(data), size}, "f");
  if (!first) return 0;
  const auto second = wald::parse_declarations(wald::write_declarations(*first), "f");
  if (!second || *second != *first) {
    std::fprintf(stderr, "declarations do not survive: %s\n", second ? "they differ" : second.error().message.c_str());
    std::abort();
  }
  return 0;
}
