// Files: mapping one to read it, replacing one so that it is never half written.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "wald/result.h"

namespace wald {

// The bytes of a file, mapped where the system allows (regular files), else read. `keep` holds them alive.
struct Bytes {
  std::span<const std::byte> view;
  std::shared_ptr<const void> keep;
  std::string_view text() const { return {reinterpret_cast<const char*>(view.data()), view.size()}; }
};
Result<Bytes> map_file(const std::string& path);

// Writes `content` to a temporary file in the same folder, syncs, and renames it over `path`; on any error the
// temporary file is gone and what stood at `path` is untouched. Without replace an existing path is refused.
Status replace_file(const std::string& path, std::string_view content, bool replace);

}  // namespace wald
