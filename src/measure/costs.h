// Costs, odds and calibration from the words that people write.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "wald/decide.h"

namespace wald {

Status read_costs(std::span<const std::string> parts, Costs&);  // "fp=1", "fn=12"
Status read_odds(const std::string& text, Costs&);              // "9:1"

struct DecideWords {
  std::string calibrate = "none";
  std::vector<std::string> cost;    // empty = not given
  std::optional<std::string> odds;  // nothing = not given
  std::string positive;
};
Result<Decide> read_decide(const DecideWords&);

}  // namespace wald
