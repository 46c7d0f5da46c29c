// Times one read_table: prints seconds, rows, columns and peak memory as one JSON object.
// usage: bench_read_csv FILE THREADS
#include <fmt/format.h>
#include <sys/resource.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
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

// Processor time of all threads.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int count, char** word) {
  if (count != 3) {
    fmt::print(stderr, "usage: bench_read_csv FILE THREADS\n");
    return 2;
  }
  wald::Run run;
  std::from_chars(word[2], word[2] + std::strlen(word[2]), run.threads);
  // With SAMPLE set: the peak of the memory that is not the mapped file, seen after every piece of the file.
  std::uint64_t peak = 0;
  if (std::getenv("SAMPLE") != nullptr)
    run.progress = [&](const wald::Progress&) { peak = std::max(peak, status("RssAnon")); };
  const double cpu = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  const auto table = wald::read_table(word[1], {}, run);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const double spent = cpu_seconds() - cpu;
  if (!table) {
    fmt::print(stderr, "{}\n", table.error().message);
    return 1;
  }
  peak = std::max(peak, status("RssAnon"));
  fmt::print("{{\"seconds\": {:.4f}, \"cpu\": {:.4f}, \"rows\": {}, \"columns\": {}, \"peak_anonymous\": {}}}\n",
             seconds.count(), spent, table->rows, table->columns.size(), peak);
}
