// Options from a file: a JSON object of names and values.
#pragma once
#include <string>
#include <vector>

#include "cli/arguments.h"

namespace wald::cli {

// Adds what the file sets and the command line does not.
Status merge_config(const std::string& path, const std::vector<Option>&, Arguments&);

}  // namespace wald::cli
