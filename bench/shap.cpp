// The half of bench/shap.py that runs Wald: bench_shap MODEL.json COLUMNS, then lines on standard input, each answered
// by one line "wall cpu" in seconds:
//   path|pairs|background|naive ROWS.f32 THREADS OUT.f64|- LIMIT
// ROWS holds 32-bit floats, row after row, of which the first LIMIT are explained; `-` keeps no values. A background is
// the first hundred rows; naive is the same values computed background row by background row.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "explain/xgboost_test.h"
#include "shap_naive.h"
#include "wald/explain.h"

namespace {

wald::Table read_rows(const std::string& path, std::size_t columns) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto* cell = reinterpret_cast<const float*>(bytes.data());
  const std::size_t rows = bytes.size() / sizeof(float) / columns;
  wald::Table table{.rows = static_cast<wald::Row>(rows), .source = path};
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> values(rows);
    for (std::size_t row = 0; row < rows; ++row) values[row] = cell[row * columns + c];
    table.columns.push_back({"f" + std::to_string(c), wald::Numbers(std::move(values))});
  }
  return table;
}

wald::Table first_rows(const wald::Table& table, std::size_t most) {
  wald::Table out = table;
  out.rows = static_cast<wald::Row>(std::min<std::size_t>(most, table.rows));
  for (wald::Column& column : out.columns) {
    const auto values = column.numbers().doubles();
    column.data = wald::Numbers(std::vector<double>(values.begin(), values.begin() + out.rows));
  }
  return out;
}

std::vector<double> values_of(const std::string& what, const wald::Model& model, const wald::Table& table,
                              const wald::Table& background, int threads) {
  if (what == "naive") return bench::naive_background_values(model, table, background);
  wald::ExplainOptions options{.interactions = what == "pairs"};
  if (what == "background") options.background = &background;
  auto out = wald::explain(model, table, options, {.threads = threads});
  if (!out) throw std::runtime_error(out.error().message);
  return what == "pairs" ? std::move(out->interaction) : std::move(out->value);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: bench_shap MODEL.json COLUMNS\n"), 2;
  const wald::Model model = wald::xgboost::model_of(nlohmann::json::parse(std::ifstream(argv[1])));
  const std::size_t columns = std::stoul(argv[2]);
  for (std::string line; std::getline(std::cin, line);) {
    std::string what, rows, out;
    int threads = 1;
    std::size_t limit = 0;
    std::istringstream(line) >> what >> rows >> threads >> out >> limit;
    const wald::Table all = read_rows(rows, columns), table = first_rows(all, limit), background = first_rows(all, 100);
    const auto wall = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    const std::vector<double> values = values_of(what, model, table, background, threads);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - wall;
    fmt::print("{} {}\n", seconds.count(), static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
    std::fflush(stdout);
    if (out != "-")
      std::ofstream(out, std::ios::binary)
          .write(reinterpret_cast<const char*>(values.data()),
                 static_cast<std::streamsize>(values.size() * sizeof(double)));
  }
}
