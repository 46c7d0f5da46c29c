// Schema files: what a person declares of a table's columns, as JSON.
#pragma once
#include <string>
#include <string_view>

#include "wald/table.h"

namespace wald {

// The declarations in the text of a schema file; source is what messages call it.
Result<Declarations> parse_declarations(std::string_view text, const std::string& source);

}  // namespace wald
