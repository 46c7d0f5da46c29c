#include "tree/gathered.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "tree/newton.h"

namespace wald::growing {
namespace {

// What a row takes, with its derivatives.
std::size_t row_bytes(const Binned& x) { return x.by_rows.stride + x.bundles.stride + sizeof(Gradient); }

void copy_rows(const RowBytes& table, std::span<const Row> rows, RowBytes& to) {
  constexpr std::size_t kAhead = 32, kWord = sizeof(std::uint64_t);
  const std::size_t stride = table.stride, bytes = rows.size() * stride + kWord;
  if (to.code.size() < bytes) to.code.resize(bytes);
  std::uint8_t* into = to.code.data();
  for (std::size_t i = 0; i < rows.size(); ++i, into += stride) {
    if (i + kAhead < rows.size()) __builtin_prefetch(table.of(rows[i + kAhead]));
    const std::uint8_t* const from = table.of(rows[i]);
    for (std::size_t k = 0; k < stride; k += kWord) {  // what is written beyond the row the next one writes anew
      std::uint64_t word;
      std::memcpy(&word, from + k, kWord);
      std::memcpy(into + k, &word, kWord);
    }
  }
}

}  // namespace

Gathered::Gathered(const Binned& table)
    : x{.columns = std::vector<BinnedColumn>(table.columns.size())}, derivatives(std::make_unique<GatheredNewton>()) {
  for (std::size_t c = 0; c < x.columns.size(); ++c) {
    const BinnedColumn& of = table.columns[c];
    x.columns[c] = {.type = of.type, .codes = of.codes, .lowest = of.lowest, .highest = of.highest};
    if (of.code.index() == 1) x.columns[c].code.emplace<1>();
  }
  static_cast<RowLayout&>(x.by_rows) = table.by_rows, static_cast<RowLayout&>(x.bundles) = table.bundles;
  x.by_rows.column = table.by_rows.column, x.bundles.of_byte = table.bundles.of_byte;
}

Gathered::~Gathered() = default;

bool Gathered::pays(const Binned& table, std::size_t rows, int levels, std::size_t cache) {
  constexpr std::size_t kFewestRows = 4096, kWide = kLine / 4;
  constexpr int kFewestLevels = 3;
  return table.by_rows.width > 0 && table.by_rows.stride <= kWide && rows >= kFewestRows && levels >= kFewestLevels &&
         rows * row_bytes(table) <= cache && table.rows * row_bytes(table) > cache;
}

void Gathered::gather(const Binned& table, std::span<Row> of) {
  copy_rows(table.by_rows, of, x.by_rows);
  if (table.bundles.width > 0) copy_rows(table.bundles, of, x.bundles);
  x.rows = static_cast<Row>(of.size());
  from_.assign(of.begin(), of.end());
  rows.resize(of.size()), spare.resize(of.size());
  std::iota(rows.begin(), rows.end(), Row{0});
  to_ = of, put_back_ = 0;
}

void Gathered::put_back(std::size_t last) {
  for (; put_back_ < last; ++put_back_) to_[put_back_] = from_[rows[put_back_]];
}

}  // namespace wald::growing
