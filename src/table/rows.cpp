#include "table/rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/parallel.h"
#include "table/block.h"
#include "table/digits.h"
#include "wald/table.h"

namespace wald {
namespace {

constexpr auto kPowers = [] {
  std::array<std::int64_t, 19> p{1};
  for (std::size_t i = 1; i < p.size(); ++i) p[i] = p[i - 1] * 10;
  return p;
}();

// The largest mantissa that stays a 32-bit whole number when multiplied by a power of ten.
constexpr auto kMost = [] {
  std::array<std::int64_t, 19> most{};
  for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::numeric_limits<std::int32_t>::max() / kPowers[i];
  return most;
}();

// The number in units of 10^-decimals; Numbers::kNone if that is no 32-bit whole number.
std::int32_t scaled(const NumberText& n, int decimals) {
  if (n.decimals > decimals) return Numbers::kNone;
  const auto up = static_cast<std::size_t>(decimals - n.decimals);
  return std::abs(n.mantissa) > kMost[up] ? Numbers::kNone : static_cast<std::int32_t>(n.mantissa * kPowers[up]);
}

class Reader {
 public:
  Reader(const Pass& pass, Part& part)
      : pass_(pass),
        part_(part),
        text_(pass.layout.text),
        dialect_(pass.layout.dialect),
        marks_(text_.data() + text_.size(), dialect_.delimiter, dialect_.end) {
    if (text_.size() >= PlainDecimal::kReach) quick_limit_ = text_.data() + text_.size() - PlainDecimal::kReach;
    part.words.resize(pass.words);
    part.facts.resize(pass.facts);
    const bool quick = pass.digits_alone && pass.max_cell >= PlainDecimal::kReach;
    for (Reading& column : pass.columns) {
      const Shape shape = column.form.shape;
      const bool number = quick && (shape == Shape::Decimal || shape == Shape::Double);
      const bool last = targets_.size() + 1 == pass.columns.size();
      targets_.push_back({column.digits.data(), column.doubles.data(), number ? shape : Shape::Skip, column.maybe_code,
                          last ? dialect_.end : dialect_.delimiter, dialect_.decimal,
                          shape == Shape::Decimal ? column.form.decimals : -1});
    }
  }

  void read(std::size_t first, std::uint64_t row, std::uint64_t count) {
    if (count == 0) return;
    const char* at = text_.data() + first;
    const char* end = text_.data() + text_.size();
    marks_.seek(at);
    for (const std::uint64_t stop = row + count; row < stop; ++row) {
      if (!pass_.layout.blank_rows && at < end && *at <= ' ') {
        at = skip_blank_lines(at, end, dialect_);
        marks_.seek(at);
      }
      at = record(at, end, row);
      if (at == nullptr) return;
    }
  }

 private:
  // What the quick way needs of a column; Skip where it is no column of numbers.
  struct Target {
    std::int32_t* digits;
    double* doubles;
    Shape shape;
    bool maybe_code;
    char ends;  // what must stand behind its cells: the delimiter, or a record end
    char point;
    int decimals;  // -1 in a column of doubles
  };

  std::size_t offset(const char* at) const { return static_cast<std::size_t>(at - text_.data()); }

  // Where the next record begins; nullptr at a fault.
  const char* record(const char* at, const char* end, std::uint64_t row) {
    const std::size_t columns = targets_.size();
    const std::size_t begin = offset(at);
    for (std::size_t c = 0;; ++c) {
      const char* stop = quick_cells(at, c, row);
      if (stop == nullptr) return at;
      const bool last = stop == end || *stop == dialect_.end;
      const Cell cell = closer(at, stop, end, last);
      if (cell.fault != CellFault::None || cell.text.size() > pass_.max_cell) [[unlikely]]
        return fault(begin, c, cell);
      if (c < columns) put(c, row, cell);
      at = cell.next;
      if (!cell.last) continue;
      if (c + 1 == columns) return at;
      part_.fault = {.kind = Fault::Ragged, .record = begin, .column = c, .fields = c + 1};
      find_long_quote(begin);
      return nullptr;
    }
  }

