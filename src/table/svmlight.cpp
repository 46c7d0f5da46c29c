#include "table/svmlight.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/text.h"
#include "table/cell.h"
#include "table/declare.h"
#include "table/meter.h"
#include "table/number.h"

namespace wald {
namespace {

struct Entry {
  std::size_t index;
  double value;
};

struct Line {
  double label = 0;
  double query = kMissing;
  std::vector<Entry> entries;
};

std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  std::size_t n = 0;
  while (n < text.size() && text[n] != ' ' && text[n] != '\t') ++n;
  const std::string_view word = text.substr(0, n);
  text.remove_prefix(n);
  return word;
}

class SvmReader {
 public:
  SvmReader(std::string_view text, const std::string& source, const ReadOptions& options, const Run& run)
      : text_(text), source_(printable(source, 300)), options_(options), meter_(run, text.size()) {}

  Result<Table> read(const std::string& source) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    if (trimmed(text_).empty()) return bad_data(source_ + " is empty", "give a file with at least one row");
    if (Status ok = each_line([&](const Line& line) { return measure(line); }); !ok) return ok.error();
    if (rows_ == 0) return bad_data(source_ + " has comments but no rows", "give a file with at least one row");
    widen_to_declared();
    if (Status ok = check_memory(); !ok) return ok.error();
    allocate();
    std::size_t row = 0;
    if (Status ok = each_line([&](const Line& line) { return fill(line, row++); }); !ok) return ok.error();
    return table(source);
  }

