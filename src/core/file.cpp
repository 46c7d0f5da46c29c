#include "core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/text.h"

namespace wald {
namespace {

struct File {
  int descriptor;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

std::string reason() { return std::strerror(errno); }

Error cannot(std::string_view verb, const std::string& path) {
  std::string cure;
  if (errno == ENOENT) cure = "check the spelling; relative paths start at the current folder";
  if (errno == EACCES || errno == EROFS || errno == EPERM)
    cure = "choose a place you may write to, or change its permissions";
  if (errno == ENOSPC || errno == EDQUOT) cure = "free some space or choose another folder; nothing was changed";
  return failure(fmt::format("cannot {} {}: {}", verb, printable(path, 300), reason()), cure);
}

Result<Bytes> read_stream(int descriptor, const std::string& path) {
  auto content = std::make_shared<std::vector<std::byte>>();
  std::size_t used = 0;
  for (;;) {
    if (content->size() < used + (1 << 16)) content->resize(std::max<std::size_t>(1 << 18, content->size() * 2));
    const ssize_t got = ::read(descriptor, content->data() + used, content->size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot("read", path);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  content->resize(used);
  return Bytes{*content, content};
}

Status write_all(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t put = ::write(descriptor, content.data(), std::min<std::size_t>(content.size(), 1 << 24));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return cannot("write", path);
    content.remove_prefix(static_cast<std::size_t>(put));
  }
  if (::fsync(descriptor) != 0 && errno != EINVAL) return cannot("write", path);  // devices and pipes know no fsync
  return Done{};
}

void sync_folder(const std::string& folder) {
  const File handle{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (handle.descriptor >= 0) ::fsync(handle.descriptor);  // best effort: some file systems refuse it
}

Error exists_already(const std::string& path) {
  return usage(fmt::format("{} exists already", printable(path, 300)), "give another name, or --force to replace it");
}

// Puts the finished temporary file at path. link() fails when path exists, so refusal has no race.
Status put_in_place(const std::string& temporary, const std::string& path, bool replace) {
  if (replace) {
    if (::rename(temporary.c_str(), path.c_str()) != 0) return cannot("write", path);
    return Done{};
  }
  if (::link(temporary.c_str(), path.c_str()) == 0) {
    ::unlink(temporary.c_str());
    return Done{};
  }
  if (errno == EEXIST) return exists_already(path);
  // A file system without hard links: the check and the rename are two steps there.
  if (::access(path.c_str(), F_OK) == 0) return exists_already(path);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return cannot("write", path);
  return Done{};
}

// A device or a pipe cannot be replaced, only written to.
Status write_through(const std::string& path, std::string_view content) {
  const File file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (file.descriptor < 0) return cannot("write", path);
  return write_all(file.descriptor, content, path);
}

// The file a chain of links leads to, so that replacing keeps the links.
std::string followed(const std::string& path) {
  std::error_code code;
  const auto real = std::filesystem::canonical(path, code);
  return code ? path : real.string();
}

}  // namespace

Result<Bytes> map_file(const std::string& path) {
  const File file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.descriptor < 0) return cannot("read", path);
  struct stat about{};
  if (::fstat(file.descriptor, &about) != 0) return cannot("read", path);
  if (S_ISDIR(about.st_mode))
    return failure(fmt::format("cannot read {}: it is a folder", printable(path, 300)), "name a file inside it");
  if (!S_ISREG(about.st_mode) || about.st_size == 0) return read_stream(file.descriptor, path);
  const auto size = static_cast<std::size_t>(about.st_size);
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor, 0);
  if (at == MAP_FAILED) return read_stream(file.descriptor, path);
  std::shared_ptr<const void> keep(at, [size](const void* p) { ::munmap(const_cast<void*>(p), size); });
  return Bytes{{static_cast<const std::byte*>(at), size}, std::move(keep)};
}

Status replace_file(const std::string& name, std::string_view content, bool replace) {
  const std::string path = followed(name);
  const std::filesystem::path target(path);
  if (path.empty() || target.filename().empty())
    return usage(fmt::format("'{}' is not a file name", printable(path)), "give a file to write");
  struct stat about{};
  const bool there = ::stat(path.c_str(), &about) == 0;
  if (there && S_ISDIR(about.st_mode))
    return usage(fmt::format("{} is a folder", printable(path, 300)), "give a file to write");
  if (there && !S_ISREG(about.st_mode)) return write_through(path, content);
  if (there && !replace) return exists_already(path);
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";
  std::string temporary = folder + "/." + target.filename().string().substr(0, 200) + ".XXXXXX";
  {
    const File file{::mkostemp(temporary.data(), O_CLOEXEC)};
    if (file.descriptor < 0) return cannot("write", path);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(file.descriptor, there ? about.st_mode & 0777 : 0666 & ~mask);
    if (Status written = write_all(file.descriptor, content, path); !written) {
      ::unlink(temporary.c_str());
      return written;
    }
  }
  Status placed = put_in_place(temporary, path, replace);
  if (!placed) ::unlink(temporary.c_str());
  else sync_folder(folder);
  return placed;
}

}  // namespace wald
