// wald tree MODEL [DATA] --prune-path.
#pragma once
#include "cli/arguments.h"
#include "cli/terminal.h"
#include "wald/model.h"

namespace wald::cli {

Status show_prune_path(const Model&, std::size_t tree, const Arguments&, Terminal&);

}  // namespace wald::cli
