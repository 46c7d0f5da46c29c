#include <algorithm>
#include <array>

#include "tree/sapling_classes.h"

namespace wald::sapling {
namespace {

auto put_class(std::size_t stride) {
  return [stride](std::int32_t* cells, std::size_t code, const ClassEntry& e) {
    cells[code * stride + e.label] += e.count;
  };
}

// A quarter of the rows beside another: neighbours are of one class, and often of one code, and would wait for each
// other.
template <class Code>
void count_alone(std::span<const ClassEntry> entries, const Code* code, std::int32_t* cells, std::size_t stride) {
  const std::size_t quarter = entries.size() / 4;
  const auto add = [=, put = put_class(stride)](const ClassEntry& e) { put(cells, code[e.place], e); };
  for (std::size_t i = 0; i < quarter; ++i)
    add(entries[i]), add(entries[i + quarter]), add(entries[i + 2 * quarter]), add(entries[i + 3 * quarter]);
  for (const ClassEntry& e : entries.subspan(4 * quarter)) add(e);
}

}  // namespace

void ClassCells::count(std::span<const ClassEntry> entries, const CodeColumn& column) {
  const std::size_t place = ahead_.take(column.index);
  now_ = place < kTogether ? together(place) : cells_.data();
  if (place == kTogether) with_codes(column, [&](const auto* code) { count_alone(entries, code, now_, stride_); });
}

void ClassCells::count_ahead(std::span<const ClassEntry> entries, std::span<const CodeColumn* const> columns) {
  std::array<CountedColumn<std::int32_t>, kTogether> to;
  std::size_t n = 0;
  for (const CodeColumn* column : columns) {
    const std::size_t cells = size(column->codes);
    if (column->narrow == nullptr || cells > kMostTogether) continue;
    to[n] = {column, {together(n), 2 * cells <= kMostTogether ? together(n) + cells : together(n)}};
    ++n;
  }
  if (n < 2) return;
  count_together(entries, std::span<const CountedColumn<std::int32_t>>(to).first(n), put_class(stride_));
  for (std::size_t i = 0; i < n; ++i) {
    join_halves(to[i], size(to[i].column->codes));
    ahead_.put(i, to[i].column->index);
  }
}

void ClassCells::forget_ahead() {
  if (ahead_.any()) ahead_.forget([this](std::size_t place) { std::fill_n(together(place), kMostTogether, 0); });
}

}  // namespace wald::sapling
