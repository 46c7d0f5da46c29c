// Any bytes, under options drawn from the first four, are a table or an error; and the same one however they are cut.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "table/csv.h"

namespace {

[[noreturn]] void differ(const char* what) {
  std::fprintf(stderr, "cut and whole differ in %s\n", what);
  std::abort();
}

wald::ReadOptions drawn_options(const std::uint8_t* data) {
  wald::ReadOptions options;
  options.delimiter = "\0\0\0,;\t| "[data[0] & 7];
  options.decimal = "\0\0.,"[data[0] >> 3 & 3];
  if ((data[0] & 32) != 0) options.header = (data[0] & 64) != 0;
  if ((data[1] & 1) != 0) options.missing = {"-1", "none"};
  if ((data[1] & 2) != 0) options.max_cell = 16;
  if ((data[1] & 4) != 0) options.max_columns = 3;
  using enum wald::ColumnType;
  if ((data[1] & 8) != 0) options.declared.columns.push_back({.name = "a", .type = Number, .lowest = 0, .highest = 9});
  if ((data[1] & 16) != 0) options.declared.columns.push_back({.name = "b", .type = Category, .level = {"x", "1"}});
  if ((data[1] & 32) != 0) options.declared.columns.push_back({.name = "c", .ignore = true});
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const wald::ReadOptions options = drawn_options(data);
  const std::string text(reinterpret_cast<const char*>(data) + 4, size - 4);
  const wald::Run run{.threads = 1};
  const bool tab = (data[1] & 64) != 0, rows = (data[1] & 128) != 0;
  const auto whole = read_csv(text, "f", options, run, {.chunk = 1 << 24, .prefer_tab = tab, .count_rows = rows});
  for (const std::size_t chunk : {std::size_t{1} + data[2] % 64, std::size_t{1} + data[3] * 4}) {
    const auto cut = read_csv(text, "f", options, run, {.chunk = chunk, .prefer_tab = tab, .count_rows = rows});
    if (static_cast<bool>(whole) != static_cast<bool>(cut)) differ("success");
    if (!whole) {
      if (whole.error() != cut.error()) differ("error");
      continue;
    }
    if (whole->rows != cut->rows || whole->columns != cut->columns) differ("columns");
    if (whole->notes != cut->notes) differ("notes");
    for (std::size_t c = 0; c < whole->columns.size(); ++c) {
      if (whole->columns[c].size() != whole->rows) differ("length");
      if (whole->columns[c].type() == wald::ColumnType::Number &&
          whole->columns[c].numbers().is_decimal() != cut->columns[c].numbers().is_decimal())
        differ("form");
    }
  }
  return 0;
}
