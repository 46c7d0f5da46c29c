// Names that people bring along from other programs.
#pragma once
#include <string_view>

namespace wald {

// What an option of boosting is called here that XGBoost or LightGBM call so, with or without dashes before it, with -
// or _ in it; empty = nothing they know.
std::string_view known_elsewhere(std::string_view word);

}  // namespace wald
