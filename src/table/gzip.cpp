#include "table/gzip.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "core/text.h"
#include "table/meter.h"

namespace wald {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib's word for the largest window, with gzip's wrapping
constexpr std::size_t kInput = 1 << 20;

struct Inflater {
  z_stream stream{};
  Inflater() { ready = inflateInit2(&stream, kGzipWindow) == Z_OK; }
  ~Inflater() { inflateEnd(&stream); }
  bool ready = false;
};

std::size_t physical_memory() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

Error damaged(const std::string& source, std::string_view why) {
  return bad_data(fmt::format("{}: {}", printable(source, 300), why), "fetch or make the .gz file again");
}

// Memory that grows without being cleared, and mostly without being copied.
struct Buffer {
  char* data = nullptr;
  std::size_t size = 0;
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  ~Buffer() { std::free(data); }
  bool resize(std::size_t n) {
    void* at = std::realloc(data, n);
    if (at == nullptr) return false;
    data = static_cast<char*>(at);
    size = n;
    return true;
  }
};

// The last four bytes say how long the last member is unpacked, modulo 2^32: of a file of one member, the whole.
std::size_t first_guess(std::string_view bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < 4 && bytes.size() >= 18; ++i)
    length |= std::size_t{static_cast<unsigned char>(bytes[bytes.size() - 4 + i])} << (8 * i);
  const bool credible = length >= bytes.size() / 2 && length / 1032 <= bytes.size();  // deflate packs 1032 to 1 at most
  return (credible ? length : 4 * bytes.size()) + (1 << 17);
}

bool make_room(Buffer& out, std::size_t used, std::string_view bytes) {
  if (out.size == 0) return out.resize(first_guess(bytes));
  return out.size - used >= 1 << 16 || out.resize(used + used / 4 + (1 << 20));
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

Result<Bytes> gunzip(std::string_view bytes, const std::string& source, const Run& run) {
  Inflater inflater;
  if (!inflater.ready) return failure("cannot start zlib");
  z_stream& z = inflater.stream;
  const std::size_t limit = physical_memory();
  const auto out = std::make_shared<Buffer>();
  std::size_t used = 0, read = 0;
  int state = Z_OK;
  while (read < bytes.size()) {
    if (run.stopped()) return interrupted(printable(source, 300));
    // Behind a member another may follow; anything else there is padding, which gzip itself ignores too.
    if (state == Z_STREAM_END) {
      if (!is_gzip(bytes.substr(read))) break;
      inflateReset(&z);
    }
    const bool room_made = make_room(*out, used, bytes);
    if (!room_made || used > limit)
      return bad_data(fmt::format("{} unpacks to more than this machine's memory", printable(source, 300)),
                      "take a part of it");
    const std::size_t input = std::min(kInput, bytes.size() - read);
    const std::size_t room = std::min<std::size_t>(out->size - used, 1u << 30);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + read));
    z.avail_in = static_cast<uInt>(input);
    z.next_out = reinterpret_cast<Bytef*>(out->data + used);
    z.avail_out = static_cast<uInt>(room);
    state = inflate(&z, Z_NO_FLUSH);
    read += input - z.avail_in;
    used += room - z.avail_out;
    if (state == Z_MEM_ERROR) return failure(fmt::format("not enough memory to unpack {}", printable(source, 300)));
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
      return damaged(source, "the gzip data is damaged");
  }
  if (state != Z_STREAM_END) return damaged(source, "the gzip data ends too early");
  return Bytes{{reinterpret_cast<const std::byte*>(out->data), used}, out};
}

}  // namespace wald
