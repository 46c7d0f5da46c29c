// What training found out about a model, for people and for programs: measures on rows out of bag, AdaBoost's bound.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "wald/model.h"
#include "wald/rounds.h"
#include "wald/task.h"

namespace wald::cli {

// Measured on the rows that some tree did not see, as "oob_NAME"; what is undefined is left out.
std::map<std::string, double> out_of_bag_measures(const Schema&, const Task&, const OutOfBag&);

std::vector<std::pair<std::string, std::string>> found_lines(const Model&);  // label and text
void add_found(const Model&, nlohmann::ordered_json& into);                  // "out_of_bag", "training"

}  // namespace wald::cli
