// Whole gzip files in memory (RFC 1952).
#pragma once
#include <string>
#include <string_view>

#include "core/file.h"
#include "wald/result.h"
#include "wald/run.h"

namespace wald {

bool is_gzip(std::string_view bytes);

// The content of all members, one after the other.
Result<Bytes> gunzip(std::string_view bytes, const std::string& source, const Run&);

}  // namespace wald
