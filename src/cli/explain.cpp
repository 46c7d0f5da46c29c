#include "cli/explain.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/outputs.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/text.h"

namespace wald::cli {
namespace {

std::string column_header(const Model& model) {
  std::string line;
  for (const Field& field : model.schema.columns) line += csv_cell(field.name) + ",";
  return line;
}

// One line a row (and class), or with interactions one line a row, class and column.
class Writer {
 public:
  Writer(const Model& model, const ExplainOptions& options, Output& output)
      : output_(output), interactions_(options.interactions), several_(options.outputs.size() > 1) {
    block_ = interactions_ ? "row," : "";
    block_ += several_ ? "class," : "";
    block_ += interactions_ ? "column," : "";
    block_ += column_header(model);
    if (interactions_) block_.pop_back();
    else block_ += "base,prediction";
    block_ += '\n';
    for (const Field& field : model.schema.columns) columns_.push_back(csv_cell(field.name));
    for (const std::size_t o : options.outputs) classes_.push_back(csv_cell(output_name(model, o)));
  }

  Status write(const Explained& e) {
    for (std::size_t row = 0; row < e.rows && !output_.reader_gone(); ++row)
      for (std::size_t o = 0; o < e.outputs.size(); ++o) {
        if (interactions_) pair_lines(e, row, o);
        else value_line(e, row, o);
        if (block_.size() < kBlock) continue;
        if (Status written = output_.write(block_); !written) return written;
        block_.clear();
      }
    return Done{};
  }

  Status finish() {
    if (Status written = output_.write(block_); !written) return written;
    return output_.finish();
  }

 private:
  static constexpr std::size_t kBlock = 1 << 20;

  void value_line(const Explained& e, std::size_t row, std::size_t o) {
    if (several_) block_ += classes_[o] + ",";
    for (const double v : e.values(row, o)) (block_ += exact_text(v)) += ',';
    (block_ += exact_text(e.base[o])) += ',';
    (block_ += exact_text(e.score[row * e.outputs.size() + o])) += '\n';
  }

  void pair_lines(const Explained& e, std::size_t row, std::size_t o) {
    const auto pairs = e.pairs(row, o);
    for (std::size_t c = 0; c < e.columns; ++c) {
      block_ += fmt::format("{},{}{}", e.first + row + 1, several_ ? classes_[o] + "," : "", columns_[c]);
      for (std::size_t j = 0; j < e.columns; ++j) (block_ += ',') += exact_text(pairs[c * e.columns + j]);
      block_ += '\n';
    }
  }

  Output& output_;
  bool interactions_, several_;
  std::string block_;
  std::vector<std::string> columns_, classes_;
};

Status explain_all(const Explaining& what, double read_seconds, const Stopwatch& total, const Arguments& given,
                   Terminal& terminal) {
  Result<Output> output = Output::open(given, terminal);
  if (!output) return output.error();
  Writer writer(what.model, what.options, *output);
  const Stopwatch explaining;
  std::vector<std::string> warnings;
  const Status done = explain_each(what.model, what.table, what.options, what.run, [&](const Explained& block) {
    warnings.insert(warnings.end(), block.warnings.begin(), block.warnings.end());
    return writer.write(block);
  });
  if (!done) return done;
  if (Status written = writer.finish(); !written) return written;
  const double seconds = explaining.seconds();
  for (const std::string& warning : warnings) terminal.warn(warning);
  if (terminal.json)
    print_json({{"rows", what.table.rows},
                {"columns", what.model.schema.columns.size()},
                {"output", output->path()},
                {"seconds", {{"read", read_seconds}, {"explain", seconds}, {"total", total.seconds()}}},
                {"warnings", warnings}},
               terminal);
  else if (output->to_file())
    terminal.print(fmt::format("wrote {} with the Shapley values of {}\n", printable(output->path(), 200),
                               plural(what.table.rows, "row")));
  terminal.detail(fmt::format("read {}, explain {}, total {}", seconds_text(read_seconds), seconds_text(seconds),
                              seconds_text(total.seconds())));
  return Done{};
}

Status check_forms(const Arguments& given, const Terminal& terminal) {
  const bool row = given.has("row"), picture = given.has("svg"), file = given.text("output", "-") != "-";
  if (given.has("interactions") && (row || picture))
    return usage("--interactions are written as a table only", "leave --row and --svg away");
  if (given.has("interactions") && given.has("background"))
    return usage("--interactions are computed without a background", "leave one of the two away");
  if (file && (row || picture)) return usage("-o is for the table of values", "leave it away with --row and --svg");
  if (given.has("plot") && !picture) return usage("--plot needs a file to draw into", "add --svg FILE");
  if (given.has("column") && given.text("plot") != "dependence")
    return usage("--column is for --plot dependence", "add --plot dependence, or leave --column away");
  if (terminal.json && !file && !row && !picture)
    return usage("with --json standard output is one JSON object, so the values need a file", "add -o FILE");
  return Done{};
}

}  // namespace

Status run_explain(const Arguments& given, Terminal& terminal) {
  const Stopwatch total;
  if (Status sound = check_forms(given, terminal); !sound) return sound;
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  const Result<Model> model = load_model(given.operands[0], terminal);
  if (!model) return model.error();
  const auto outputs = chosen_outputs(given, *model);
  if (!outputs) return outputs.error();
  for (const char* option : {"output", "svg"})
    if (given.text(option, "-") != "-")
      if (Status possible = check_replaceable(given.text(option), given.has("force")); !possible) return possible;

  const Stopwatch reading;
  const Result<Table> table = read_data_for(*model, given.operands[1], given, *run, terminal);
  if (!table) return table.error();
  ExplainOptions options{.interactions = given.has("interactions"), .outputs = *outputs};
  Table background;
  if (given.has("background")) {
    Result<Table> read = read_data_for(*model, given.text("background"), given, *run, terminal);
    if (!read) return read.error();
    background = *std::move(read);
    options.background = &background;
  }
  const double read_seconds = reading.seconds();
  terminal.doing = "explaining";
  const Explaining what{*model, *table, options, *run};
  if (!given.has("row") && !given.has("svg")) return explain_all(what, read_seconds, total, given, terminal);
  const auto row = given.whole("row", 1, 1, std::max<Row>(table->rows, 1));
  if (!row) return row.error();
  if (table->rows == 0) return bad_data(printable(given.operands[1], 200) + " has no rows", "give rows to explain");
  if (given.has("svg")) return explain_picture(what, given, terminal);
  return explain_row(what, static_cast<Row>(*row - 1), given, terminal);
}

}  // namespace wald::cli
