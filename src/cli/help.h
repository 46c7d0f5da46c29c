// Help, made from the tables of verbs.h.
#pragma once
#include <string>
#include <vector>

#include "cli/verbs.h"

namespace wald::cli {

Status print_welcome(Terminal&);  // for a bare `wald`
// Short: usage and options. Full: what it does and examples first. A --learner among the words narrows the options to
// that learner's; with --json the tables themselves are printed.
Status print_help(const Verb&, const std::vector<std::string>& words, bool full, Terminal&);
std::string call_of(const Verb&);  // "wald predict MODEL DATA [options]"

}  // namespace wald::cli