 private:
  template <class F>
  Status each_line(F use) {
    Line line;
    number_ = 0;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find_first_of("\n", at), text_.size());
      ++number_;
      if (number_ % 4096 == 0 && meter_.stopped()) return interrupted(source_);
      const std::string_view content =
          trimmed(text_.substr(at, end - at).substr(0, text_.substr(at, end - at).find('#')));
      at = end + 1;
      if (content.empty()) continue;
      if (Status ok = parse(content, line); !ok) return ok;
      if (Status ok = use(line); !ok) return ok;
    }
    return Done{};
  }

  Error wrong(std::string_view what, std::string_view word) const {
    return bad_data(fmt::format("{}:{}: '{}' {}", source_, number_, printable(word), what),
                    "a line is: label index:value index:value ... # comment");
  }

  // A number, or NaN where the file writes nan.
  Status number(std::string_view word, std::string_view whole, double& out) const {
    const NumberText n = number_text(word, '.');
    if (!n.number && word != "nan" && word != "NaN") return wrong("is not a number", whole);
    out = n.number ? number_value(word, n, '.') : kMissing;
    if (std::isinf(out) && !says_infinite(word)) return wrong("is out of range", whole);
    return Done{};
  }

  Status parse(std::string_view content, Line& line) const {
    line.entries.clear();
    line.query = kMissing;
    const std::string_view label = take_word(content);
    if (Status ok = number(label, label, line.label); !ok) return ok;
    while (!(content = trimmed(content)).empty()) {
      const std::string_view word = take_word(content);
      const std::size_t colon = word.find(':');
      if (colon == std::string_view::npos) return wrong("is not index:value", word);
      const std::string_view key = word.substr(0, colon);
      double value = 0;
      if (Status ok = number(word.substr(colon + 1), word, value); !ok) return ok;
      if (key == "qid") {
        line.query = value;
        continue;
      }
      std::size_t index = 0;
      const auto [end, code] = std::from_chars(key.data(), key.data() + key.size(), index);
      if (code == std::errc::invalid_argument || end != key.data() + key.size())
        return wrong("does not begin with a whole number", word);
      if (code != std::errc{} || index > options_.max_columns)
        return wrong(fmt::format("is beyond the limit of {} columns", with_commas(options_.max_columns)), word);
      line.entries.push_back({index, value});
    }
    return Done{};
  }

  Status measure(const Line& line) {
    if (++rows_ > kMaxRows) return bad_data(source_ + " has too many rows", "split it");
    queries_ |= !std::isnan(line.query);
    for (const Entry& e : line.entries) {
      first_ = std::min(first_, e.index);
      last_ = std::max(last_, e.index);
    }
    return Done{};
  }

  // An index that stands nowhere in the file is 0 in every row, so a column that is declared (a model knows it) is
  // there even if no line names it.
  void widen_to_declared() {
    for (const Declared& declared : options_.declared.columns) {
      if (declared.name.size() < 2 || declared.name[0] != 'f') continue;
      const char *from = declared.name.data() + 1, *to = declared.name.data() + declared.name.size();
      std::size_t index = 0;
      const auto [end, code] = std::from_chars(from, to, index);
      if (code != std::errc{} || end != to || index > options_.max_columns) continue;
      first_ = std::min(first_, index);
      last_ = std::max(last_, index);
    }
  }

  // The table is dense: a sparse file of many columns may not fit.
  Status check_memory() const {
    const double need = 8.0 * static_cast<double>(rows_) * static_cast<double>(last_ + 2);
    const double have = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
    if (need < have) return Done{};
    return bad_data(fmt::format("{}: {} x {} columns need {:.1f} GB, more than this machine's memory", source_,
                                plural(rows_, "row"), with_commas(last_), need / 1e9),
                    "Wald keeps every cell; leave out rare columns");
  }

  void allocate() {
    label_.resize(rows_);
    if (queries_) query_.resize(rows_);
    values_.assign(last_ >= first_ ? last_ - first_ + 1 : 0, std::vector<double>(rows_));
    row_of_.assign(values_.size(), 0);
  }

  Status fill(const Line& line, std::size_t row) {
    label_[row] = line.label;
    if (queries_) query_[row] = line.query;
    for (const Entry& e : line.entries) {
      const std::size_t column = e.index - first_;
      if (row_of_[column] == row + 1) return wrong("stands twice in its line", std::to_string(e.index));
      row_of_[column] = row + 1;
      values_[column][row] = e.value;
    }
    return Done{};
  }

  Result<Table> table(const std::string& source) {
    Table out{.rows = static_cast<Row>(rows_), .source = source};
    if (last_ >= first_ && first_ == 0) out.notes.push_back("indices begin at 0, so the first column is called 'f0'");
    out.columns.push_back({"target", Numbers(std::move(label_))});
    if (queries_) out.columns.push_back({"qid", Numbers(std::move(query_))});
    for (std::size_t i = 0; i < values_.size(); ++i)
      out.columns.push_back({fmt::format("f{}", first_ + i), Numbers(std::move(values_[i]))});
    return with_declarations(std::move(out), options_);
  }

  std::string_view text_;
  std::string source_;
  const ReadOptions& options_;
  Meter meter_;
  std::uint64_t number_ = 0, rows_ = 0;
  bool queries_ = false;
  std::size_t first_ = 1, last_ = 0;
  std::vector<double> label_, query_;
  std::vector<std::vector<double>> values_;
  std::vector<std::size_t> row_of_;  // by column: the last row, from 1, that named it
};

}  // namespace

bool looks_like_svmlight(std::string_view text) {
  bool pairs = false;
  for (int lines = 0; lines < 20 && !text.empty();) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    ++lines;
    if (!number_text(take_word(line), '.').number) return false;
    while (!trimmed(line).empty()) {
      const std::string_view word = take_word(line), index = word.substr(0, word.find(':'));
      const bool whole = std::ranges::all_of(index, [](char c) { return c >= '0' && c <= '9'; });
      if (index.empty() || index.size() == word.size() || (!whole && index != "qid")) return false;
      if (!number_text(word.substr(index.size() + 1), '.').number) return false;
      pairs = true;
    }
  }
  return pairs;
}

Result<Table> read_svmlight(std::string_view text, const std::string& source, const ReadOptions& options,
                            const Run& run) {
  return SvmReader(text, source, options, run).read(source);
}

}  // namespace wald
