// The half of bench/predict.py that runs Wald: bench_predict MODEL.json COLUMNS ROWS.f32, then lines on standard input:
//   table THREADS OUT.f64|-   scores of all rows; answers "wall cpu" in seconds
//   row COUNT                 one row after another through Predictor; answers the microseconds of one
// ROWS holds 32-bit floats, row after row; `-` keeps no scores.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "explain/xgboost_test.h"
#include "wald/predict.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::vector<float> read_floats(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const auto* cell = reinterpret_cast<const float*>(bytes.data());
  return {cell, cell + bytes.size() / sizeof(float)};
}

wald::Table table_of(const std::vector<float>& cells, std::size_t columns) {
  const std::size_t rows = cells.size() / columns;
  wald::Table table{.rows = static_cast<wald::Row>(rows), .source = "rows"};
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> values(rows);
    for (std::size_t row = 0; row < rows; ++row) values[row] = cells[row * columns + c];
    table.columns.push_back({"f" + std::to_string(c), wald::Numbers(std::move(values))});
  }
  return table;
}

void time_table(const wald::Predictor& predictor, const wald::Table& table, int threads, const std::string& out) {
  const auto wall = Clock::now();
  const std::clock_t cpu = std::clock();
  const auto made = predictor.predict(table, {.threads = threads});
  if (!made) throw std::runtime_error(made.error().message);
  fmt::print("{} {}\n", seconds_since(wall), static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
  if (out != "-")
    std::ofstream(out, std::ios::binary)
        .write(reinterpret_cast<const char*>(made->score.data()),
               static_cast<std::streamsize>(made->score.size() * sizeof(double)));
}

void time_rows(const wald::Predictor& predictor, const std::vector<float>& cells, std::size_t columns,
               std::size_t count) {
  std::vector<double> row(columns), said(predictor.width());
  const auto start = Clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    std::copy_n(cells.begin() + static_cast<std::ptrdiff_t>(i % (cells.size() / columns) * columns), columns,
                row.begin());
    predictor.predict_row(row, said);
  }
  fmt::print("{}\n", seconds_since(start) / static_cast<double>(count) * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: bench_predict MODEL.json COLUMNS ROWS.f32\n"), 2;
  const wald::Predictor predictor(wald::xgboost::model_of(nlohmann::json::parse(std::ifstream(argv[1]))));
  const std::size_t columns = std::stoul(argv[2]);
  const std::vector<float> cells = read_floats(argv[3]);
  const wald::Table table = table_of(cells, columns);
  for (std::string line; std::getline(std::cin, line);) {
    std::string what, out;
    std::size_t number = 1;
    std::istringstream(line) >> what >> number >> out;
    if (what == "table") time_table(predictor, table, static_cast<int>(number), out);
    else time_rows(predictor, cells, columns, number);
    std::fflush(stdout);
  }
}
