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
  bool mapped = false;
  std::string_view text() const { return {reinterpret_cast<const char*>(view.data()), view.size()}; }
};
Result<Bytes> map_file(const std::string& path);
// Lets go of the memory that a part of a mapped file takes; whoever reads it again gets it from the system.
void give_back(std::string_view mapped);

// A file being written: a temporary file in the same folder, which finish() syncs and renames over the path. Until
// then what stood at the path is untouched, and a writer that goes away unfinished leaves nothing. Devices and pipes
// cannot be replaced and are written through. Without replace an existing path is refused.
class FileWriter {
 public:
  static Result<FileWriter> open(const std::string& path, bool replace);
  FileWriter(FileWriter&&) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();
  Status write(std::string_view);
  Status finish();

 private:
  FileWriter() = default;
  std::string name_, path_;  // as given, for messages; where its links lead
  std::string temporary_;    // empty for devices and once the file is in place
  int descriptor_ = -1;
  bool replace_ = false;
};

// All of it at once.
Status replace_file(const std::string& path, std::string_view content, bool replace);

// The errors FileWriter would give, as far as they can be known without touching the folder: asked before hours of
// work whose result could not be written.
Status check_replaceable(const std::string& path, bool replace);

}  // namespace wald
