// How good a forest is on the rows its trees did not see.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wald/model.h"
#include "wald/rounds.h"
#include "wald/task.h"

namespace wald {

inline constexpr std::string_view kOutOfBag = "oob_";

// Those that some tree did not see, and what is said of such rows.
std::vector<Row> rows_out_of_bag(const OutOfBag&);
Predictions take_rows(const Predictions&, std::span<const Row> rows);

// Measured on the rows that some tree did not see, as "oob_NAME"; what is undefined is left out.
std::map<std::string, double> out_of_bag_measures(const Schema&, const Task&, const OutOfBag&);

}  // namespace wald
