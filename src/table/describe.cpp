// What the CSV reader says to people: errors that name place, value and cure, and notes of what it inferred.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "table/finish.h"
#include "table/notes.h"
#include "table/number.h"

namespace wald {
namespace {

std::string column_at(const std::vector<std::string>& names, std::size_t column) {
  return column < names.size() ? fmt::format("column {} {}", column + 1, quoted_name(names[column]))
                               : fmt::format("field {}", column + 1);
}

// " (a quote opens at line 1041 and closes at line 1042)", or nothing.
std::string long_quote(const Fault& fault, const Layout& layout) {
  if (fault.quote_end == 0) return "";
  return fmt::format(" (a quoted cell runs from line {} to line {}: is its quote closed too late?)",
                     layout.line_of(fault.quote), layout.line_of(fault.quote_end));
}

std::string levels_in_short(const std::vector<std::string>& levels) {
  return fmt::format("the schema allows {}", listed(levels));
}

using Names = std::vector<std::string>;

void note_group(Names& notes, const Names& names, std::string_view one, std::string_view many) {
  if (names.size() == 1) notes.push_back(fmt::format("column {} {}", listed(names), one));
  if (names.size() > 1) notes.push_back(fmt::format("columns {} {}", listed(names), many));
}

}  // namespace

std::string Place::operator()(const Layout& layout, std::size_t offset) const {
  return count_rows ? fmt::format("{}: row {}", source, layout.row_of(offset) + 1)
                    : fmt::format("{}:{}", source, layout.line_of(offset));
}

Error describe(const Fault& fault, const Layout& layout, const Names& names, const Place& place) {
  const std::string where = place(layout, fault.record);
  const std::string column = column_at(names, fault.column);
  switch (fault.kind) {
    case Fault::Unclosed:
      return bad_data(fmt::format("{}: the quote that opens in {} is never closed", place(layout, fault.spot), column),
                      "close it with another \"; inside quotes a quote is written twice");
    case Fault::AfterQuote:
      return bad_data(fmt::format("{}: text follows the closing quote in {}{}", place(layout, fault.spot), column,
                                  long_quote(fault, layout)),
                      "inside quotes a quote is written twice: \"\"");
    case Fault::TooLong:
      return bad_data(fmt::format("{}: {} has a cell longer than the limit of {} bytes{}", where, column,
                                  with_commas(place.max_cell), long_quote(fault, layout)),
                      "shorten it, or leave the column out of the file");
    default:
      return bad_data(fmt::format("{}: {}, expected {}{}", where, plural(fault.fields, "field"), names.size(),
                                  long_quote(fault, layout)),
                      fault.fields > names.size() ? "put quotes around cells that hold the delimiter"
                                                  : "add the missing cells; an empty one is a missing value");
  }
}

Error describe(const Flaw& flaw, const Layout& layout, const std::string& name, const Declared* declared,
               const Place& place) {
  const std::string where = fmt::format("{}: column {}: ", place(layout, flaw.offset), quoted_name(name));
  const std::string value = printable(flaw.value);
  switch (flaw.kind) {
    case Flaw::TooLarge:
      return bad_data(where + fmt::format("{} is out of range", value), "write inf if infinity is meant");
    case Flaw::NotNumber:
      return bad_data(where + fmt::format("'{}' is not a number", value),
                      (layout.dialect.decimal == '.' && number_text(flaw.value, ',').number
                           ? "if the comma is a decimal sign, add --decimal comma; else correct it, "
                           : "correct it, ") +
                          fmt::format("or declare it missing (--na {})", na_words(flaw.value)));
    case Flaw::OutsideBounds: {
      const auto bound = [](const std::optional<double>& b) { return b ? exact_text(*b) : std::string("any"); };
      return bad_data(
          where + fmt::format("{} is outside the declared bounds", value),
          fmt::format("correct it, or the schema: min {}, max {}", bound(declared->lowest), bound(declared->highest)));
    }
    default: {
      const std::string meant = did_you_mean(flaw.value, declared->level);
      return bad_data(where + fmt::format("'{}' is not a declared level", value),
                      meant.empty() ? levels_in_short(declared->level) : meant);
    }
  }
}

void add_notes(const std::vector<Harvest>& harvest, const Layout& layout, const Names& names, const Place& place,
               Names& notes) {
  Names dates, codes, beyond;
  std::vector<std::size_t> mistyped;
  for (std::size_t c = 0; c < harvest.size(); ++c) {
    const Remark::Kind kind = harvest[c].remark.kind;
    if (kind == Remark::Dates) dates.push_back(names[c]);
    if (kind == Remark::Codes) codes.push_back(names[c]);
    if (kind == Remark::Beyond) beyond.push_back(names[c]);
    if (kind == Remark::Mistyped) mistyped.push_back(c);
  }
  note_group(notes, dates, "holds dates and is read as categories", "hold dates and are read as categories");
  note_group(notes, codes, "has numbers that begin with 0, like codes, and is read as categories",
             "have numbers that begin with 0, like codes, and are read as categories");
  note_group(notes, beyond, "has whole numbers beyond 2^53, too long to compute with, and is read as categories",
             "have whole numbers beyond 2^53, too long to compute with, and are read as categories");
  constexpr std::size_t shown = 3;
  for (std::size_t i = 0; i < std::min(shown, mistyped.size()); ++i) {
    const Remark& r = harvest[mistyped[i]].remark;
    const std::size_t at = layout.start_of(r.first_row);
    const std::string where =
        place.count_rows ? fmt::format("row {}", r.first_row + 1) : fmt::format("line {}", layout.line_of(at));
    notes.push_back(fmt::format(
        "column {}: {} of {} cells are not numbers ({}: '{}'), so it is read as categories; {}--na {} or a "
        "schema fixes it",
        quoted_name(names[mistyped[i]]), with_commas(r.words), with_commas(r.cells), where, printable(r.first_word),
        layout.dialect.decimal == '.' && number_text(r.first_word, ',').number ? "--decimal comma, " : "",
        na_words(r.first_word)));
  }
  if (mistyped.size() > shown)
    notes.push_back(fmt::format("{} more with a few cells that are not numbers are read as categories",
                                plural(mistyped.size() - shown, "column")));
}

}  // namespace wald
