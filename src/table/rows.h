// Reading the rows of a text into columns: the inner loop of the CSV reader.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "table/dictionary.h"
#include "table/layout.h"
#include "table/number.h"

namespace wald {

// A column while it is being read.
struct Reading {
  Form form{Shape::Survey};
  bool maybe_code = true;            // nothing seen yet proves that whole numbers are quantities, not codes
  std::vector<std::int32_t> digits;  // Decimal: the digits; Text: the codes
  std::vector<double> doubles;       // Double
  std::size_t slot = 0;              // Text, Survey: which of a part's dictionaries or facts is its own
};

// A row that is no row of the table. A record has at most one fault, the first.
struct Fault {
  enum Kind : unsigned char { None, Ragged, Unclosed, AfterQuote, TooLong } kind = None;
  std::size_t record = 0;  // offset where the record begins
  std::size_t spot = 0;    // offset of the quote or cell at fault
  std::size_t column = 0;
  std::size_t fields = 0;
  std::size_t quote = 0, quote_end = 0;  // offsets of the first quoted cell of the record that holds a line end
};

// What reading one part of the rows leaves besides the cells.
struct Part {
  std::vector<Dictionary> words;
  std::vector<Facts> facts;
  Fault fault;
};

struct Pass {
  const Layout& layout;
  const MissingWords& missing;
  std::size_t max_cell;
  bool digits_alone;  // no number means missing, so the quick way through digits is right
  std::vector<Reading>& columns;
  std::vector<std::atomic<bool>>& failed;  // by column: its form does not hold some cell
  std::size_t words = 0, facts = 0;        // slots

  // Gives every column that needs one its slot and its memory.
  Pass(const Layout&, const MissingWords&, std::size_t max_cell, std::vector<Reading>&,
       std::vector<std::atomic<bool>>&);
};

// Reads `count` rows, the first of them at offset `at` and of number `row`; stops at a fault.
void read_rows(const Pass&, std::size_t at, std::uint64_t row, std::uint64_t count, Part&);

}  // namespace wald
