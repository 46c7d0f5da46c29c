#include "table/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/check.h"
#include "core/parallel.h"
#include "core/text.h"
#include "table/finish.h"
#include "table/layout.h"
#include "table/notes.h"
#include "table/opening.h"
#include "table/rows.h"

namespace wald {
namespace {

// Large enough to hide what starting a chunk costs, small enough to share the work and, in a table of very many
// columns, to keep the chunks' dictionaries few.
std::size_t chosen_chunk(std::size_t bytes, std::size_t columns) {
  constexpr std::size_t least = 1 << 20, most_parts = 4'000'000;
  return std::max({least, bytes / 256, bytes / std::max<std::size_t>(1, most_parts / columns)});
}

class CsvReader {
 public:
  CsvReader(const std::string& source, const ReadOptions& options, const Run& run, const CsvTuning& tuning)
      : source_(source), options_(options), run_(run), tuning_(tuning), missing_(options.missing) {}

  Result<Table> read(std::string_view text) {
    std::optional<Meter> meter;
    if (Status found = find_rows(text, meter); !found) return found.error();
    declare();
    guess();
    return fill(*meter);
  }

  Status read_blocks(std::string_view text, std::size_t block_bytes, const std::function<Status(const Table&)>& sink) {
    std::optional<Meter> meter;
    if (Status found = find_rows(text, meter); !found) return found;
    const Layout whole = layout_;
    const Opening opening = opening_;
    for (std::size_t first = 0, last = 0; first < whole.chunks.size(); first = last) {
      while (last < whole.chunks.size() &&
             (last == first || whole.chunks[last].end - whole.chunks[first].begin <= block_bytes))
        ++last;
      layout_ = part_of(whole, first, last);
      if (layout_.rows == 0) continue;
      opening_ = opening;
      columns_.clear(), declared_.clear();
      declare();
      guess();
      const auto table = fill(*meter);
      if (!table) return table.error();
      if (Status taken = sink(*table); !taken) return taken;
    }
    return Done{};
  }

 private:
  // The rows of some chunks as a layout of their own.
  static Layout part_of(const Layout& whole, std::size_t first, std::size_t last) {
    Layout out = whole;
    out.chunks.assign(whole.chunks.begin() + static_cast<std::ptrdiff_t>(first),
                      whole.chunks.begin() + static_cast<std::ptrdiff_t>(last));
    out.rows = 0;
    for (Chunk& chunk : out.chunks) chunk.first_row = std::exchange(out.rows, out.rows + chunk.rows);
    return out;
  }

  Status find_rows(std::string_view text, std::optional<Meter>& meter) {
    auto opening = read_opening(text, printable(source_, 300), options_, missing_, tuning_.prefer_tab);
    if (!opening) return opening.error();
    opening_ = std::move(*opening);
    meter.emplace(run_, text.size() - opening_.data);
    const std::size_t chunk = tuning_.chunk != 0 ? tuning_.chunk : chosen_chunk(text.size(), opening_.names.size());
    auto layout = lay_out(
        {.text = text, .dialect = opening_.dialect, .blank_rows = opening_.names.size() == 1, .mapped = tuning_.mapped},
        opening_.data, chunk, printable(source_, 300), *meter);
    if (!layout) return layout.error();
    layout_ = std::move(*layout);
    if (layout_.rows == 0)
      return bad_data(fmt::format("{} has a header but no rows", printable(source_, 300)),
                      "give at least one row; if the first line is one, add --no-header");
    return Done{};
  }

  std::size_t columns() const { return opening_.names.size(); }

  void declare() {
    columns_.resize(columns());
    declared_.resize(columns(), nullptr);
    std::unordered_map<std::string_view, const Declared*> by_name;
    for (const Declared& d : options_.declared.columns) by_name.emplace(d.name, &d);
    if (by_name.empty()) return;
    for (std::size_t c = 0; c < columns(); ++c)
      if (const auto at = by_name.find(opening_.names[c]); at != by_name.end()) declared_[c] = at->second;
  }

  bool must_be_number(std::size_t c) const {
    return declared_[c] != nullptr && declared_[c]->type == ColumnType::Number;
  }

  // The form that facts of some or all cells ask for; Survey where some of the cells cannot tell.
  Form form_for(std::size_t c, const Facts& facts, bool all) const {
    const Declared* declared = declared_[c];
    if (declared != nullptr && declared->left_out()) return {Shape::Skip};
    if (declared != nullptr && declared->type == ColumnType::Category) return {Shape::Text};
    if (!all && facts.is_number() && facts.is_code() && !must_be_number(c)) return {Shape::Survey};
    if (!all && !facts.is_number() && must_be_number(c)) return {Shape::Survey};
    return form_of(facts, must_be_number(c));
  }

  // Guesses every column's form from rows all over the file.
  void guess() {
    constexpr std::size_t places = 64, rows = 1024, cells = 4'000'000;
    const std::size_t step = std::max<std::size_t>(1, layout_.chunks.size() / places);
    const std::size_t taken = (layout_.chunks.size() + step - 1) / step;
    const std::uint64_t each = std::max<std::uint64_t>(1, std::min(rows, cells / columns()) / taken);
    std::vector<std::atomic<bool>> failed(columns());
    const Pass pass(layout_, missing_, options_.max_cell, columns_, failed);
    std::vector<Facts> facts(columns());
    for (std::size_t i = 0; i < layout_.chunks.size(); i += step) {
      const Chunk& chunk = layout_.chunks[i];
      Part part;
      read_rows(pass, chunk.first, chunk.first_row, std::min(chunk.rows, each), part);
      for (std::size_t c = 0; c < columns(); ++c) facts[c].merge(part.facts[c]);
    }
    for (std::size_t c = 0; c < columns(); ++c) set_form(c, facts[c], false);
  }

