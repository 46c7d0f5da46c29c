// What a private learner with these settings will cost, known before it runs.
#pragma once
#include "privacy/ledger.h"
#include "wald/learn.h"
#include "wald/private_task.h"

namespace wald {

Result<Cost> private_cost(std::string_view learner, const Settings&);
// Whether the learner will take these rows: asked before they are paid for.
Status check_payable(std::string_view learner, const PrivateTask&, const Settings&);

}  // namespace wald
