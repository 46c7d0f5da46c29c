// What a model does to a table before it looks, in words.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "wald/model.h"

namespace wald::cli {

// {"prepared", "filled in: age, premium"}, a line a kind of step; none without preparation.
std::vector<std::pair<std::string, std::string>> preparation_lines(const Model&);
nlohmann::ordered_json preparation_json(const Model&);  // the steps, in their order

}  // namespace wald::cli
