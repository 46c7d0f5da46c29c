// What a private learner with these settings will cost, known before it runs.
#pragma once
#include "privacy/ledger.h"
#include "wald/learn.h"

namespace wald {

Result<Cost> private_cost(std::string_view learner, const Settings&);

}  // namespace wald
