// What a model decides by, from options: costs, odds, calibration.
#pragma once
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/json.h"
#include "wald/decide.h"
#include "wald/model.h"

namespace wald::cli {

Result<Costs> costs_of(const Arguments&);      // --cost and --odds
Result<Decide> decide_of(const Arguments&);    // and --positive, --calibrate
void keep_deciding(const Arguments&, Model&);  // what of it the model has

// "yes where its probability is above 0.19"; a line each, none for a model that decides as all do.
std::vector<std::string> deciding_lines(const Model&);

}  // namespace wald::cli
