// A table: named columns of numbers or categories, all of one length, with missing cells first class.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wald/result.h"
#include "wald/run.h"

namespace wald {

using Row = std::uint32_t;
inline constexpr std::uint64_t kMaxRows = 0xFFFF'FFFEu;
inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Numbers that lie elsewhere and are read in place: a column of a matrix that somebody else holds, or some of its rows.
struct Lent {
  std::shared_ptr<const void> owner;  // while it lives, so do they
  const std::byte* first = nullptr;   // of doubles, or of floats; NaN = missing
  std::ptrdiff_t step = 0;            // from one to the next, in bytes
  std::size_t size = 0;
  bool single = false;                           // they are floats
  std::shared_ptr<const std::vector<Row>> rows;  // where given, number i is that of rows[i]; `size` of them

  double operator[](std::size_t row) const;
};

// Numbers, each held exactly. A file's decimal numbers of up to nine digits are kept as whole numbers of
// 10^-decimals (four bytes a cell instead of eight; the quotient below is the correctly rounded double);
// everything else as doubles. Missing is kNone there and NaN here. Lent ones are for whoever fills tables from memory
// of its own: as nobody can keep that from being written to meanwhile, what computes reads each of them once.
class Numbers {
 public:
  static constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::min();
  static constexpr int kMaxDecimals = 18;  // 10^18 and smaller powers are exact doubles

  Numbers() = default;
  Numbers(std::vector<double> values) : data_(std::move(values)) {}
  Numbers(std::vector<std::int32_t> digits, int decimals);  // value = digits / 10^decimals
  Numbers(Lent lent) : data_(std::move(lent)) {}

  std::size_t size() const;
  double operator[](std::size_t row) const;  // NaN = missing
  bool is_plain() const { return data_.index() == 0; }
  bool is_decimal() const { return data_.index() == 1; }
  std::span<const double> doubles() const { return std::get<0>(data_); }       // of plain ones
  std::span<const std::int32_t> digits() const { return std::get<1>(data_); }  // of decimal ones
  const Lent* lent() const { return std::get_if<2>(&data_); }                  // nullptr = not lent
  int decimals() const { return decimals_; }
  void copy(std::size_t begin, std::size_t end, double* into) const;  // of rows begin .. end - 1
  std::vector<double> to_doubles() const;
  bool operator==(const Numbers& other) const;  // same values, however stored

 private:
  std::variant<std::vector<double>, std::vector<std::int32_t>, Lent> data_;
  int decimals_ = 0;
  double power_ = 1;  // 10^decimals
};

// Words. Levels are sorted by bytes, so that codes do not depend on the order of the rows.
struct Categories {
  std::vector<std::int32_t> code;  // -1 = missing
  std::vector<std::string> level;
  bool operator==(const Categories&) const = default;
};

enum class ColumnType { Number, Category };

struct Column {
  std::string name;
  std::variant<Numbers, Categories> data;

  ColumnType type() const { return data.index() == 0 ? ColumnType::Number : ColumnType::Category; }
  const Numbers& numbers() const { return std::get<0>(data); }
  const Categories& categories() const { return std::get<1>(data); }
  std::size_t size() const { return type() == ColumnType::Number ? numbers().size() : categories().code.size(); }
  bool operator==(const Column&) const = default;
};

struct Table {
  std::vector<Column> columns;
  Row rows = 0;
  std::string source;              // what messages call it: "claims.csv"
  std::vector<std::string> notes;  // what the reader inferred or left aside, for people
  std::uint64_t first_line = 0;    // of the first row in the file, where each row has a line of its own; 0 = unknown

  const Column* find(std::string_view name) const;  // nullptr = no such column
};

// What a schema file declares of one column. Anything absent is inferred.
struct Declared {
  std::string name;
  std::optional<ColumnType> type;
  bool ignore = false;  // leave the column out
  std::optional<double> lowest, highest;
  std::vector<std::string> level;  // the only levels allowed; empty = any
  bool observed = false;           // bounds and levels were read off the data, not declared by a person
  bool contributor = false;        // says whose a row is; never learned from, and read by private learners alone
  int max_rows = 0;                // of one contributor, that count; 0 = not said
  bool left_out() const { return ignore || contributor; }
  bool operator==(const Declared&) const = default;
};
struct Declarations {
  std::vector<Declared> columns;
  const Declared* find(std::string_view name) const;
  const Declared* contributor() const;  // nullptr = none is declared
  bool operator==(const Declarations&) const = default;
};

struct ReadOptions {
  char delimiter = 0;                // 0 = sniff among comma, semicolon, tab, bar
  char decimal = 0;                  // 0 = sniff; '.' or ','
  std::optional<bool> header;        // nothing = detect
  std::vector<std::string> missing;  // words that mean missing besides the usual ones
  Declarations declared;             // types and levels fixed beforehand (a schema file, or a model's schema)
  std::size_t max_cell = 1 << 20;    // bytes; a longer cell is an error
  std::size_t max_columns = 1'000'000;
};

// name: a path (.csv .tsv .txt .svm, each also .gz), "sqlite:FILE?table=T" or "sqlite:FILE?query=Q", or "-" for
// standard input.
Result<Table> read_table(const std::string& name, const ReadOptions& = {}, const Run& = {});
// The same from text in memory; source is what messages call it.
Result<Table> read_csv(std::string_view text, const std::string& source, const ReadOptions& = {}, const Run& = {});

Result<Declarations> read_declarations(const std::string& path);
std::string write_declarations(const Declarations&);  // the text of a schema file

}  // namespace wald
