// The learners, their options, and fit.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wald/loss.h"
#include "wald/model.h"
#include "wald/result.h"
#include "wald/run.h"
#include "wald/task.h"

namespace wald {

// What the user wrote: option name (as on the command line, without dashes) to text.
using Settings = std::map<std::string, std::string, std::less<>>;

// One row of a learner's option table. Command line, Python keywords, model file, manual, completion and checks
// are all made from these rows.
struct OptionInfo {
  std::string name;                  // "max-depth"
  std::string kind;                  // "whole number", "number", "choice", "text"
  std::string fallback;              // the default, as text
  std::string range;                 // "1 to 64", or the choices separated by " | "
  std::vector<std::string> choices;  // for kind "choice"
  std::string help;                  // a sentence
};

// What wald tune may choose for an option.
struct SearchRange {
  std::string name;
  double low = 0, high = 1;
  bool logarithmic = false, whole = false;
  std::vector<std::string> choices = {};  // instead of numbers
};

struct LearnerInfo {
  std::string_view name;  // "cart"
  std::string_view help;
  std::vector<OptionInfo> options;
  bool needs_target = true;  // else it finds groups of rows, from a task without one
  std::vector<SearchRange> search = {};
};

std::vector<LearnerInfo> learners();
// Those that every learner but private ones has besides its own: what is done to the table first.
std::vector<OptionInfo> preparation_options();
inline constexpr std::string_view kDefaultLearner = "boost";

// Judges every setting before a row is looked at, then trains.
Result<Model> fit(std::string_view learner, const Task&, const Settings&, const Run& = {});
// The check alone, with the same errors as fit.
Status check_settings(std::string_view learner, const Settings&);

// As fit("boost", ...), with this loss in the place of --loss.
Result<Model> fit_boost(const Task&, const OwnLoss&, const Settings&, const Run& = {});

}  // namespace wald
