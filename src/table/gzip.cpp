#include "table/gzip.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

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

// Grows the output: by the guess that the rest packs as well as what was read, so that it is rarely copied.
void make_room(std::string& out, std::size_t used, std::size_t read, std::size_t total) {
  if (out.size() - used >= 1 << 16) return;
  const double ratio = read == 0 ? 4 : static_cast<double>(used) / static_cast<double>(read);
  const auto guess = static_cast<std::size_t>(ratio * 1.05 * static_cast<double>(total)) + (1 << 18);
  out.resize(std::max(guess, used + used / 4 + (1 << 18)));
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

Result<std::string> gunzip(std::string_view bytes, const std::string& source, const Run& run) {
  Inflater inflater;
  if (!inflater.ready) return failure("cannot start zlib");
  z_stream& z = inflater.stream;
  const std::size_t limit = physical_memory();
  std::string out;
  std::size_t used = 0, read = 0;
  int state = Z_OK;
  while (read < bytes.size()) {
    if (run.stopped()) return interrupted(printable(source, 300));
    // Behind a member another may follow; anything else there is padding, which gzip itself ignores too.
    if (state == Z_STREAM_END) {
      if (!is_gzip(bytes.substr(read))) break;
      inflateReset(&z);
    }
    make_room(out, used, read, bytes.size());
    if (used > limit)
      return bad_data(fmt::format("{} unpacks to more than this machine's memory", printable(source, 300)),
                      "take a part of it");
    const std::size_t input = std::min(kInput, bytes.size() - read);
    const std::size_t room = std::min<std::size_t>(out.size() - used, 1u << 30);
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + read));
    z.avail_in = static_cast<uInt>(input);
    z.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    z.avail_out = static_cast<uInt>(room);
    state = inflate(&z, Z_NO_FLUSH);
    read += input - z.avail_in;
    used += room - z.avail_out;
    if (state == Z_MEM_ERROR) return failure(fmt::format("not enough memory to unpack {}", printable(source, 300)));
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
      return damaged(source, "the gzip data is damaged");
  }
  if (state != Z_STREAM_END) return damaged(source, "the gzip data ends too early");
  out.resize(used);
  return out;
}

}  // namespace wald
