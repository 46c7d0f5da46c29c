// From a model to the bytes of its file. The same model always gives the same bytes: fields are written in one order,
// options come sorted from their map, and padding is zero.
#include <fmt/format.h>

#include <cstddef>

#include "core/check.h"
#include "core/file.h"
#include "core/text.h"
#include "model/container.h"
#include "model/steps_codec.h"
#include "model/validate.h"
#include "model_generated.h"
#include "wald/model.h"

namespace wald {
namespace {

namespace fb = flatbuffers;
using Strings = fb::Offset<fb::Vector<fb::Offset<fb::String>>>;

static_assert(sizeof(file::Node) == sizeof(Node) && alignof(file::Node) == alignof(Node));
static_assert(sizeof(file::Surrogate) == sizeof(Surrogate) && alignof(file::Surrogate) == alignof(Surrogate));
static_assert(sizeof(file::Term) == sizeof(Term) && alignof(file::Term) == alignof(Term));
static_assert(static_cast<int>(file::Link::MAX) == static_cast<int>(Link::Ordered));

fb::Offset<file::Schema> put(fb::FlatBufferBuilder& into, const Schema& schema) {
  std::vector<std::string> names, levels;
  std::vector<file::ColumnType> types;
  std::vector<std::uint32_t> counts;
  const auto add = [&](const Field& field) {
    names.push_back(field.name);
    types.push_back(field.type == ColumnType::Number ? file::ColumnType::Number : file::ColumnType::Category);
    counts.push_back(static_cast<std::uint32_t>(field.level.size()));
    levels.insert(levels.end(), field.level.begin(), field.level.end());
  };
  for (const Field& field : schema.columns) add(field);
  add(schema.target);
  const Strings name_vector = into.CreateVectorOfStrings(names), level_vector = into.CreateVectorOfStrings(levels);
  const auto type_vector = into.CreateVector(types);
  const auto count_vector = into.CreateVector(counts);
  const Strings missing_vector = schema.missing.empty() ? Strings{} : into.CreateVectorOfStrings(schema.missing);
  const Strings more = schema.more_targets.empty() ? Strings{} : into.CreateVectorOfStrings(schema.more_targets);
  const auto quantiles =
      schema.quantiles.empty() ? fb::Offset<fb::Vector<double>>{} : into.CreateVector(schema.quantiles);
  return file::CreateSchema(into, name_vector, type_vector, count_vector, level_vector, missing_vector, more,
                            quantiles);
}

fb::Offset<file::Forest> put(fb::FlatBufferBuilder& into, const Forest& forest) {
  std::vector<std::uint32_t> counts;
  for (const auto& cuts : forest.cuts) counts.push_back(static_cast<std::uint32_t>(cuts.size()));
  const auto base = into.CreateVector(forest.base);
  const auto cut_counts = into.CreateVector(counts);
  fb::Offset<fb::Vector<std::uint64_t>> first;
  fb::Offset<fb::Vector<const file::Surrogate*>> surrogates;
  if (!forest.surrogate_first.empty())
    first = into.CreateVector(forest.surrogate_first.data(), forest.surrogate_first.size());
  if (!forest.surrogates.empty())
    surrogates = into.CreateVectorOfStructs(reinterpret_cast<const file::Surrogate*>(forest.surrogates.data()),
                                            forest.surrogates.size());
  return file::CreateForest(into, static_cast<std::uint32_t>(forest.outputs), base, cut_counts, forest.covered, first,
                            surrogates);
}

fb::Offset<file::Provenance> put(fb::FlatBufferBuilder& into, const Provenance& made) {
  std::vector<std::string> names, values;
  for (const auto& [name, value] : made.options) names.push_back(name), values.push_back(value);
  const auto version = into.CreateString(made.version), learner = into.CreateString(made.learner);
  const Strings name_vector = into.CreateVectorOfStrings(names), value_vector = into.CreateVectorOfStrings(values);
  const auto fingerprint = into.CreateString(made.fingerprint);
  return file::CreateProvenance(into, version, learner, name_vector, value_vector, made.seed, made.rows, fingerprint);
}

fb::Offset<file::LearningCurve> put(fb::FlatBufferBuilder& into, const LearningCurve& curve) {
  if (curve == LearningCurve{}) return 0;
  const auto measure = into.CreateString(curve.measure);
  const auto train = into.CreateVector(curve.train), held = into.CreateVector(curve.held);
  const auto where_any = [&](const std::vector<double>& values) {
    return values.empty() ? fb::Offset<fb::Vector<double>>{} : into.CreateVector(values);
  };
  const auto tree_error = where_any(curve.tree_error), training_error = where_any(curve.training_error);
  return file::CreateLearningCurve(into, measure, train, held, curve.best, tree_error, training_error);
}

std::vector<double> joined(const std::vector<std::vector<double>>& all) {
  std::vector<double> out;
  for (const auto& part : all) out.insert(out.end(), part.begin(), part.end());
  return out;
}

template <class T>
std::span<const std::byte> bytes_of(const T& array) {
  return std::as_bytes(std::span(array.data(), array.size()));
}

}  // namespace

std::string to_bytes(const Model& model) {
  const Forest& forest = model.forest();
  fb::FlatBufferBuilder head;
  const auto schema = put(head, model.schema);
  const auto body = put(head, forest);
  const auto made = put(head, model.made);
  const auto curve = put(head, model.curve);
  std::vector<std::string> found;
  std::vector<double> found_values;
  for (const auto& [name, value] : model.found) found.push_back(name), found_values.push_back(value);
  const Strings names = found.empty() ? Strings{} : head.CreateVectorOfStrings(found);
  const fb::Offset<fb::Vector<double>> values = found.empty() ? 0 : head.CreateVector(found_values);
  const fb::Offset<file::Preparation> preparation =
      model.preparation.empty()
          ? 0
          : put(head, model.preparation,
                put(head, Schema{.columns = model.preparation.columns, .target = model.schema.target, .missing = {}}));
  const auto calibration = put(head, model.calibration);
  head.Finish(file::CreateModel(head, schema, file::Body::Forest, body.Union(), static_cast<file::Link>(model.link),
                                made, curve, fb::Optional<double>(model.threshold), names, values, preparation,
                                calibration));
  const std::vector<double> cuts = joined(forest.cuts);
  const std::span head_bytes(head.GetBufferPointer(), head.GetSize());
  return pack({std::as_bytes(head_bytes), bytes_of(forest.first), bytes_of(forest.nodes), bytes_of(forest.values),
               bytes_of(forest.gain), bytes_of(forest.sets), bytes_of(cuts), bytes_of(forest.output),
               bytes_of(forest.term_first), bytes_of(forest.terms)});
}

Status save(const Model& model, const std::string& path, Overwrite overwrite) {
  // What could not be loaded again is not written.
  if (const std::string found = flaw(model); !found.empty())
    return failure(fmt::format("cannot save the model as {}: {}", printable(path, 300), found));
  return replace_file(path, to_bytes(model), overwrite == Overwrite::Allow);
}

}  // namespace wald
