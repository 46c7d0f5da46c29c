// A schema's declarations applied to a table whose columns are all numbers.
#pragma once
#include "wald/table.h"

namespace wald {

Result<Table> with_declarations(Table, const ReadOptions&);

}  // namespace wald
