#include "cli/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/outputs.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "explain/plot.h"

namespace wald::cli {
namespace {

std::string column_header(const Model& model) {
  std::string line;
  for (const Field& field : input_columns(model)) line += csv_cell(field.name) + ",";
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
    for (const Field& field : input_columns(model)) columns_.push_back(csv_cell(field.name));
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

// Names that would head two columns of the table.
void warn_of_names(const Model& model, bool interactions, bool several, Terminal& terminal) {
  std::vector<std::string> ours =
      interactions ? std::vector<std::string>{"row", "column"} : std::vector<std::string>{"base", "prediction"};
  if (several) ours.emplace_back("class");
  for (const std::string& name : ours)
    if (std::ranges::count(input_columns(model), name, &Field::name) > 0)
      terminal.warn(
          fmt::format("two columns of the output are called '{}': the model's own keeps its place among the "
                      "model's columns",
                      name));
}

Status explain_all(const Explaining& what, const Arguments& given, Terminal& terminal) {
  Result<Output> output = Output::open(given, terminal);
  if (!output) return output.error();
  warn_of_names(what.model, what.options.interactions, what.options.outputs.size() > 1, terminal);
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
                {"columns", input_columns(what.model).size()},
                {"output", output->path()},
                {"seconds", seconds_json(what, seconds)},
                {"warnings", warnings}},
               terminal);
  else if (output->to_file())
    terminal.print(fmt::format("wrote {} with the {} values of {}\n", printable(output->path(), 200),
                               what.options.interactions ? "interaction" : "Shapley", plural(what.table.rows, "row")));
  terminal.detail(fmt::format("read {}, explain {}, total {}", seconds_text(what.read_seconds), seconds_text(seconds),
                              seconds_text(what.total.seconds())));
  return Done{};
}

Status check_forms(const Arguments& given, const Terminal& terminal) {
  const bool row = given.has("row"), picture = given.has("svg"), file = given.text("output", "-") != "-";
  if (given.has("interactions") && (row || picture))
    return usage("--interactions are written as a table only", "leave --row and --svg away");
  if (file && (row || picture)) return usage("-o is for the table of values", "leave it away with --row and --svg");
  if (given.has("plot") && !picture) return usage("--plot needs a file to draw into", "add --svg FILE");
  const std::string plot = given.text("plot", row ? "waterfall" : "beeswarm");
  if (picture && row && plot != "waterfall")
    return usage(fmt::format("--plot {} is of many rows, --row names one", plot), "leave one of them away");
  if (plot == "dependence" && !given.has("column"))
    return usage("which column --plot dependence is of is not said", "add --column NAME");
  if (given.has("column") && given.text("plot") != "dependence")
    return usage("--column is for --plot dependence", "add --plot dependence, or leave --column away");
  if (terminal.json && !file && !row && !picture)
    return usage("with --json standard output is one JSON object, so the values need a file", "add -o FILE");
  return Done{};
}

}  // namespace

nlohmann::ordered_json seconds_json(const Explaining& what, double explain) {
  return {{"read", what.read_seconds}, {"explain", explain}, {"total", what.total.seconds()}};
}

Status run_explain(const Arguments& given, Terminal& terminal) {
  const Stopwatch total;
  if (Status sound = check_forms(given, terminal); !sound) return sound;
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  const Result<Model> model = load_model(given.operands[0], terminal);
  if (!model) return model.error();
  const auto outputs = chosen_outputs(given, *model);
  if (!outputs) return outputs.error();
  if (Status possible = check_picture(given, terminal, true); !possible) return possible;
  if (given.text("output", "-") != "-")
    if (Status possible = check_output(given.text("output"), given); !possible) return possible;
  if (given.has("column"))
    if (const auto known = column_named(*model, given.text("column")); !known) return known.error();

  const Stopwatch reading;
  const Result<Table> table = read_data_for(*model, given.operands[1], given, *run, terminal);
  if (!table) return table.error();
  ExplainOptions options{.interactions = given.has("interactions"), .outputs = *outputs};
  const auto background = read_background(*model, given, *run, terminal);
  if (!background) return background.error();
  if (background->has_value()) options.background = &**background;
  terminal.doing = "explaining";
  const Explaining what{*model, *table, options, *run, reading.seconds(), total};
  if (!given.has("row") && !given.has("svg")) return explain_all(what, given, terminal);
  const auto row = given.whole("row", 1, 1, std::max<Row>(table->rows, 1));
  if (!row) return row.error();
  if (table->rows == 0) return bad_data(printable(given.operands[1], 200) + " has no rows", "give rows to explain");
  if (given.has("svg")) return explain_picture(what, given, terminal);
  return explain_row(what, static_cast<Row>(*row - 1), terminal);
}

}  // namespace wald::cli
