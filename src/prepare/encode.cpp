// Steps for categories.
#include <algorithm>

#include "prepare/steps.h"

namespace wald {
namespace {

constexpr std::string_view kThereAlready = "makes a column that is there already";

std::vector<std::string> sorted(std::vector<std::string> level) {
  std::ranges::sort(level);
  return level;
}

bool all_different(const std::vector<std::string>& level) {
  const std::vector<std::string> in_order = sorted(level);
  return std::ranges::adjacent_find(in_order) == in_order.end();
}

std::string rare_retype(const PreparationStep& step, Named<Field>& fields) {
  std::string flaw;
  Field* field = field_of(step, fields, ColumnType::Category, flaw);
  if (field == nullptr) return flaw;
  if (step.level.empty() || !all_different(step.level)) return "has no list of levels to keep";
  field->level = sorted(step.level);
  return {};
}
// A level unseen in training is rare too.
void rare_apply(const PreparationStep& step, Named<Column>& columns, const PrepareRows&) {
  Column& column = *columns.find(step.from[0]);
  const std::vector<std::int32_t> place = places_of(column, sorted(step.level));
  Categories out{column.categories().code, sorted(step.level)};
  const auto rare = static_cast<std::int32_t>(std::ranges::find(out.level, step.level.back()) - out.level.begin());
  for (std::int32_t& code : out.code)
    if (code >= 0) code = place[static_cast<std::size_t>(code)] < 0 ? rare : place[static_cast<std::size_t>(code)];
  column.data = std::move(out);
}

// Columns of numbers in the place of one of categories.
std::string replace_flaw(const PreparationStep& step, Named<Field>& fields, std::size_t columns) {
  std::string flaw;
  if (field_of(step, fields, ColumnType::Category, flaw) == nullptr) return flaw;
  if (step.to.size() != columns || columns == 0 || !all_different(step.level)) return "makes no column of its levels";
  fields.remove(step.from[0]);
  for (const std::string& name : step.to)
    if (!fields.add({name, ColumnType::Number, {}})) return std::string(kThereAlready);
  return {};
}

// value(place, column): place -1 is a level not listed.
template <class Value>
void replace(const PreparationStep& step, Named<Column>& columns, Value value) {
  const Column column = *columns.find(step.from[0]);
  const std::vector<std::int32_t> place = places_of(column, step.level);
  columns.remove(step.from[0]);
  for (std::size_t c = 0; c < step.to.size(); ++c) {
    std::vector<double> by_code{kMissing}, out;
    for (const std::int32_t p : place) by_code.push_back(value(p, c));
    for (const std::int32_t code : column.categories().code) out.push_back(by_code[static_cast<std::size_t>(code + 1)]);
    columns.add({step.to[c], Numbers(std::move(out))});
  }
}

std::string one_hot_retype(const PreparationStep& step, Named<Field>& fields) {
  return replace_flaw(step, fields, step.level.size());
}
void one_hot_apply(const PreparationStep& step, Named<Column>& columns, const PrepareRows&) {
  replace(step, columns, [](std::int32_t p, std::size_t c) { return p == static_cast<std::int32_t>(c) ? 1.0 : 0.0; });
}

std::string ordinal_retype(const PreparationStep& step, Named<Field>& fields) { return replace_flaw(step, fields, 1); }
void ordinal_apply(const PreparationStep& step, Named<Column>& columns, const PrepareRows&) {
  replace(step, columns, [](std::int32_t p, std::size_t) { return p < 0 ? kMissing : static_cast<double>(p); });
}

// number: for each column made, first what a level not listed gets, then what each level gets.
std::string encode_retype(const PreparationStep& step, Named<Field>& fields) {
  if (step.number.size() != step.to.size() * (step.level.size() + 1)) return "has too few or too many numbers";
  return replace_flaw(step, fields, step.to.size());
}
void encode_apply(const PreparationStep& step, Named<Column>& columns, const PrepareRows&) {
  const std::size_t width = step.level.size() + 1;
  replace(step, columns,
          [&](std::int32_t p, std::size_t c) { return step.number[c * width + static_cast<std::size_t>(p + 1)]; });
}

}  // namespace

StepPlug rare_plug() {
  return {StepKind::Rare, "rare levels as one", rare_retype, rare_apply, "taken for a rare level"};
}
StepPlug one_hot_plug() {
  return {StepKind::OneHot, "a column a level", one_hot_retype, one_hot_apply, "0 in each column made of it"};
}
StepPlug ordinal_plug() { return {StepKind::Ordinal, "levels as numbers", ordinal_retype, ordinal_apply}; }
StepPlug encode_plug() {
  return {StepKind::Encode, "levels by the target", encode_retype, encode_apply, "coded by the mean of all rows"};
}

}  // namespace wald
