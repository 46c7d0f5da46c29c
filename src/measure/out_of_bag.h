// How good a forest is on the rows its trees did not see.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "wald/model.h"
#include "wald/rounds.h"
#include "wald/task.h"

namespace wald {

inline constexpr std::string_view kOutOfBag = "oob_";

// Measured on the rows that some tree did not see, as "oob_NAME"; what is undefined is left out.
std::map<std::string, double> out_of_bag_measures(const Schema&, const Task&, const OutOfBag&);

}  // namespace wald
