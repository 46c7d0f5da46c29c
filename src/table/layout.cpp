#include "table/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "core/file.h"
#include "core/parallel.h"
#include "core/text.h"
#include "table/block.h"
#include "table/notes.h"
#include "wald/table.h"

namespace wald {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

struct Rows {
  std::size_t first = kNone;
  std::uint64_t count = 0;
  bool inside = false;  // quotes, at the end of the chunk
};

struct Survey {
  std::array<Rows, 2> rows;  // when the chunk begins outside quotes, inside quotes
  std::uint64_t lines = 0;
  std::size_t zero = kNone;  // offset of the first NUL byte
  bool ascii = true;
};

class Walker {
 public:
  Walker(const Layout& layout, std::size_t data, const Chunk& chunk, bool inside) : layout_(layout), data_(data) {
    rows_.inside = inside;
    if (chunk.begin == data) start(data);
  }

  void block(std::size_t at, std::uint64_t ends, std::uint64_t quotes) {
    if (quotes == 0) {
      if (!rows_.inside)
        for (; ends != 0; ends &= ends - 1) start(at + std::countr_zero(ends) + 1);
      return;
    }
    for (std::uint64_t marks = ends | quotes; marks != 0; marks &= marks - 1) {
      const std::uint64_t mark = marks & -marks;
      const std::size_t i = at + std::countr_zero(marks);
      if ((quotes & mark) != 0) quote(i);
      else if (!rows_.inside) start(i + 1);
    }
  }
  const Rows& rows() const { return rows_; }

 private:
  const char* at(std::size_t offset) const { return layout_.text.data() + offset; }
  const char* end() const { return at(layout_.text.size()); }

  void start(std::size_t offset) {
    if (offset >= layout_.text.size()) return;
    if (!layout_.blank_rows && blank_line(at(offset), end(), layout_.dialect)) return;
    if (rows_.count++ == 0) rows_.first = offset;
  }

  void quote(std::size_t i) {
    if (i < skip_) return;
    if (!rows_.inside) {
      rows_.inside = opens(i);
    } else if (i + 1 < layout_.text.size() && *at(i + 1) == '"') {
      skip_ = i + 2;
    } else {
      rows_.inside = false;
    }
  }

  // A quote opens a cell if only blanks stand between it and the cell's beginning; elsewhere it is text.
  bool opens(std::size_t i) const {
    while (i > data_ && layout_.dialect.blank(*at(i - 1))) --i;
    return i == data_ || *at(i - 1) == layout_.dialect.delimiter || *at(i - 1) == layout_.dialect.end;
  }

