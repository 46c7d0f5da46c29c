#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "wald/predict.h"

namespace wald::cli {
namespace {

constexpr std::size_t kBlockRows = 8192;

std::string header(const Model& model, const Predictions& p, bool raw) {
  std::string line = "prediction";
  if (!model.schema.more_targets.empty()) {
    line.clear();
    for (const std::string& name : model.schema.target_names())
      line += (line.empty() ? "" : ",") + csv_cell("prediction_" + name);
    return line + "\n";
  }
  const std::vector<std::string>& classes = model.schema.target.level;
  if (raw && p.outputs == 1) line += ",score";
  else if (raw || model.schema.classifies())
    for (const std::string& name : classes) line += "," + csv_cell((raw ? "score_" : "p_") + name);
  return line + "\n";
}

// Appends one row: the prediction, then scores or probabilities in shortest exact text.
void append_row(const Model& model, const Predictions& p, const std::vector<std::string>& labels, bool raw,
                std::size_t row, std::string& out) {
  const bool classes = model.schema.classifies();
  if (!model.schema.more_targets.empty()) {
    const auto targets = static_cast<std::size_t>(p.outputs);
    for (std::size_t t = 0; t < targets; ++t) (out += t > 0 ? "," : "") += exact_text(p.value[row * targets + t]);
    out += '\n';
    return;
  }
  out += classes ? labels[p.label[row]] : exact_text(p.value[row]);
  const std::vector<double>& numbers = raw ? p.score : p.value;
  const std::size_t width = raw ? static_cast<std::size_t>(p.outputs) : classes ? labels.size() : 0;
  for (std::size_t k = 0; k < width; ++k) (out += ',') += exact_text(numbers[row * width + k]);
  out += '\n';
}

Status write_rows(const Model& model, const Predictions& p, bool raw, const Run& run, Output& output) {
  std::vector<std::string> labels;
  for (const std::string& name : model.schema.target.level) labels.push_back(csv_cell(name));
  std::string block = header(model, p, raw);
  for (std::size_t row = 0; row < p.rows && !output.reader_gone(); ++row) {
    append_row(model, p, labels, raw, row, block);
    if (row % kBlockRows != kBlockRows - 1) continue;
    if (run.stopped()) return interrupted_error();
    if (Status written = output.write(block); !written) return written;
    block.clear();
  }
  if (Status written = output.write(block); !written) return written;
  return output.finish();
}

// One object a row, with the names of the CSV's columns.
nlohmann::ordered_json predictions_json(const Model& model, const Predictions& p, bool raw) {
  const std::vector<std::string>& classes = model.schema.target.level;
  const bool labels = model.schema.classifies();
  const std::vector<double>& numbers = raw ? p.score : p.value;
  const std::size_t width = raw ? static_cast<std::size_t>(p.outputs) : labels ? classes.size() : 0;
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (std::size_t row = 0; row < p.rows; ++row) {
    nlohmann::ordered_json line;
    if (!model.schema.more_targets.empty()) {
      const std::vector<std::string> names = model.schema.target_names();
      for (std::size_t t = 0; t < names.size(); ++t) line["prediction_" + names[t]] = p.value[row * names.size() + t];
      out.push_back(std::move(line));
      continue;
    }
    if (labels) line["prediction"] = classes[p.label[row]];
    else line["prediction"] = p.value[row];
    for (std::size_t k = 0; k < width; ++k)
      line[classes.empty() || (raw && width == 1) ? "score" : (raw ? "score_" : "p_") + classes[k]] =
          numbers[row * width + k];
    out.push_back(std::move(line));
  }
  return out;
}

}  // namespace

Status run_predict(const Arguments& given, Terminal& terminal) {
  const Stopwatch total;
  const bool to_stdout = given.text("output", "-") == "-";
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  const Result<Model> model = load_model(given.operands[0], terminal);
  if (!model) return model.error();
  if (!to_stdout)
    if (Status possible = check_output(given.text("output"), given); !possible) return possible;

  const Stopwatch reading;
  const Result<Table> table = read_data_for(*model, given.operands[1], given, *run, terminal);
  if (!table) return table.error();
  const double read_seconds = reading.seconds();
  const Stopwatch predicting;
  terminal.doing = "predicting";
  const Result<Predictions> predictions = predict(*model, *table, *run);
  if (!predictions) return predictions.error();
  const double predict_seconds = predicting.seconds();
  if (run->stopped()) return interrupted_error();
  for (const std::string& warning : predictions->warnings) terminal.warn(warning);

  const auto seconds = [&]() -> nlohmann::ordered_json {
    return {{"read", read_seconds}, {"predict", predict_seconds}, {"total", total.seconds()}};
  };
  if (terminal.json && to_stdout) {  // one object, the predictions inside it
    print_json({{"rows", predictions->rows},
                {"predictions", predictions_json(*model, *predictions, given.has("raw"))},
                {"seconds", seconds()},
                {"warnings", predictions->warnings}},
               terminal);
    return Done{};
  }
  Result<Output> output = Output::open(given, terminal);
  if (!output) return output.error();
  if (Status written = write_rows(*model, *predictions, given.has("raw"), *run, *output); !written) return written;
  if (terminal.json) {
    print_json({{"rows", predictions->rows},
                {"output", output->path()},
                {"seconds", seconds()},
                {"warnings", predictions->warnings}},
               terminal);
  } else if (output->to_file()) {
    terminal.print(
        fmt::format("wrote {} with {}\n", printable(output->path(), 200), plural(predictions->rows, "prediction")));
  }
  terminal.detail(fmt::format("read {}, predict {}, total {}", seconds_text(read_seconds),
                              seconds_text(predict_seconds), seconds_text(total.seconds())));
  return Done{};
}

}  // namespace wald::cli
