// The outside of a model file: a header, a directory, sections, one checksum over all of it. It knows nothing of what
// the sections hold. docs/formats/model.md is the specification.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wald/result.h"

namespace wald {

inline constexpr std::uint16_t kFormatMajor = 1;  // raised when an older Wald could misread the file
inline constexpr std::uint16_t kFormatMinor = 0;  // raised when it could ignore what is new
inline constexpr std::size_t kSectionAlignment = 64;

using Sections = std::vector<std::span<const std::byte>>;

std::string pack(const Sections&);
// Views into `file`, which must be aligned as malloc aligns. `source` is what messages call the file.
Result<Sections> unpack(std::span<const std::byte> file, const std::string& source);

// Makes length and checksum in the header of `file` right; does nothing to a file shorter than a header.
void seal(std::span<std::byte> file);

// A refusal, worded the same for every flaw.
Error refused(const std::string& source, std::string_view flaw);

}  // namespace wald
