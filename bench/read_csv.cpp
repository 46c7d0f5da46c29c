// Times one read_table: prints seconds, rows, columns and peak memory as one JSON object.
// usage: bench_read_csv FILE THREADS
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>

#include "wald/table.h"

namespace {

// A line of /proc/self/status, in bytes.
std::uint64_t status(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key + ":")) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    std::uint64_t kilobytes = 0;
    std::from_chars(line.data() + digits, line.data() + line.size(), kilobytes);
    return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

int main(int count, char** word) {
  if (count != 3) {
    fmt::print(stderr, "usage: bench_read_csv FILE THREADS\n");
    return 2;
  }
  wald::Run run;
  std::from_chars(word[2], word[2] + std::strlen(word[2]), run.threads);
  // Peak of the memory that is not the mapped file, sampled after every piece of the file that was read.
  std::uint64_t peak = 0;
  run.progress = [&](const wald::Progress&) { peak = std::max(peak, status("RssAnon")); };
  const auto start = std::chrono::steady_clock::now();
  if (const char* sample = std::getenv("SAMPLE"); sample == nullptr) run.progress = {};
  const auto table = wald::read_table(word[1], {}, run);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!table) {
    fmt::print(stderr, "{}\n", table.error().message);
    return 1;
  }
  peak = std::max(peak, status("RssAnon"));
  fmt::print("{{\"seconds\": {:.4f}, \"rows\": {}, \"columns\": {}, \"peak_anonymous\": {}, \"peak_resident\": {}}}\n",
             seconds.count(), table->rows, table->columns.size(), peak, status("VmHWM"));
}
