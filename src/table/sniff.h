// How a delimited text is written, judged by its beginning: delimiter, record end, decimal sign, header.
#pragma once
#include <string_view>

#include "table/cell.h"
#include "wald/table.h"

namespace wald {

// Text begins behind a byte order mark. Decimal sign and header are left as they are here.
Dialect sniff_dialect(std::string_view text, const ReadOptions&, bool prefer_tab);

// ',' only where the delimiter is another and numbers are written so; else '.'.
char sniff_decimal(std::string_view text, const Dialect&);

// Whether the first record names the columns: it does if it has a word above numbers, or no number above numbers.
bool sniff_header(std::string_view text, const Dialect&, const MissingWords&, std::size_t columns);

}  // namespace wald
