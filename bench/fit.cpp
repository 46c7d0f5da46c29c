// Times the fit of a learner in a process that has fitted before, as libraries of Python are timed: bench_fit TRAIN.csv
// SCHEMA.json TARGET classes|numbers LEARNER [OPTION=VALUE]... prints the seconds of a fit with the threads it uses
// unless told otherwise (threads=N): the median of all that are done in half a second after a first one, of at least
// five, or of the first alone where it takes that long.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "wald/wald.h"

namespace {

template <class T>
T taken(wald::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

double seconds_of(const char* learner, const wald::Task& task, const wald::Settings& settings, const wald::Run& run) {
  const auto start = std::chrono::steady_clock::now();
  taken(wald::fit(learner, task, settings, run));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int count, char** argument) try {
  constexpr double kSpan = 0.5;
  const std::string kind = count > 5 ? argument[4] : "";
  if (kind != "classes" && kind != "numbers") {
    fmt::print(stderr, "usage: bench_fit TRAIN.csv SCHEMA.json TARGET classes|numbers LEARNER [OPTION=VALUE]...\n");
    return 2;
  }
  wald::ReadOptions reading;
  reading.declared = taken(wald::read_declarations(argument[2]));
  wald::Table table = taken(wald::read_table(argument[1], reading));
  wald::Roles roles{.target = argument[3]};
  roles.kind = kind == "classes" ? wald::TaskKind::Classes : wald::TaskKind::Numbers;
  for (const wald::Column& column : table.columns)
    if (column.name != roles.target) roles.keep.push_back(column.name);
  const wald::Task task = taken(wald::make_task(std::move(table), roles));
  wald::Settings settings;
  for (int i = 6; i < count; ++i) {
    const std::string option = argument[i];
    settings[option.substr(0, option.find('='))] = option.substr(option.find('=') + 1);
  }
  wald::Run run;
  if (const auto threads = settings.extract("threads")) run.threads = std::stoi(threads.mapped());
  std::vector<double> seconds{seconds_of(argument[5], task, settings, run)};
  if (seconds[0] < kSpan) {
    seconds.clear();
    for (double spent = 0; seconds.size() < 5 || spent < kSpan; spent += seconds.back())
      seconds.push_back(seconds_of(argument[5], task, settings, run));
  }
  std::ranges::sort(seconds);
  fmt::print("{}\n", seconds[seconds.size() / 2]);
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_fit: {}\n", error.what());
  return 1;
}
