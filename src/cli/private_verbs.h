// The verbs about privacy.
#pragma once
#include "cli/arguments.h"
#include "cli/terminal.h"

namespace wald::cli {

Status run_privacy(const Arguments&, Terminal&);
Status run_audit(const Arguments&, Terminal&);

}  // namespace wald::cli
