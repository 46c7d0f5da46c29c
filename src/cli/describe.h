// What `wald profile` says of a column.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "wald/table.h"

namespace wald::cli {

struct ColumnProfile {
  std::string name;
  ColumnType type = ColumnType::Number;
  std::uint64_t missing = 0, distinct = 0;
  double low = 1, high = 0;         // of numbers; low > high = no value
  std::vector<std::string> levels;  // of categories
  bool identifier = false;          // by the judgement of train
  std::vector<std::string> suggestions;
};

std::vector<ColumnProfile> describe_columns(const Table&);
std::string values_text(const ColumnProfile&);  // "18 to 84", "east, north, south, west"

// Types, levels and bounds as seen, the bounds rounded outwards, all marked as observed.
Declarations observed_schema(const std::vector<ColumnProfile>&);
double rounded_down(double value, double range);  // to a whole multiple of the power of ten at or below range
double rounded_up(double value, double range);

}  // namespace wald::cli
