// Delimited text to Table.
#pragma once
#include <string>
#include <string_view>

#include "wald/table.h"

namespace wald {

struct CsvTuning {
  std::size_t chunk = 0;    // bytes read as one piece of work; 0 = chosen. Never changes the table.
  bool prefer_tab = false;  // the file's name says so
  bool count_rows = false;  // messages count rows, not lines: the text was made from something without lines
};

Result<Table> read_csv(std::string_view text, const std::string& source, const ReadOptions&, const Run&,
                       const CsvTuning&);

}  // namespace wald
