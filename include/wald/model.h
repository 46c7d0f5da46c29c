// A model: what it expects of a table, what it learned, how scores become predictions, where it came from.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "wald/calibration.h"
#include "wald/forest.h"
#include "wald/link.h"
#include "wald/preparation.h"
#include "wald/result.h"
#include "wald/table.h"

namespace wald {

struct Schema {
  std::vector<Field> columns;                  // in the order the body numbers them
  Field target;                                // for classes: type Category, the levels are the classes
  std::vector<std::string> missing;            // words that meant missing in the training file, besides the usual ones
  std::vector<std::string> more_targets = {};  // of a model of several numbers: those after the first
  std::vector<double> quantiles = {};          // of a model of several quantiles of its target: these, ascending
  bool operator==(const Schema&) const = default;
  bool classifies() const { return target.type == ColumnType::Category; }
  std::vector<std::string> target_names() const {
    std::vector<std::string> out{target.name};
    out.insert(out.end(), more_targets.begin(), more_targets.end());
    return out;
  }
  bool several() const { return !more_targets.empty() || !quantiles.empty(); }  // numbers a row
  std::vector<std::string> output_names() const;  // of several numbers: the targets, or "q0.1", "q0.5" ...
};

// Nothing here depends on when, where or by how many threads the model was made.
struct Provenance {
  std::string version;  // of Wald
  std::string learner;
  std::map<std::string, std::string> options;  // every option with the value used
  std::uint64_t seed = 1;
  std::uint64_t rows = 0;   // trained on
  std::string fingerprint;  // of the training task, 32 hexadecimal digits
  bool operator==(const Provenance&) const = default;
};

// How a learner that goes by rounds got on. Empty for the others.
struct LearningCurve {
  std::string measure;              // "log_loss"
  std::vector<double> train, held;  // after each round; held: on rows held out, as many or none
  std::uint32_t best = 0;           // rounds that were kept
  // Of AdaBoost: the weighted error of each round's tree, and the share of the training rows that all trees so far get
  // wrong. As many as rounds, or none.
  std::vector<double> tree_error = {}, training_error = {};
  bool operator==(const LearningCurve&) const = default;
};

struct Model {
  Schema schema;
  std::variant<Forest> body;
  Link link = Link::Identity;
  Provenance made;
  LearningCurve curve = {};
  // Two classes: the second is predicted where its probability is above this; absent, where it is the greater one.
  std::optional<double> threshold = {};
  // What training found out about the model: "oob_accuracy" on rows out of bag, "oob_expected_accuracy" of all trees
  // together, "training_bound" of AdaBoost, "training_min_split" that a forest chose.
  std::map<std::string, double> found = {};
  Preparation preparation = {};  // what makes the columns of the schema; empty = the table has them
  Calibration calibration = {};  // of probabilities, before the threshold
  bool operator==(const Model&) const = default;

  const Forest& forest() const { return std::get<Forest>(body); }
};

// What a table must have: the schema before any preparation.
Schema input_schema(const Model&);
const std::vector<Field>& input_columns(const Model&);  // its columns

// Atomic and durable: a temporary file in the same folder is written, synced, then renamed.
enum class Overwrite { Refuse, Allow };
Status save(const Model&, const std::string& path, Overwrite = Overwrite::Refuse);
std::string to_bytes(const Model&);  // the file's content

// Checks every byte before use; a file that is not whole and sane is refused. The arrays stay in the mapped file.
Result<Model> load(const std::string& path);
Result<Model> from_bytes(std::span<const std::byte>, const std::string& source);

// A short hash of the training data: the same for the same columns, rows, target and weights in the same order.
struct Task;
std::string fingerprint(const Task&);
std::string fingerprint(const Model&);  // of the file's content
// Those of all tables that the model has learned from, its own last: a model that went on from another has several.
std::vector<std::string> learned_from(const Provenance&);
inline constexpr const char* kContinued = "continue";  // option that holds the earlier ones, separated by commas

}  // namespace wald
