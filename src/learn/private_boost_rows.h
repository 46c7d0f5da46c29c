// The rows as small whole numbers, cut at places that are public: nothing here depends on what the rows hold but the
// codes themselves, which stay secret.
#pragma once
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "privacy/domain.h"

namespace wald {

inline constexpr auto kStructure = static_cast<Purpose>(50);  // of the public structure of private trees

struct PrivateColumn {
  ColumnType type = ColumnType::Number;
  int codes = 1;                    // code 0 is missing
  std::vector<std::uint8_t> code;   // one per row
  std::vector<double> cuts;         // numbers: code k holds the values above cuts[k - 2] up to cuts[k - 1]
  std::vector<std::uint8_t> group;  // categories: the code of each level; with very many levels several share one
};

struct PrivateRows {
  std::size_t rows = 0;
  std::vector<PrivateColumn> columns;
};

inline constexpr int kMostCodes = 256;

// The rows that count: of each contributor the first `most` of the file, whatever the others do.
std::vector<Row> bounded_rows(const PrivateTask&, std::uint64_t most);

PrivateRows private_rows(const Task&, const Domain&, const std::vector<Row>&);

}  // namespace wald
