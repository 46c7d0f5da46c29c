#include "learn/options.h"

#include <algorithm>

#include "learn/elsewhere.h"

namespace wald::options_detail {

std::string number_text(double value) {
  const bool whole = value == std::trunc(value) && std::fabs(value) < 1e15 && !(value == 0 && std::signbit(value));
  return whole ? fmt::format_int(static_cast<std::int64_t>(value)).str() : exact_text(value);
}

Error not_a_number(std::string_view name, std::string_view text, std::string_view range) {
  return usage(fmt::format("--{}: '{}' is not a number it takes", name, printable(text)),
               fmt::format("give {}", range));
}

Error outside(std::string_view name, std::string_view text, std::string_view range) {
  return usage(fmt::format("--{} {}: out of range", name, printable(text)), fmt::format("give {}", range));
}

Error neither_share_nor_count(std::string_view name, std::string_view text, std::string_view word) {
  return usage(fmt::format("--{} {} is neither a share, which is below 1, nor a whole number", name, printable(text)),
               fmt::format("give {}, a share such as 0.8, or how many: 1 is a single one", word));
}

Error not_a_choice(std::string_view name, std::string_view text, const std::vector<std::string>& choices) {
  const std::string guess = did_you_mean(text, choices);
  return usage(fmt::format("--{}: '{}' is none of its choices", name, printable(text)),
               guess.empty() ? fmt::format("choose one of {}", fmt::join(choices, ", ")) : guess);
}

Error unknown_option(std::string_view learner, std::string_view name, const std::vector<std::string>& known) {
  const std::string ours(known_elsewhere(name));
  const std::string guess = std::ranges::find(known, ours) != known.end() ? ours : nearest(name, known);
  return usage(fmt::format("learner {} has no option --{}", learner, printable(name)),
               guess.empty() ? fmt::format("its options are --{}", fmt::join(known, ", --"))
                             : fmt::format("did you mean --{}?", guess));
}

}  // namespace wald::options_detail

namespace wald {

// An option that is read and then plays no part would be believed to.
Status check_idle(std::initializer_list<Idle> options) {
  for (const Idle& o : options)
    if (o.changed && !o.asked_for)
      return usage(fmt::format("--{} belongs to {}", o.option, o.where), "add that, or leave the option away");
  return Done{};
}

}  // namespace wald
