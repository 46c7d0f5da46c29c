#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "core/parallel.h"
#include "core/text.h"
#include "wald/predict.h"

namespace wald::cli {
namespace {

constexpr std::size_t kBlockRows = 8192;

std::string header(const Model& model, const Predictions& p, bool raw) {
  std::string line = "prediction";
  if (model.schema.several()) {
    line.clear();
    for (const std::string& name : model.schema.output_names())
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
  const std::vector<double>& numbers = raw ? p.score : p.value;
  if (model.schema.several()) {
    const auto outputs = static_cast<std::size_t>(p.outputs);
    for (std::size_t k = 0; k < outputs; ++k) (out += k > 0 ? "," : "") += exact_text(numbers[row * outputs + k]);
    out += '\n';
    return;
  }
  out += classes ? labels[p.label[row]] : exact_text(p.value[row]);
  const std::size_t width = raw ? static_cast<std::size_t>(p.outputs) : classes ? labels.size() : 0;
  for (std::size_t k = 0; k < width; ++k) (out += ',') += exact_text(numbers[row * width + k]);
  out += '\n';
}

// Writes predictions block by block, as the data is read. The last block waits until the warnings about all of them
// have been told, so that they come first where there is only one.
class Writer {
 public:
  Writer(const Model& model, const Arguments& given, Terminal& terminal, const Run& run)
      : model_(model), given_(given), terminal_(terminal), run_(run), raw_(given.has("raw")) {
    for (const std::string& name : model.schema.target.level) labels_.push_back(csv_cell(name));
  }

  Status put(Predictions block) {
    rows_ += block.rows;
    add(unseen_, block.unseen);
    std::swap(waiting_, block);
    return block.rows > 0 ? write(block) : Status(Done{});
  }
  Status finish() {
    for (const std::string& warning : warnings()) terminal_.warn(warning);
    if (Status written = write(waiting_); !written) return written;
    return output_->finish();
  }
  bool reader_gone() const { return output_ && output_->reader_gone(); }

  std::uint64_t rows() const { return rows_; }
  std::vector<std::string> warnings() const { return warnings_of(model_, unseen_, rows_); }
  const Output& output() const { return *output_; }

 private:
  Status write(const Predictions& p) {
    std::string text;
    if (!output_) {
      auto opened = Output::open(given_, terminal_);
      if (!opened) return opened.error();
      output_.emplace(*std::move(opened));
      text = header(model_, p, raw_);
    }
    for (std::size_t row = 0; row < p.rows && !output_->reader_gone(); ++row) {
      append_row(model_, p, labels_, raw_, row, text);
      if (row % kBlockRows != kBlockRows - 1) continue;
      if (run_.stopped()) return interrupted_error();
      if (Status written = output_->write(text); !written) return written;
      text.clear();
    }
    return output_->write(text);
  }

  const Model& model_;
  const Arguments& given_;
  Terminal& terminal_;
  const Run& run_;
  const bool raw_;
  std::vector<std::string> labels_;
  std::optional<Output> output_;
  Predictions waiting_;
  std::vector<Unseen> unseen_;
  std::uint64_t rows_ = 0;
};

// One object a row, with the names of the CSV's columns.
nlohmann::ordered_json predictions_json(const Model& model, const Predictions& p, bool raw) {
  const std::vector<std::string>& classes = model.schema.target.level;
  const bool labels = model.schema.classifies();
  const std::vector<double>& numbers = raw ? p.score : p.value;
  const std::size_t width = raw ? static_cast<std::size_t>(p.outputs) : labels ? classes.size() : 0;
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (std::size_t row = 0; row < p.rows; ++row) {
    nlohmann::ordered_json line;
    if (model.schema.several()) {
      const std::vector<std::string> names = model.schema.output_names();
      for (std::size_t t = 0; t < names.size(); ++t) line["prediction_" + names[t]] = numbers[row * names.size() + t];
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

struct Seconds {
  Stopwatch total;
  double predict = 0, write = 0;
  nlohmann::ordered_json json() const {
    return {{"read", total.seconds() - predict - write}, {"predict", predict}, {"total", total.seconds()}};
  }
};

// One object, the predictions inside it.
Status print_as_json(const Predictor& predictor, const Arguments& given, const Run& run, Seconds& seconds,
                     Terminal& terminal) {
  const Result<Table> table = read_data_for(predictor.model(), given.operands[1], given, run, terminal);
  if (!table) return table.error();
  const Stopwatch predicting;
  terminal.doing = "predicting";
  const Result<Predictions> p = predictor.predict(*table, run);
  if (!p) return p.error();
  seconds.predict += predicting.seconds();
  if (run.stopped()) return interrupted_error();
  for (const std::string& warning : p->warnings) terminal.warn(warning);
  print_json({{"rows", p->rows},
              {"predictions", predictions_json(predictor.model(), *p, given.has("raw"))},
              {"seconds", seconds.json()},
              {"warnings", p->warnings}},
             terminal);
  return Done{};
}

}  // namespace

Status run_predict(const Arguments& given, Terminal& terminal) {
  Seconds seconds;
  const bool to_stdout = given.text("output", "-") == "-";
  const Result<Run> run = run_options(given, terminal);
  if (!run) return run.error();
  const Result<Model> model = load_model(given.operands[0], terminal);
  if (!model) return model.error();
  if (!to_stdout)
    if (Status possible = check_output(given.text("output"), given); !possible) return possible;
  const Stopwatch laying_out;
  std::optional<Predictor> predictor;
  with_threads(run->threads, [&] { predictor.emplace(*model); });
  seconds.predict += laying_out.seconds();
  if (terminal.json && to_stdout) return print_as_json(*predictor, given, *run, seconds, terminal);

  Writer writer(*model, given, terminal, *run);
  const Status read =
      read_blocks_for(*model, given.operands[1], given, *run, terminal, [&](const Table& table) -> Status {
        if (writer.reader_gone()) return Done{};
        const Stopwatch predicting;
        terminal.doing = "predicting";
        Result<Predictions> p = predictor->predict(table, *run);
        if (!p) return p.error();
        seconds.predict += predicting.seconds();
        if (run->stopped()) return interrupted_error();
        const Stopwatch writing;
        const Status put = writer.put(*std::move(p));
        seconds.write += writing.seconds();
        return put;
      });
  if (!read) return read;
  if (Status finished = writer.finish(); !finished) return finished;
  if (terminal.json) {
    print_json({{"rows", writer.rows()},
                {"output", writer.output().path()},
                {"seconds", seconds.json()},
                {"warnings", writer.warnings()}},
               terminal);
  } else if (writer.output().to_file()) {
    terminal.print(
        fmt::format("wrote {} with {}\n", printable(writer.output().path(), 200), plural(writer.rows(), "prediction")));
  }
  const double total = seconds.total.seconds();
  terminal.detail(fmt::format("read {}, predict {}, total {}", seconds_text(total - seconds.predict - seconds.write),
                              seconds_text(seconds.predict), seconds_text(total)));
  return Done{};
}

}  // namespace wald::cli
