// What training found out about a model, for people and for programs: measures on rows out of bag, AdaBoost's bound.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "wald/model.h"

namespace wald::cli {

std::vector<std::pair<std::string, std::string>> found_lines(const Model&);  // label and text
void add_found(const Model&, nlohmann::ordered_json& into);                  // "out_of_bag", "training"

// AdaBoost round by round: what the error of each tree makes of the loss, beside what is measured. A table of the first
// rounds, powers of two and the last one; all of them as JSON. Nothing of other learners.
std::vector<std::string> round_lines(const Model&);
nlohmann::ordered_json rounds_json(const Model&);

}  // namespace wald::cli