  const Layout& layout_;
  std::size_t data_;
  Rows rows_;
  std::size_t skip_ = 0;  // the second of two doubled quotes is passed over
};

Survey survey(const Layout& layout, std::size_t data, const Chunk& chunk) {
  Survey out;
  Walker outside(layout, data, chunk, false), inside(layout, data, chunk, true);
  for (std::size_t at = chunk.begin; at < chunk.end; at += Block::kSize) {
    const Block block(layout.text.data() + at, std::min(Block::kSize, chunk.end - at));
    const std::uint64_t ends = block.equal(layout.dialect.end), quotes = block.equal('"');
    for (std::uint64_t e = ends; e != 0; e &= e - 1) ++out.lines;
    outside.block(at, ends, quotes);
    inside.block(at, ends, quotes);
    out.ascii &= block.high() == 0;
    if (const std::uint64_t zero = block.equal('\0'); zero != 0 && out.zero == kNone)
      out.zero = at + std::countr_zero(zero);
  }
  out.rows = {outside.rows(), inside.rows()};
  return out;
}

// Cuts never follow a quote, so that a doubled quote is never cut in two and the state at a cut is one bit.
std::vector<Chunk> cut(std::string_view text, std::size_t begin, std::size_t size) {
  std::vector<Chunk> out;
  while (begin < text.size()) {
    std::size_t end = text.size() - begin <= size ? text.size() : begin + size;
    while (end < text.size() && text[end - 1] == '"') ++end;
    out.push_back({.begin = begin, .end = end});
    begin = end;
  }
  return out;
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The offset of the first byte from `at` to `end` that starts no valid UTF-8 sequence.
std::size_t first_invalid(std::string_view text, std::size_t at, std::size_t end) {
  while (at < end) {
    std::size_t length = 1;
    while (length <= 4 && !valid_utf8(text.substr(at, length))) ++length;
    if (length > 4) return at;
    at += length;
  }
  return kNone;
}

// A sequence that a cut runs through is read whole by both chunks: in valid text the three bytes before a cut show
// where it starts.
std::size_t first_invalid(std::string_view text, const Chunk& chunk) {
  std::size_t begin = chunk.begin, end = chunk.end;
  for (int i = 0; i < 3 && begin > 0 && continues(text[begin]); ++i) --begin;
  if (continues(text[begin])) begin = chunk.begin;
  for (int i = 0; i < 3 && end < text.size() && continues(text[end]); ++i) ++end;
  if (valid_utf8(text.substr(begin, end - begin))) return kNone;
  return first_invalid(text, begin, chunk.end);
}

struct Spots {
  std::size_t zero = kNone, invalid = kNone;
};

Spots first_spots(const Layout& layout, const std::vector<Survey>& surveys) {
  Spots out;
  for (const Survey& s : surveys) out.zero = std::min(out.zero, s.zero);
  std::vector<std::size_t> invalid(surveys.size(), kNone);
  parallel_for(surveys.size(), 1, [&](std::size_t i, std::size_t) {
    if (!surveys[i].ascii) invalid[i] = first_invalid(layout.text, layout.chunks[i]);
  });
  for (const std::size_t at : invalid) out.invalid = std::min(out.invalid, at);
  return out;
}

void number_rows(Layout& layout, std::size_t data, const std::vector<Survey>& surveys) {
  bool inside = false;
  const auto before = layout.text.substr(0, data);
  auto line = static_cast<std::uint64_t>(std::ranges::count(before, layout.dialect.end)) + 1;
  for (std::size_t i = 0; i < surveys.size(); ++i) {
    Chunk& chunk = layout.chunks[i];
    const Rows& rows = surveys[i].rows[inside];
    chunk.first = rows.first;
    chunk.rows = rows.count;
    chunk.first_row = layout.rows;
    chunk.first_line = line;
    layout.rows += rows.count;
    line += surveys[i].lines;
    inside = rows.inside;
  }
}

}  // namespace

std::uint64_t Layout::line_of(std::size_t offset) const {
  const auto after = std::ranges::upper_bound(chunks, offset, {}, &Chunk::begin);
  const bool early = after == chunks.begin();  // in the header
  const std::size_t from = early ? 0 : after[-1].begin;
  return (early ? 1 : after[-1].first_line) +
         static_cast<std::uint64_t>(std::ranges::count(text.substr(from, offset - from), dialect.end));
}

const char* Layout::next_record(const char* at) const {
  const char* end = text.data() + text.size();
  for (bool last = false; !last;) {
    const Cell cell = next_cell(at, end, dialect);
    if (cell.fault != CellFault::None) return end;
    at = cell.next;
    last = cell.last;
  }
  return blank_rows ? at : skip_blank_lines(at, end, dialect);
}

std::size_t Layout::start_of(std::uint64_t row) const {
  const auto chunk = std::ranges::upper_bound(chunks, row, {}, [](const Chunk& c) { return c.first_row + c.rows; });
  const char* at = text.data() + chunk->first;
  for (std::uint64_t i = chunk->first_row; i < row; ++i) at = next_record(at);
  return static_cast<std::size_t>(at - text.data());
}

std::uint64_t Layout::row_of(std::size_t offset) const {
  const Chunk* chunk = nullptr;
  for (const Chunk& c : chunks)
    if (c.rows > 0 && c.first <= offset) chunk = &c;
  std::uint64_t row = chunk == nullptr ? 0 : chunk->first_row;
  if (chunk == nullptr) return 0;
  for (const char* at = next_record(text.data() + chunk->first); at <= text.data() + offset; at = next_record(at))
    ++row;
  return row;
}

void Layout::leave(const Chunk& chunk) const {
  if (mapped) give_back(text.substr(chunk.begin, chunk.end - chunk.begin));
}

Result<Layout> lay_out(Layout layout, std::size_t begin, std::size_t chunk, const std::string& source, Meter& meter) {
  layout.chunks = cut(layout.text, begin, chunk);
  std::vector<Survey> surveys(layout.chunks.size());
  parallel_for(surveys.size(), 1, [&](std::size_t i, std::size_t) {
    if (meter.stopped()) return;
    surveys[i] = survey(layout, begin, layout.chunks[i]);
    layout.leave(layout.chunks[i]);
  });
  if (meter.stopped()) return interrupted(source);
  number_rows(layout, begin, surveys);
  const Spots spots = first_spots(layout, surveys);
  if (spots.zero < spots.invalid)
    return bad_data(fmt::format("{}:{}: a NUL byte, which no text has", source, layout.line_of(spots.zero)),
                    "take it out, or export the table again as text");
  if (spots.invalid != kNone)
    return bad_data(fmt::format("{}:{}: '{}' is not valid UTF-8", source, layout.line_of(spots.invalid),
                                printable(layout.text.substr(spots.invalid, 1))),
                    utf8_cure(source));
  if (layout.rows > kMaxRows)
    return bad_data(fmt::format("{} has {}, more than {}", source, plural(layout.rows, "row"), with_commas(kMaxRows)),
                    "split it");
  return layout;
}

}  // namespace wald
