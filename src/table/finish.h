// From what was read to columns, and to the words about them: flaws that refuse the table, notes that come with it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "table/rows.h"
#include "wald/table.h"

namespace wald {

// How messages name a place in the source.
struct Place {
  std::string source;
  bool count_rows = false;   // by row, not by line
  std::size_t max_cell = 0;  // the limit that a message may have to name

  std::string operator()(const Layout&, std::size_t offset) const;  // "claims.csv:12" or "claims.db: row 11"
};

// A cell that refuses the table.
struct Flaw {
  enum Kind : unsigned char { TooLarge, NotNumber, OutsideBounds, UnknownLevel } kind;
  std::size_t offset = 0;  // of the cell, or of its record
  std::string value;
};

// A column of words that people may have meant otherwise.
struct Remark {
  enum Kind : unsigned char { None, Dates, Codes, Beyond, Mistyped } kind = None;
  std::uint64_t cells = 0, words = 0;  // not missing; of those no numbers
  std::uint64_t first_row = 0;         // of the first word that is no number
  std::string first_word;
};

struct Harvest {
  std::variant<Numbers, Categories> data;
  std::optional<Flaw> flaw;
  Remark remark;
};

Harvest harvest_numbers(const Layout&, Reading&, const Declared*);
Harvest harvest_words(const Layout&, const std::vector<Part>&, Reading&, const Declared*);
std::optional<Flaw> flaw_of(const Layout&, const Facts&, Shape, bool must_be_number);

Error describe(const Fault&, const Layout&, const std::vector<std::string>& names, const Place&);
Error describe(const Flaw&, const Layout&, const std::string& name, const Declared*, const Place&);
void add_notes(const std::vector<Harvest>&, const Layout&, const std::vector<std::string>& names, const Place&,
               std::vector<std::string>& notes);

}  // namespace wald
