#include "model/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/text.h"
#include "model/hash.h"

namespace wald {
namespace {

static_assert(std::endian::native == std::endian::little, "model files are mapped as they are, and are little-endian");

// As in PNG: a byte outside ASCII, a line end that a text-mode transfer would change, and a stop for `type`.
constexpr std::array<unsigned char, 8> kMagic{0x89, 'W', 'A', 'L', 'D', '\r', '\n', 0x1A};

struct Header {
  std::array<unsigned char, 8> magic = kMagic;
  std::uint16_t major = kFormatMajor;
  std::uint16_t minor = kFormatMinor;
  std::uint32_t sections = 0;
  std::uint64_t length = 0;  // of the file, this header included
  std::uint64_t zero = 0;
  std::array<unsigned char, 16> checksum{};
  std::array<std::uint64_t, 2> zeros{};
};
static_assert(sizeof(Header) == 64 && sizeof(Header) == kSectionAlignment);

using Checksum = std::array<unsigned char, 16>;

std::uint64_t padded(std::uint64_t size) {
  return (size + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
}

Header header_of(std::span<const std::byte> file) {
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  return header;
}

// XXH3, 128 bits, of every byte of the file but the checksum's own sixteen.
Checksum checksum(std::span<const std::byte> file) {
  constexpr std::size_t at = offsetof(Header, checksum), after = at + sizeof(Checksum);
  Hash hash;
  hash.add(file.first(at));
  hash.add(file.subspan(after));
  return hash.digest();
}

bool starts(std::span<const std::byte> file, std::string_view prefix) {
  return file.size() >= prefix.size() && std::memcmp(file.data(), prefix.data(), prefix.size()) == 0;
}

bool looks_like_text(std::span<const std::byte> file) {
  return std::ranges::none_of(file.first(std::min<std::size_t>(file.size(), 512)), [](std::byte b) {
    const auto c = static_cast<unsigned char>(b);
    return (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F;
  });
}

// Says what a file is that does not begin as a model does.
Error not_a_model(std::span<const std::byte> file, const std::string& source) {
  const std::string name = printable(source, 300);
  if (file.empty())
    return bad_model(name + " is empty, not a Wald model", "train the model again, or copy the file again");
  if (starts(file, "\x89WALD"))
    return bad_model(name + " is a Wald model whose bytes were changed, as a copy in text mode does",
                     "copy the file again in binary mode");
  if (starts(file, "\x1f\x8b"))
    return bad_model(name + " is not a Wald model but a gzip file", "unpack it first, with gunzip");
  if (looks_like_text(file))
    return bad_model(name + " is not a Wald model; it looks like text, perhaps a table",
                     "give a file that 'wald train' wrote; the model comes first, then the data");
  return bad_model(name + " is not a Wald model", "give a file that 'wald train' wrote");
}

Result<Header> checked_header(std::span<const std::byte> file, const std::string& source) {
  const std::size_t known = std::min(file.size(), kMagic.size());
  if (known == 0 || std::memcmp(file.data(), kMagic.data(), known) != 0) return not_a_model(file, source);
  if (file.size() < sizeof(Header)) return refused(source, fmt::format("it is cut short, at {} bytes", file.size()));
  const Header header = header_of(file);
  if (header.major > kFormatMajor)
    return bad_model(fmt::format("{} needs a newer Wald: it has format version {}.{}, this Wald reads {}.{}",
                                 printable(source, 300), header.major, header.minor, kFormatMajor, kFormatMinor),
                     "install a newer Wald, or train the model again with this one");
  if (header.major == 0) return refused(source, "it names the format version 0, which never was");
  if (header.length > file.size())
    return refused(source, fmt::format("it is cut short: {} of {} bytes", file.size(), header.length));
  if (header.length < file.size())
    return refused(source, fmt::format("{} bytes follow its end", file.size() - header.length));
  if (header.checksum != checksum(file))
    return refused(source, "its checksum is wrong, so some of its bytes have changed");
  if (header.zero != 0 || header.zeros[0] != 0 || header.zeros[1] != 0)
    return refused(source, "the reserved bytes of its header are not zero");
  return header;
}

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

Error refused(const std::string& source, std::string_view flaw) {
  return bad_model(fmt::format("{} is a damaged model: {}", printable(source, 300), flaw),
                   "copy the file again, or train the model again");
}

std::string pack(const Sections& sections) {
  const std::uint64_t directory = padded(sections.size() * sizeof(std::uint64_t));
  std::uint64_t size = sizeof(Header) + directory;
  for (const auto& section : sections) size += padded(section.size());
  std::string file(size, '\0');
  Header header;
  header.sections = static_cast<std::uint32_t>(sections.size());
  std::memcpy(file.data(), &header, sizeof header);
  std::size_t entry = sizeof header, at = sizeof header + directory;
  for (const auto& section : sections) {
    const std::uint64_t length = section.size();
    std::memcpy(file.data() + entry, &length, sizeof length);
    if (length > 0) std::memcpy(file.data() + at, section.data(), length);
    entry += sizeof length;
    at += padded(length);
  }
  seal(std::as_writable_bytes(std::span(file)));
  return file;
}

Result<Sections> unpack(std::span<const std::byte> file, const std::string& source) {
  const auto header = checked_header(file, source);
  if (!header) return header.error();
  std::span<const std::byte> rest = file.subspan(sizeof(Header));
  const std::uint64_t entries = std::uint64_t{header->sections} * sizeof(std::uint64_t);
  if (padded(entries) > rest.size()) return refused(source, "its directory is longer than the file");
  std::vector<std::uint64_t> lengths(header->sections);
  if (entries > 0) std::memcpy(lengths.data(), rest.data(), entries);
  if (!all_zero(rest.subspan(entries, padded(entries) - entries)))
    return refused(source, "bytes between its parts are not zero");
  rest = rest.subspan(padded(entries));
  Sections sections;
  for (const std::uint64_t length : lengths) {
    if (length > rest.size() || padded(length) > rest.size())
      return refused(source, fmt::format("section {} is longer than the file", sections.size()));
    if (!all_zero(rest.subspan(length, padded(length) - length)))
      return refused(source, "bytes between its parts are not zero");
    sections.push_back(rest.first(length));
    rest = rest.subspan(padded(length));
  }
  if (!rest.empty()) return refused(source, fmt::format("{} bytes follow its last section", rest.size()));
  return sections;
}

void seal(std::span<std::byte> file) {
  if (file.size() < sizeof(Header)) return;
  Header header = header_of(file);
  header.length = file.size();
  std::memcpy(file.data(), &header, sizeof header);
  header.checksum = checksum(file);
  std::memcpy(file.data(), &header, sizeof header);
}

}  // namespace wald
