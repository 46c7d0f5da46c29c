#include "prepare/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "core/check.h"
#include "core/text.h"

namespace wald {
namespace {

const std::vector<StepPlug>& plugs() {  // in the order of StepKind
  static const std::vector<StepPlug> all = {drop_plug(),  mark_plug(),    fill_plug(),    draw_plug(),
                                            rare_plug(),  one_hot_plug(), ordinal_plug(), encode_plug(),
                                            scale_plug(), product_plug(), region_plug()};
  return all;
}

constexpr std::uint64_t kPrime = 0x100000001B3;  // of the 64-bit FNV-1a hash

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  for (int i = 0; i < 8; ++i) hash = (hash ^ (word >> 8 * i & 0xFF)) * kPrime;
  return hash;
}

std::uint64_t word_hash(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

}  // namespace

const StepPlug& plug_of(StepKind kind) {
  const StepPlug& plug = plugs()[static_cast<std::size_t>(kind)];
  WALD_CHECK(plug.kind == kind);
  return plug;
}

std::vector<Field> fields_after(const Preparation& preparation, std::string& flaw) {
  Named<Field> fields(preparation.columns);
  for (std::size_t i = 0; i < preparation.steps.size() && flaw.empty(); ++i) {
    const PreparationStep& step = preparation.steps[i];
    const auto finite = [](double x) { return std::isfinite(x); };
    if (step.kind > kLastStep) flaw = "is of an unknown kind";
    else if (step.kind != StepKind::Region && !std::ranges::all_of(step.number, finite))
      flaw = "has a number not finite";
    else flaw = plug_of(step.kind).retype(step, fields);
    if (!flaw.empty()) flaw = fmt::format("step {} of its preparation {}", i + 1, flaw);
  }
  return fields.take();
}

std::vector<std::vector<std::size_t>> sources_of(const Preparation& preparation, const std::vector<Field>& made) {
  std::unordered_map<std::string, std::set<std::size_t>> source;
  for (std::size_t i = 0; i < preparation.columns.size(); ++i) source[preparation.columns[i].name] = {i};
  for (const PreparationStep& step : preparation.steps) {
    std::set<std::size_t> all;
    for (const std::string& name : step.from) all.insert(source[name].begin(), source[name].end());
    for (const std::string& name : step.to) source[name] = all;
  }
  std::vector<std::vector<std::size_t>> out;
  for (const Field& field : made) out.emplace_back(source[field.name].begin(), source[field.name].end());
  return out;
}

bool knows_targets(const Preparation* how) {
  return how != nullptr && std::ranges::find(how->steps, StepKind::Region, &PreparationStep::kind) != how->steps.end();
}

std::vector<std::uint64_t> row_keys(const std::vector<Column>& columns, Row rows) {
  std::vector<std::uint64_t> key(rows, 0xCBF29CE484222325);
  for (const Column& column : columns) {
    if (column.type() == ColumnType::Number) {
      for (Row r = 0; r < rows; ++r) {
        const double x = column.numbers()[r];
        key[r] = mixed(key[r], std::isnan(x) ? 1 : std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x));
      }
      continue;
    }
    std::vector<std::uint64_t> word{1};
    for (const std::string& level : column.categories().level) word.push_back(word_hash(level));
    for (Row r = 0; r < rows; ++r)
      key[r] = mixed(key[r], word[static_cast<std::size_t>(column.categories().code[r] + 1)]);
  }
  return key;
}

std::vector<Column> columns_after(const Preparation& preparation, std::vector<Column> columns, Row rows) {
  PrepareRows about{rows, preparation.seed, {}};
  if (std::ranges::any_of(preparation.steps, [](const auto& s) { return s.kind == StepKind::Draw; }))
    about.key = row_keys(columns, rows);
  Named<Column> named(std::move(columns));
  for (const PreparationStep& step : preparation.steps) plug_of(step.kind).apply(step, named, about);
  return named.take();
}

Field* field_of(const PreparationStep& step, Named<Field>& fields, std::optional<ColumnType> type, std::string& flaw) {
  if (step.from.size() != 1) {
    flaw = fmt::format("looks at {} columns", step.from.size());
    return nullptr;
  }
  Field* field = fields.find(step.from[0]);
  if (field == nullptr) flaw = fmt::format("looks at '{}', which is no column", printable(step.from[0]));
  else if (type && field->type != *type) flaw = fmt::format("looks at '{}', of another type", printable(step.from[0]));
  return flaw.empty() ? field : nullptr;
}

std::vector<double> cells_of(const Column& column) { return column.numbers().to_doubles(); }

std::vector<std::int32_t> places_of(const Column& column, const std::vector<std::string>& level) {
  std::unordered_map<std::string_view, std::int32_t> at;
  for (const std::string& word : level) at.emplace(word, static_cast<std::int32_t>(at.size()));
  std::vector<std::int32_t> out;
  for (const std::string& own : column.categories().level) {
    const auto found = at.find(own);
    out.push_back(found == at.end() ? -1 : found->second);
  }
  return out;
}

std::string known_levels(const PreparationStep& step, const Field& field) {
  std::vector<std::string_view> own(field.level.begin(), field.level.end());
  std::ranges::sort(own);
  for (const std::string& level : step.level)
    if (!std::ranges::binary_search(own, std::string_view(level)))
      return fmt::format("has a level '{}' that its column lacks", printable(level));
  return {};
}

}  // namespace wald
