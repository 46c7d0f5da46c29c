#include "learn/named_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/shell.h"
#include "core/text.h"

namespace wald {
namespace {

// The name may hold an equals sign too; values do not.
NamedValue parted(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) return {text, text, ""};
  return {text, text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

Result<std::vector<NamedValue>> named_values(std::string_view option, const std::string& text,
                                             std::span<const std::string> known) {
  if (NamedValue alone = parted(text); std::ranges::find(known, alone.name) != known.end())
    return std::vector{std::move(alone)};
  std::vector<NamedValue> out;
  for (const std::string& part : split_list(text)) {
    NamedValue one = parted(part);
    if (std::ranges::find(out, one.name, &NamedValue::name) != out.end())
      return usage(fmt::format("--{} names '{}' twice", option, printable(one.name)), "say once what holds of it");
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace wald
