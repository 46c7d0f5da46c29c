// A table or a query of an SQLite database to Table.
#pragma once
#include <string>

#include "wald/table.h"

namespace wald {

// name: "sqlite:FILE", "sqlite:FILE?table=T" or "sqlite:FILE?query=SELECT ...", with %XX for any byte.
Result<Table> read_sqlite(const std::string& name, const ReadOptions&, const Run&);

}  // namespace wald