  // Reads cells as long as they are plain numbers for columns of numbers, and moves `at` and `c` on. Gives the end of
  // the first cell that needs a closer look, nullptr when the record is complete.
  [[gnu::noinline]] const char* quick_cells(const char*& at, std::size_t& c, std::uint64_t row) {
    Marks marks = marks_;
    const char* here = at;
    const Target* target = targets_.data() + c;
    const Target* const end = targets_.data() + targets_.size();
    const char point = dialect_.decimal;
    const char* stop = marks.next();
    const char* const limit = quick_limit_;
    for (; target < end && here <= limit && *stop == target->ends; stop = marks.next()) {
      if (target->shape == Shape::Skip) break;
      const bool last = target + 1 == end;
      const char* cell_end = stop;
      if (last && stop > here && stop[-1] == '\r') --cell_end;
      const bool negative = *here == '-';
      const ShortDecimal n = short_decimal(here + negative, cell_end, point);
      const auto up = static_cast<unsigned>(target->decimals - n.decimals);  // huge in a column of doubles
      const bool code = target->maybe_code & !n.pointed & (here[negative] == '0') & (cell_end - here > 1 + negative);
      if (!n.fits || up > 18 || n.value > kMost[up] || code) [[unlikely]] {
        if (!quick_cell(*target, here, cell_end, row)) break;
      } else {
        const auto digits = static_cast<std::int32_t>(n.value * kPowers[up]);
        target->digits[row] = negative ? -digits : digits;
      }
      here = stop + 1;
      ++target;
      if (last) {
        stop = nullptr;
        break;
      }
    }
    marks_ = marks;
    at = here;
    c = static_cast<std::size_t>(target - targets_.data());
    return stop;
  }

  // The cell at `at`, where the next delimiter or record end is at `stop`.
  Cell closer(const char* at, const char* stop, const char* end, bool last) {
    if (at < stop && *at > '"' && !dialect_.blank(stop[-1]))
      return {
          .text = {at, static_cast<std::size_t>(stop - at)}, .last = last, .begin = at, .next = stop + (stop < end)};
    const Cell cell = next_cell(at, end, dialect_);
    if (cell.quoted && cell.fault == CellFault::None) marks_.seek(cell.next);
    return cell;
  }

  // Puts a plain decimal number that ends at `stop` into a column of numbers; false if the cell needs a closer look.
  [[gnu::noinline]] static bool quick_cell(const Target& target, const char* at, const char* stop, std::uint64_t row) {
    const PlainDecimal n = plain_decimal(at, target.point);
    if (n.end != stop) return target.shape == Shape::Double && long_number(target, at, stop, row);
    if (target.maybe_code && (n.leading_zero || std::abs(n.mantissa) >= std::int64_t{1} << 53)) return false;
    if (target.shape == Shape::Double) {
      target.doubles[row] = decimal_value(n.mantissa, n.decimals);
      return true;
    }
    const int up = target.decimals - n.decimals;
    if (up < 0 || std::abs(n.mantissa) > kMost[static_cast<std::size_t>(up)]) return false;
    target.digits[row] = static_cast<std::int32_t>(n.mantissa * kPowers[static_cast<std::size_t>(up)]);
    return true;
  }

  // A number with more digits, or with an exponent, for a column that is known to hold fractions.
  static bool long_number(const Target& target, const char* at, const char* stop, std::uint64_t row) {
    const char first = at[*at == '-'];  // keeps inf and nan away
    if (target.maybe_code || target.point != '.' || first < '0' || first > '9') return false;
    if (stop - at > PlainDecimal::kReach) return false;  // may be longer than a cell may be
    double value = 0;
    const auto [end, code] = std::from_chars(at, stop, value);
    if (end != stop || code != std::errc{}) return false;
    target.doubles[row] = value + 0.0;  // -0 becomes 0
    return true;
  }

  const char* fault(std::size_t begin, std::size_t column, const Cell& cell) {
    const Fault::Kind kind = cell.fault == CellFault::Unclosed     ? Fault::Unclosed
                             : cell.fault == CellFault::AfterQuote ? Fault::AfterQuote
                                                                   : Fault::TooLong;
    part_.fault = {.kind = kind, .record = begin, .spot = offset(cell.begin), .column = column};
    if (kind == Fault::AfterQuote) part_.fault.spot = offset(cell.next);
    if (kind != Fault::Unclosed) find_long_quote(begin);
    return nullptr;
  }

