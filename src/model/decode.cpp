// From bytes to a model. Nothing in a file is believed: the container's checks come first, then the FlatBuffers
// verifier, then the agreement of every count with every array, then the rules of validate.h.
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <new>

#include "core/file.h"
#include "core/text.h"
#include "model/container.h"
#include "model/flat.h"
#include "model/steps_codec.h"
#include "model/validate.h"
#include "model_generated.h"
#include "wald/model.h"

namespace wald {
namespace {

namespace fb = flatbuffers;
using Strings = fb::Vector<fb::Offset<fb::String>>;
using Counts = fb::Vector<std::uint32_t>;

constexpr std::size_t kForestSections = 10;  // the head and the nine arrays of model.fbs

Error newer(const std::string& source, std::string_view what) {
  return bad_model(fmt::format("{} needs a newer Wald: {}", printable(source, 300), what),
                   "install a newer Wald, or train the model again with this one");
}

// --- the head -------------------------------------------------------------------------------------------------------

const file::Model* verified(std::span<const std::byte> head) {
  if (head.size() < sizeof(fb::uoffset_t) || head.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) return nullptr;
  const auto* start = reinterpret_cast<const std::uint8_t*>(head.data());
  fb::Verifier verifier(start, head.size(), /*max_depth=*/4, /*max_tables=*/8);
  return file::VerifyModelBuffer(verifier) ? file::GetModel(start) : nullptr;
}

// Offsets may point to one long text many times over; a copy of each must still fit into the size of the head.
bool text_fits(const file::Model& model, std::size_t head) {
  const file::Schema& schema = *model.schema();
  const file::Provenance& made = *model.made();
  const std::size_t missing = schema.missing() == nullptr ? 0 : length_of(*schema.missing());
  const std::size_t found = model.found_names() == nullptr ? 0 : length_of(*model.found_names());
  const file::Schema* before = model.preparation() == nullptr ? nullptr : model.preparation()->columns();
  const std::size_t input = before == nullptr ? 0 : length_of(*before->names()) + length_of(*before->levels());
  return length_of(*schema.names()) + length_of(*schema.levels()) + missing + length_of(*made.option_names()) +
             length_of(*made.option_values()) + found + input + text_of(model.preparation()) <=
         head;
}

std::uint64_t sum_of(const Counts& counts) {
  std::uint64_t sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  return sum;
}

std::string schema_mismatch(const file::Schema& schema) {
  const auto names = schema.names()->size();
  if (names == 0) return "it names no target";
  if (schema.types()->size() != names || schema.level_counts()->size() != names)
    return fmt::format("it has {} names, {} types and {} counts of levels", names, schema.types()->size(),
                       schema.level_counts()->size());
  if (sum_of(*schema.level_counts()) != schema.levels()->size())
    return fmt::format("it lists {} levels and counts {}", schema.levels()->size(), sum_of(*schema.level_counts()));
  if (schema.quantiles() != nullptr && !aligned(*schema.quantiles())) return "its head is not well formed";
  for (const file::ColumnType type : *schema.types())
    if (type > file::ColumnType::MAX) return fmt::format("it has the unknown column type {}", static_cast<int>(type));
  return {};
}

Schema schema_of(const file::Schema& schema) {
  Schema out;
  out.columns.reserve(schema.names()->size() - 1);
  fb::uoffset_t level = 0;
  for (fb::uoffset_t c = 0; c < schema.names()->size(); ++c) {
    const bool number = schema.types()->Get(c) == file::ColumnType::Number;
    Field field{schema.names()->Get(c)->str(), number ? ColumnType::Number : ColumnType::Category, {}};
    field.level.reserve(schema.level_counts()->Get(c));
    for (fb::uoffset_t k = 0; k < schema.level_counts()->Get(c); ++k)
      field.level.push_back(schema.levels()->Get(level++)->str());
    if (c + 1 < schema.names()->size()) out.columns.push_back(std::move(field));
    else out.target = std::move(field);
  }
  if (schema.missing() != nullptr)
    for (const auto* word : *schema.missing()) out.missing.push_back(word->str());
  if (schema.more_targets() != nullptr)
    for (const auto* name : *schema.more_targets()) out.more_targets.push_back(name->str());
  if (schema.quantiles() != nullptr) out.quantiles.assign(schema.quantiles()->begin(), schema.quantiles()->end());
  return out;
}

std::string options_mismatch(const file::Provenance& made) {
  const Strings &names = *made.option_names(), &values = *made.option_values();
  if (names.size() != values.size()) return fmt::format("it has {} options and {} values", names.size(), values.size());
  for (fb::uoffset_t i = 1; i < names.size(); ++i)
    if (names.Get(i - 1)->string_view() >= names.Get(i)->string_view()) return "its options are not in order";
  return {};
}

Provenance provenance_of(const file::Provenance& made) {
  Provenance out{made.version()->str(), made.learner()->str(), {}, made.seed(), made.rows(), made.fingerprint()->str()};
  for (fb::uoffset_t i = 0; i < made.option_names()->size(); ++i)
    out.options.emplace_hint(out.options.end(), made.option_names()->Get(i)->str(),
                             made.option_values()->Get(i)->str());
  return out;
}

LearningCurve curve_of(const file::LearningCurve* curve) {
  if (curve == nullptr) return {};
  const auto where_any = [](const fb::Vector<double>* values) {
    return values == nullptr ? std::vector<double>{} : std::vector<double>(values->begin(), values->end());
  };
  return {curve->measure()->str(), where_any(curve->train()),      where_any(curve->held()),
          curve->best(),           where_any(curve->tree_error()), where_any(curve->training_error())};
}

// Names ascending, so that each is there once.
std::string found_mismatch(const file::Model& model) {
  const Strings* names = model.found_names();
  const auto* values = model.found_values();
  if ((names == nullptr) != (values == nullptr) || (names != nullptr && names->size() != values->size()))
    return "what training found has names and values of different number";
  for (fb::uoffset_t i = 1; names != nullptr && i < names->size(); ++i)
    if (names->Get(i - 1)->string_view() >= names->Get(i)->string_view()) return "what training found is not in order";
  return {};
}

std::map<std::string, double> found_of(const file::Model& model) {
  std::map<std::string, double> out;
  for (fb::uoffset_t i = 0; model.found_names() != nullptr && i < model.found_names()->size(); ++i)
    out.emplace_hint(out.end(), model.found_names()->Get(i)->str(), model.found_values()->Get(i));
  return out;
}

bool numbers_aligned(const file::Model& model) {
  const file::LearningCurve* curve = model.curve();
  const file::Forest& forest = *model.body_as_Forest();
  return aligned(*forest.base()) && (forest.surrogate_first() == nullptr || aligned(*forest.surrogate_first())) &&
         (model.found_values() == nullptr || aligned(*model.found_values())) &&
         (curve == nullptr || (aligned(*curve->train()) && aligned(*curve->held()) &&
                               (curve->tree_error() == nullptr || aligned(*curve->tree_error())) &&
                               (curve->training_error() == nullptr || aligned(*curve->training_error()))));
}

// --- the arrays -----------------------------------------------------------------------------------------------------

std::string sections_mismatch(const Sections& sections) {
  constexpr std::size_t element[kForestSections] = {1, 8, sizeof(Node), 8, 4, 8, 8, 4, 8, sizeof(Term)};
  if (sections.size() != kForestSections)
    return fmt::format("it has {} sections, not {}", sections.size(), kForestSections);
  for (std::size_t s = 0; s < kForestSections; ++s)
    if (sections[s].size() % element[s] != 0) return fmt::format("section {} ends within an element", s);
  return {};
}

template <class T>
std::span<const T> view_of(std::span<const std::byte> section) {
  return {reinterpret_cast<const T*>(section.data()), section.size() / sizeof(T)};
}

std::vector<Surrogate> surrogates_of(const fb::Vector<const file::Surrogate*>& all) {
  std::vector<Surrogate> out;
  out.reserve(all.size());
  for (const file::Surrogate* s : all) out.push_back({s->what(), s->agreement(), s->ref()});
  return out;
}

Result<Forest> forest_of(const file::Forest& forest, const Sections& sections, const std::shared_ptr<const void>& keep,
                         const std::string& source) {
  if (const std::string found = sections_mismatch(sections); !found.empty()) return refused(source, found);
  const auto array = [&]<class T>(std::size_t s, T) { return Array<T>(view_of<T>(sections[s]), keep); };
  const auto cuts = view_of<double>(sections[6]);
  if (forest.outputs() != forest.base()->size())
    return refused(source,
                   fmt::format("it has {} base scores for {} outputs", forest.base()->size(), forest.outputs()));
  if (sum_of(*forest.cut_counts()) != cuts.size())
    return refused(source,
                   fmt::format("it has {} thresholds and counts {}", cuts.size(), sum_of(*forest.cut_counts())));
  Forest out{.outputs = static_cast<int>(forest.outputs()),
             .base = {forest.base()->begin(), forest.base()->end()},
             .covered = forest.covered()};
  auto cut = cuts.begin();
  for (const std::uint32_t count : *forest.cut_counts()) {
    out.cuts.emplace_back(cut, cut + count);
    cut += count;
  }
  out.first = array(1, std::uint64_t{});
  out.nodes = array(2, Node{});
  out.values = array(3, double{});
  out.gain = array(4, float{});
  out.sets = array(5, std::uint64_t{});
  out.output = array(7, std::uint32_t{});
  out.term_first = array(8, std::uint64_t{});
  out.terms = array(9, Term{});
  if (forest.surrogate_first() != nullptr)
    out.surrogate_first =
        std::vector<std::uint64_t>(forest.surrogate_first()->begin(), forest.surrogate_first()->end());
  if (forest.surrogates() != nullptr) out.surrogates = surrogates_of(*forest.surrogates());
  return out;
}

// --- the whole ------------------------------------------------------------------------------------------------------

Result<Model> decode(const Bytes& bytes, const std::string& source) {
  const auto sections = unpack(bytes.view, source);
  if (!sections) return sections.error();
  const file::Model* head = sections->empty() ? nullptr : verified((*sections)[0]);
  if (head == nullptr) return refused(source, "its head is not well formed");
  if (head->body_type() > file::Body::MAX) return newer(source, "it holds a kind of model this Wald does not know");
  if (head->link() > file::Link::MAX) return newer(source, "it makes predictions in a way this Wald does not know");
  if (head->body_as_Forest() == nullptr) return refused(source, "it has no body");
  if (!numbers_aligned(*head)) return refused(source, "its head is not well formed");
  if (!text_fits(*head, (*sections)[0].size())) return refused(source, "some of its text is stored twice");
  std::string found = schema_mismatch(*head->schema());
  if (found.empty()) found = options_mismatch(*head->made());
  if (found.empty()) found = found_mismatch(*head);
  if (found.empty() && head->preparation() != nullptr) found = schema_mismatch(*head->preparation()->columns());
  if (found.empty()) found = steps_mismatch(head->preparation());
  if (found.empty()) found = curves_mismatch(head->calibration());
  if (!found.empty()) return refused(source, found);

  auto forest = forest_of(*head->body_as_Forest(), *sections, bytes.keep, source);
  if (!forest) return forest.error();
  Model model{.schema = schema_of(*head->schema()),
              .body = *std::move(forest),
              .link = static_cast<Link>(head->link()),
              .made = provenance_of(*head->made()),
              .curve = curve_of(head->curve()),
              .found = found_of(*head)};
  if (head->preparation() != nullptr)
    model.preparation = preparation_of(*head->preparation(), schema_of(*head->preparation()->columns()).columns);
  model.calibration = calibration_of(head->calibration());
  if (head->threshold().has_value()) model.threshold = *head->threshold();
  if (found = flaw(model); !found.empty()) return refused(source, found);
  return model;
}

}  // namespace

Result<Model> load(const std::string& path) {
  const auto bytes = map_file(path);
  return bytes ? decode(*bytes, path) : bytes.error();
}

// The caller's bytes may lie anywhere and vanish after the call, so the model looks into a copy.
Result<Model> from_bytes(std::span<const std::byte> bytes, const std::string& source) {
  auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  return decode({*copy, copy}, source);
}

}  // namespace wald
