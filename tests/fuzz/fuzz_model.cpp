// Any bytes either load as a sound model, which then predicts, or are refused as a bad model. The first byte chooses:
// even, the rest is taken as it is; odd, its header is made right first, so that the fuzzer gets past the checksum.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "model/container.h"
#include "model/sample_test.h"
#include "model/validate.h"
#include "wald/predict.h"

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1 && bytes.size() >= 64) {
    static const std::string empty = wald::pack({});
    std::memcpy(bytes.data(), empty.data(), 12);  // magic and version
    std::memset(bytes.data() + 24, 0, 40);        // reserved
    wald::seal(std::as_writable_bytes(std::span(bytes)));
  }
  const auto model = wald::from_bytes(std::as_bytes(std::span(bytes)), "fuzz");
  if (!model) {
    expect(model.error().kind == wald::ErrorKind::BadModel && !model.error().message.empty());
    return 0;
  }
  expect(wald::flaw(*model).empty());
  const auto made = wald::predict(*model, wald::sample::random_table(*model, 3, size), {.threads = 1});
  expect(made && made->rows == 3);
  const std::string again = wald::to_bytes(*model);
  const auto back = wald::from_bytes(std::as_bytes(std::span(again)), "again");
  expect(back && wald::to_bytes(*back) == again);
  return 0;
}
