// Delimited text to Table.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "wald/table.h"

namespace wald {

struct CsvTuning {
  std::size_t chunk = 0;    // bytes read as one piece of work; 0 = chosen. Never changes the table.
  bool prefer_tab = false;  // the file's name says so
  bool mapped = false;      // the text is a mapped file, whose pages can be given back once read
  bool count_rows = false;  // messages count rows, not lines: the text was made from something without lines
};

Result<Table> read_csv(std::string_view text, const std::string& source, const ReadOptions&, const Run&,
                       const CsvTuning&);

// The same, block by block: tables of whole chunks of rows, together all rows in their order. A flaw is found when its
// block is read, so that the blocks before it have been given away by then.
Status read_csv_blocks(std::string_view text, const std::string& source, const ReadOptions&, const Run&,
                       const CsvTuning&, std::size_t block_bytes, const std::function<Status(const Table&)>& sink);

}  // namespace wald
