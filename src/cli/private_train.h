// Training a private learner: another way from options to a model than fit.h's, since nothing of the rows may be told.
#pragma once
#include <string>

#include "cli/arguments.h"
#include "cli/terminal.h"

namespace wald::cli {

// path: of the model.
Status run_private_train(const Arguments&, const std::string& path, Terminal&);

// Beside the data: claims.csv.ledger.
std::string default_ledger(const std::string& data);

}  // namespace wald::cli
