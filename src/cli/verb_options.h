// Options that several verbs share, and verbs that have a file of their own.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "cli/verbs.h"

namespace wald::cli {

std::vector<Option> joined(std::initializer_list<std::vector<Option>> groups);
std::vector<Option> grouped(const std::string& heading, std::vector<Option> options);
std::vector<Option> reading();
std::vector<Option> fitting();
Option output(std::string help);
Option force();
Option schema(std::string help);

std::vector<Option> deciding();

Verb evaluate_verb();
Verb cv_verb();
Verb tune_verb();
Verb curve_verb();

}  // namespace wald::cli
