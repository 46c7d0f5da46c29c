#include <cstring>

#include "core/parallel.h"
#include "prepare/bin.h"

namespace wald {

TwoValued two_valued(const Binned& x) {
  constexpr std::size_t kLeastShare = 4;  // of the columns: else a row's word is fetched for too few
  TwoValued out;
  std::vector<std::uint8_t> suits(x.columns.size());
  parallel_for(suits.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const BinnedColumn& column = x.columns[c];
      if (column.type != ColumnType::Number || column.codes != 3) continue;
      suits[c] = std::memchr(std::get<0>(column.code).data(), 0, x.rows) == nullptr;
    }
  });
  for (std::uint32_t c = 0; c < suits.size(); ++c)
    if (suits[c] != 0) out.column.push_back(c);
  if (out.column.size() * kLeastShare < suits.size() || out.column.empty()) return {};
  out.words = (out.column.size() + TwoValued::kBits - 1) / TwoValued::kBits;
  out.word.resize(std::size_t{x.rows} * out.words);
  constexpr std::size_t kTogether = 4096;
  parallel_for(x.rows, kTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < out.column.size(); ++k) {
      const std::uint8_t* const code = std::get<0>(x.columns[out.column[k]].code).data();
      std::uint64_t* const to = out.word.data() + k / TwoValued::kBits;
      for (std::size_t r = begin; r < end; ++r)
        to[r * out.words] |= std::uint64_t{code[r] >> 1 & 1u} << (k % TwoValued::kBits);
    }
  });
  return out;
}

}  // namespace wald
