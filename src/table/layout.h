// Where the rows of a delimited text are, found in parallel. The text is cut into chunks wherever it happens to be
// cut; a chunk cannot know whether it begins inside quotes, so it is walked under both assumptions, and a short pass
// over the chunks in order then picks the true one.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "table/cell.h"
#include "table/meter.h"
#include "wald/result.h"

namespace wald {

struct Chunk {
  std::size_t begin = 0, end = 0;  // offsets; the chunk owns the rows after record ends in begin .. end - 1
  std::size_t first = 0;           // offset of its first row
  std::uint64_t rows = 0;
  std::uint64_t first_row = 0;   // counted from 0
  std::uint64_t first_line = 0;  // number, from 1, of the line `begin` is in
};

struct Layout {
  std::string_view text;
  Dialect dialect;
  bool blank_rows = false;  // a blank line is a row: so in a table of one column
  bool mapped = false;      // the text is a mapped file
  std::vector<Chunk> chunks;
  std::uint64_t rows = 0;

  std::uint64_t line_of(std::size_t offset) const;  // from 1
  std::size_t start_of(std::uint64_t row) const;    // offset
  std::uint64_t row_of(std::size_t offset) const;   // from 0
  void leave(const Chunk&) const;                   // its text is not needed for a while

 private:
  const char* next_record(const char* at) const;
};

// Finds the chunks, of about so many bytes, and rows of layout.text from `begin`, which must be the start of a record.
// Refuses NUL bytes and invalid UTF-8.
Result<Layout> lay_out(Layout layout, std::size_t begin, std::size_t chunk, const std::string& source, Meter&);

}  // namespace wald
