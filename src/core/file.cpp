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
#include <utility>
#include <vector>

#include "core/text.h"

namespace wald {
namespace {

struct File {
  int descriptor;
  explicit File(int number) : descriptor(number) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
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
Status put_in_place(const std::string& temporary, const std::string& path, const std::string& name, bool replace) {
  if (replace) {
    if (::rename(temporary.c_str(), path.c_str()) != 0) return cannot("write", name);
    return Done{};
  }
  if (::link(temporary.c_str(), path.c_str()) == 0) {
    ::unlink(temporary.c_str());
    return Done{};
  }
  if (errno == EEXIST) return exists_already(name);
  // A file system without hard links: the check and the rename are two steps there.
  if (::access(path.c_str(), F_OK) == 0) return exists_already(name);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return cannot("write", name);
  return Done{};
}

// The file a chain of links leads to, so that replacing keeps the links; it need not be there.
std::string followed(const std::string& path) {
  std::error_code code;
  if (const auto real = std::filesystem::canonical(path, code); !code) return real.string();
  std::filesystem::path at(path);
  for (int links = 0; links < 40 && std::filesystem::is_symlink(at, code); ++links)
    at = at.parent_path() / std::filesystem::read_symlink(at, code);  // an absolute one replaces the parent
  return at.string();
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
  return Bytes{{static_cast<const std::byte*>(at), size}, std::move(keep), true};
}

void give_back(std::string_view mapped) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(mapped.data()) + page - 1) / page * page;
  const auto last = reinterpret_cast<std::uintptr_t>(mapped.data() + mapped.size()) / page * page;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

namespace {

struct Place {
  std::string name, path, folder;  // as given, for messages; where its links lead
  struct stat about{};
  bool there = false;
};

// Where the name leads, and the errors that can be told beforehand.
Result<Place> place_of(const std::string& name, bool replace) {
  Place place{.name = name, .path = followed(name)};
  const std::filesystem::path target(place.path);
  if (place.path.empty() || target.filename().empty())
    return usage(fmt::format("'{}' is not a file name", printable(name)), "give a file to write");
  if (std::error_code code; std::filesystem::is_symlink(target, code))
    return usage(fmt::format("{} is a link that leads round in a circle", printable(name, 300)), "give another name");
  place.folder = target.has_parent_path() ? target.parent_path().string() : ".";
  place.there = ::stat(place.path.c_str(), &place.about) == 0;
  if (place.there && S_ISDIR(place.about.st_mode))
    return usage(fmt::format("{} is a folder", printable(name, 300)), "give a file to write");
  if (place.there && S_ISREG(place.about.st_mode) && !replace) return exists_already(name);
  return place;
}

}  // namespace

Result<FileWriter> FileWriter::open(const std::string& name, bool replace) {
  const Result<Place> place = place_of(name, replace);
  if (!place) return place.error();
  FileWriter out;
  out.name_ = name;
  out.path_ = place->path;
  out.replace_ = replace;
  if (place->there && !S_ISREG(place->about.st_mode)) {
    out.descriptor_ = ::open(place->path.c_str(), O_WRONLY | O_CLOEXEC);
    if (out.descriptor_ < 0) return cannot("write", name);
    return out;
  }
  const std::string file = std::filesystem::path(place->path).filename().string();
  std::string temporary = place->folder + "/." + file.substr(0, 200) + ".XXXXXX";
  out.descriptor_ = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (out.descriptor_ < 0) return cannot("write", name);
  out.temporary_ = std::move(temporary);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(out.descriptor_, place->there ? place->about.st_mode & 0777 : 0666 & ~mask);
  return out;
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : name_(std::move(other.name_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      replace_(other.replace_) {}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status FileWriter::write(std::string_view content) { return write_all(descriptor_, content, name_); }

Status FileWriter::finish() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) return cannot("write", name_);  // devices know no fsync
  if (::close(std::exchange(descriptor_, -1)) != 0) return cannot("write", name_);
  if (temporary_.empty()) return Done{};
  if (Status placed = put_in_place(temporary_, path_, name_, replace_); !placed) return placed;
  temporary_.clear();
  const std::filesystem::path target(path_);
  sync_folder(target.has_parent_path() ? target.parent_path().string() : ".");
  return Done{};
}

Status replace_file(const std::string& path, std::string_view content, bool replace) {
  Result<FileWriter> file = FileWriter::open(path, replace);
  if (!file) return file.error();
  if (Status written = file->write(content); !written) return written;
  return file->finish();
}

Status check_replaceable(const std::string& path, bool replace) {
  const Result<Place> place = place_of(path, replace);
  if (!place) return place.error();
  if (place->there && !S_ISREG(place->about.st_mode)) return Done{};
  const int folder = ::open(place->folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 && errno != EACCES) return cannot("write", path);  // a folder may be writable yet unreadable
  if (folder >= 0) ::close(folder);
  if (::access(place->folder.c_str(), W_OK | X_OK) != 0) return cannot("write", path);
  return Done{};
}

}  // namespace wald
