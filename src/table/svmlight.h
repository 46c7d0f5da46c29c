// SVMlight text (`label [qid:n] index:value ... # comment`) to Table: columns target, qid where given, f1 .. fN.
#pragma once
#include <string>
#include <string_view>

#include "wald/table.h"

namespace wald {

// Do the first lines read as labels followed by index:value pairs?
bool looks_like_svmlight(std::string_view text);

Result<Table> read_svmlight(std::string_view text, const std::string& source, const ReadOptions&, const Run&);

}  // namespace wald
