// How good a forest is on the rows its trees did not see.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/found.h"
#include "wald/model.h"
#include "wald/rounds.h"
#include "wald/task.h"

namespace wald {

// Those of positive weight that some tree did not see, and what is said of such rows.
std::vector<Row> rows_out_of_bag(const Task&, const OutOfBag&);
Predictions take_rows(const Predictions&, std::span<const Row> rows);

// Measured on the rows that some tree did not see, under kOutOfBag and their names; what is undefined is left out.
std::map<std::string, double> out_of_bag_measures(const Schema&, const Task&, const OutOfBag&);

}  // namespace wald
