// Private learning: models that tell next to nothing of any one contributor.
#pragma once
#include <string_view>

#include "wald/learn.h"
#include "wald/model.h"
#include "wald/private_task.h"
#include "wald/result.h"
#include "wald/run.h"

namespace wald {

bool is_private(std::string_view learner);

// As fit. The model is private with the epsilon and delta of the settings; keeping account of what several models tell
// together is up to the caller (the command line keeps a ledger).
Result<Model> fit_private(std::string_view learner, const PrivateTask&, const Settings&, const Run& = {});

}  // namespace wald
