// The beginning of a delimited text: what it is, how it is written, what its columns are called.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "table/cell.h"
#include "wald/table.h"

namespace wald {

struct Opening {
  Dialect dialect;
  std::vector<std::string> names;  // one per column, all different
  std::size_t data = 0;            // offset behind byte order mark and header
  std::vector<std::string> notes;
};

Result<Opening> read_opening(std::string_view text, const std::string& source, const ReadOptions&, const MissingWords&,
                             bool prefer_tab);

}  // namespace wald
