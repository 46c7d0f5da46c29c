// Under which names Model::found tells what training found out: each of these, then the name of a measure.
#pragma once
#include <string_view>

namespace wald {

inline constexpr std::string_view kOutOfBag = "oob_";           // measured on rows out of bag
inline constexpr std::string_view kExpected = "oob_expected_";  // of all trees together, by rows out of bag
inline constexpr std::string_view kTraining = "training_";      // of the training itself

}  // namespace wald