  // A quoted cell over several lines is the likely reason for a strange record: its quote may never have been closed.
  void find_long_quote(std::size_t begin) {
    const char* at = text_.data() + begin;
    const char* end = text_.data() + text_.size();
    for (;;) {
      const Cell cell = next_cell(at, end, dialect_);
      if (cell.quoted && cell.text.find(dialect_.end) != std::string_view::npos) {
        part_.fault.quote = offset(cell.begin);
        part_.fault.quote_end = part_.fault.quote + cell.text.size() + 1;
        return;
      }
      if (cell.last || cell.fault != CellFault::None) return;
      at = cell.next;
    }
  }

  void put(std::size_t c, std::uint64_t row, const Cell& cell) {
    Reading& column = pass_.columns[c];
    switch (column.form.shape) {
      case Shape::Skip:
        return;
      case Shape::Decimal:
        return put_decimal(c, column, row, cell);
      case Shape::Double:
        return put_double(c, column, row, cell);
      case Shape::Text:
        return put_text(column, row, cell);
      case Shape::Survey:
        if (!pass_.missing(cell))
          part_.facts[column.slot].add(trimmed(cell.text), dialect_.decimal, offset(cell.begin));
        return;
    }
  }

  void fail(std::size_t c) { pass_.failed[c].store(true, std::memory_order_relaxed); }

  void put_decimal(std::size_t c, Reading& column, std::uint64_t row, const Cell& cell) {
    if (pass_.missing(cell)) {
      column.digits[row] = Numbers::kNone;
      return;
    }
    const NumberText n = number_text(trimmed(cell.text), dialect_.decimal);
    const std::int32_t digits = n.compact ? scaled(n, column.form.decimals) : Numbers::kNone;
    column.digits[row] = digits;
    if (digits == Numbers::kNone || (n.leading_zero && column.maybe_code)) fail(c);
  }

  void put_double(std::size_t c, Reading& column, std::uint64_t row, const Cell& cell) {
    if (pass_.missing(cell)) {
      column.doubles[row] = kMissing;
      return;
    }
    const std::string_view text = trimmed(cell.text);
    const NumberText n = number_text(text, dialect_.decimal);
    if (!n.number) return fail(c);
    const double value = number_value(text, n, dialect_.decimal);
    column.doubles[row] = value;
    const bool too_large = std::isinf(value) && !says_infinite(text);
    // A text of 2^53 + 1 rounds to 2^53, so the comparison includes it.
    const bool code = n.leading_zero || (n.whole && std::fabs(value) >= 0x1p53);
    if (too_large || (code && column.maybe_code)) fail(c);
  }

  void put_text(Reading& column, std::uint64_t row, const Cell& cell) {
    column.digits[row] =
        pass_.missing(cell) ? -1 : part_.words[column.slot].code(cell_text(cell, buffer_), row, cell.doubled);
  }

  const Pass& pass_;
  Part& part_;
  std::vector<Target> targets_;
  const char* quick_limit_ = nullptr;  // the quick way reads ahead, so not from beyond here
  std::string_view text_;
  Dialect dialect_;
  Marks marks_;
  std::string buffer_;
};

}  // namespace

Pass::Pass(const Layout& l, const MissingWords& m, std::size_t cell, std::vector<Reading>& c,
           std::vector<std::atomic<bool>>& f)
    : layout(l), missing(m), max_cell(cell), digits_alone(!m.any_number()), columns(c), failed(f) {
  for (Reading& column : columns) {
    if (column.form.shape == Shape::Text) column.slot = words++;
    if (column.form.shape == Shape::Survey) column.slot = facts++;
  }
  // Memory is first touched here, so it is worth doing in parallel.
  parallel_for(columns.size(), 1, [&](std::size_t i, std::size_t) {
    Reading& column = columns[i];
    if (column.form.shape == Shape::Decimal || column.form.shape == Shape::Text) column.digits.resize(layout.rows);
    if (column.form.shape == Shape::Double) column.doubles.resize(layout.rows);
  });
}

void read_rows(const Pass& pass, std::size_t at, std::uint64_t row, std::uint64_t count, Part& part) {
  Reader(pass, part).read(at, row, count);
}

}  // namespace wald
