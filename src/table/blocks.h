// Tables larger than memory, for whoever needs each row once.
#pragma once
#include <functional>
#include <string>

#include "wald/table.h"

namespace wald {

// read_table in tables of about block_bytes of text, one after the other, together all rows in their order. Delimited
// text in a plain file is read so; what comes packed, from a database or from standard input is read whole. A flaw is
// found when its block is read.
Status read_table_blocks(const std::string& name, const ReadOptions&, const Run&, std::size_t block_bytes,
                         const std::function<Status(const Table&)>& sink);

}  // namespace wald
