#include <algorithm>
#include <array>
#include <bit>

#include "tree/sapling_classes.h"
#include "tree/sapling_sums.h"

namespace wald::sapling {
namespace {

auto put_class(int log_stride) {
  return [log_stride](std::int32_t* cells, std::size_t code, const ClassEntry& e) {
    cells[(code << log_stride) + e.label] += e.count;
  };
}

// A quarter of the rows beside another: neighbours are of one class, and often of one code, and would wait for each
// other.
template <class Code>
void count_alone(std::span<const ClassEntry> entries, const Code* code, std::int32_t* cells, int log_stride) {
  const std::size_t quarter = entries.size() / 4;
  const auto add = [=, put = put_class(log_stride)](const ClassEntry& e) { put(cells, code[e.place], e); };
  for (std::size_t i = 0; i < quarter; ++i)
    add(entries[i]), add(entries[i + quarter]), add(entries[i + 2 * quarter]), add(entries[i + 3 * quarter]);
  for (const ClassEntry& e : entries.subspan(4 * quarter)) add(e);
}

}  // namespace

void ClassCells::count(std::span<const ClassEntry> entries, const CodeColumn& column) {
  const std::size_t place = ahead_.take(column.index);
  now_ = place < kTogether ? together_.of(place) : cells_.data();
  if (place == kTogether)
    with_codes(column, [&](const auto* code) { count_alone(entries, code, now_, std::countr_zero(stride_)); });
}

void ClassCells::count_ahead(std::span<const ClassEntry> entries, std::span<const CodeColumn* const> columns) {
  std::array<const CodeColumn*, kTogether> suit;
  std::array<const std::uint8_t*, kTogether> codes;
  std::size_t n = 0, most = 0;
  for (const CodeColumn* column : columns) {
    if (column->narrow == nullptr || size(column->codes) > kMostTogether) continue;
    suit[n] = column, codes[n++] = column->narrow;
    most = std::max(most, size(column->codes));
  }
  if (n < 2) return;
  const bool halved = 2 * most <= kMostTogether;
  const auto put = put_class(std::countr_zero(stride_));
  together_.count(entries, std::span<const std::uint8_t* const>(codes).first(n), halved, put);
  for (std::size_t i = 0; i < n; ++i) {
    if (halved) together_.join(i, size(suit[i]->codes));
    ahead_.put(i, suit[i]->index);
  }
}

void ClassCells::forget_ahead() {
  if (ahead_.any()) ahead_.forget([this](std::size_t place) { together_.clear(place); });
}

}  // namespace wald::sapling