  void set_form(std::size_t c, const Facts& facts, bool all) {
    columns_[c].form = form_for(c, facts, all);
    columns_[c].maybe_code = !all && !facts.fraction && !must_be_number(c);
  }

  // Reads every column that has a form to fill; the parts come in the order of the chunks.
  Result<std::vector<Part>> pass(std::vector<std::atomic<bool>>& failed, Meter& meter) {
    const Pass pass(layout_, missing_, options_.max_cell, columns_, failed);
    std::vector<Part> parts(layout_.chunks.size());
    parallel_for(parts.size(), 1, [&](std::size_t i, std::size_t) {
      const Chunk& chunk = layout_.chunks[i];
      if (meter.stopped()) return;
      read_rows(pass, chunk.first, chunk.first_row, chunk.rows, parts[i]);
      layout_.leave(chunk);
      meter.add(chunk.end - chunk.begin);
    });
    if (meter.stopped()) return interrupted(printable(source_, 300));
    for (const Part& part : parts)
      if (part.fault.kind != Fault::None) return describe(part.fault, layout_, opening_.names, place_of());
    return parts;
  }

  // Reads until every column is done: a guess that fails is followed by a survey of the whole column, and that by a
  // form which holds.
  Result<Table> fill(Meter& meter) {
    std::vector<Harvest> harvest(columns());
    for (bool more = true; more;) {
      std::vector<std::atomic<bool>> failed(columns());
      auto parts = pass(failed, meter);
      if (!parts) return parts.error();
      parallel_for(columns(), 1, [&](std::size_t c, std::size_t) { settle(c, *parts, failed[c], harvest[c]); });
      more = std::ranges::any_of(columns_, [](const Reading& r) { return r.form.shape != Shape::Skip; });
    }
    return assemble(std::move(harvest));
  }

  void settle(std::size_t c, const std::vector<Part>& parts, bool failed, Harvest& harvest) {
    Reading& column = columns_[c];
    const Shape shape = column.form.shape;
    if (shape == Shape::Skip) return;
    if (failed) {
      column = Reading{};
      return;
    }
    if (shape == Shape::Survey) {
      Facts facts;
      for (const Part& part : parts) facts.merge(part.facts[column.slot]);
      set_form(c, facts, true);
      harvest.flaw = flaw_of(layout_, facts, column.form.shape, must_be_number(c));
      if (harvest.flaw) column.form = {Shape::Skip};
      return;
    }
    if (shape == Shape::Text) harvest = harvest_words(layout_, parts, column, declared_[c]);
    else harvest = harvest_numbers(layout_, column, declared_[c]);
    column = Reading{.form = {Shape::Skip}};
  }

  Result<Table> assemble(std::vector<Harvest> harvest) {
    const Harvest* worst = nullptr;
    for (const Harvest& h : harvest)
      if (h.flaw && (worst == nullptr || h.flaw->offset < worst->flaw->offset)) worst = &h;
    if (worst != nullptr) {
      const auto c = static_cast<std::size_t>(worst - harvest.data());
      return describe(*worst->flaw, layout_, opening_.names[c], declared_[c], place_of());
    }
    Table table{.rows = static_cast<Row>(layout_.rows), .source = source_, .notes = std::move(opening_.notes)};
    table.first_line = first_line();
    add_notes(harvest, layout_, opening_.names, place_of(), table.notes);
    for (std::size_t c = 0; c < columns(); ++c)
      if (declared_[c] == nullptr || !declared_[c]->left_out())
        table.columns.push_back({std::move(opening_.names[c]), std::move(harvest[c].data)});
    return table;
  }

  // A quoted line end or a blank line makes the numbers of rows and lines drift apart.
  std::uint64_t first_line() const {
    if (tuning_.count_rows) return 0;
    const std::uint64_t first = layout_.line_of(layout_.start_of(0));
    return layout_.line_of(layout_.start_of(layout_.rows - 1)) - first + 1 == layout_.rows ? first : 0;
  }

  Place place_of() const { return {printable(source_, 300), tuning_.count_rows, options_.max_cell}; }

  const std::string& source_;
  const ReadOptions& options_;
  const Run& run_;
  const CsvTuning& tuning_;
  MissingWords missing_;
  Opening opening_;
  Layout layout_;
  std::vector<const Declared*> declared_;  // by column; nullptr = nothing declared
  std::vector<Reading> columns_;
};

}  // namespace

Result<Table> read_csv(std::string_view text, const std::string& source, const ReadOptions& options, const Run& run,
                       const CsvTuning& tuning) {
  std::optional<Result<Table>> out;
  with_threads(run.threads, [&] { out = CsvReader(source, options, run, tuning).read(text); });
  return *std::move(out);
}

Status read_csv_blocks(std::string_view text, const std::string& source, const ReadOptions& options, const Run& run,
                       const CsvTuning& tuning, std::size_t block_bytes,
                       const std::function<Status(const Table&)>& sink) {
  Status out = Done{};
  with_threads(run.threads,
               [&] { out = CsvReader(source, options, run, tuning).read_blocks(text, block_bytes, sink); });
  return out;
}

Result<Table> read_csv(std::string_view text, const std::string& source, const ReadOptions& options, const Run& run) {
  return read_csv(text, source, options, run, {});
}

}  // namespace wald
