// Steps for missing values.
#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "prepare/steps.h"

namespace wald {
namespace {

std::string drop_retype(const PreparationStep& step, Named<Field>& fields) {
  std::string flaw;
  if (field_of(step, fields, {}, flaw) != nullptr) fields.remove(step.from[0]);
  return flaw;
}
void drop_apply(const PreparationStep& step, Named<Column>& columns, const PrepareRows&) {
  columns.remove(step.from[0]);
}

std::string mark_retype(const PreparationStep& step, Named<Field>& fields) {
  std::string flaw;
  if (field_of(step, fields, {}, flaw) == nullptr) return flaw;
  if (step.to.size() != 1) return "marks nothing";
  return fields.add({step.to[0], ColumnType::Number, {}}) ? "" : "makes a column that is there already";
}
void mark_apply(const PreparationStep& step, Named<Column>& columns, const PrepareRows& about) {
  const Column& column = *columns.find(step.from[0]);
  std::vector<double> out(about.rows);
  for (Row r = 0; r < about.rows; ++r)
    out[r] = column.type() == ColumnType::Number ? std::isnan(column.numbers()[r]) : column.categories().code[r] < 0;
  columns.add({step.to[0], Numbers(std::move(out))});
}

// The same for both: a column of numbers has numbers to put in, one of categories levels that it knows.
std::string put_flaw(const PreparationStep& step, Named<Field>& fields, std::size_t numbers, std::size_t levels) {
  std::string flaw;
  const Field* field = field_of(step, fields, {}, flaw);
  if (field == nullptr) return flaw;
  const bool number = field->type == ColumnType::Number;
  if (step.level.size() != (number ? 0 : levels) || step.number.size() != numbers || numbers + levels == 0)
    return "has nothing to put where cells are missing";
  return known_levels(step, *field);
}
std::string fill_retype(const PreparationStep& step, Named<Field>& fields) {
  return step.level.empty() ? put_flaw(step, fields, 1, 1) : put_flaw(step, fields, 0, 1);
}

// place(row): which number or level.
template <class Place>
void put_missing(const PreparationStep& step, Column& column, Row rows, Place place) {
  if (column.type() == ColumnType::Number) {
    std::vector<double> cell = cells_of(column);
    for (Row r = 0; r < rows; ++r)
      if (std::isnan(cell[r])) cell[r] = step.number[place(r)];
    column.data = Numbers(std::move(cell));
    return;
  }
  Categories words = column.categories();
  std::vector<std::int32_t> code;
  for (const std::string& level : step.level) {
    auto at = std::ranges::find(words.level, level);
    if (at == words.level.end()) at = words.level.insert(words.level.end(), level);
    code.push_back(static_cast<std::int32_t>(at - words.level.begin()));
  }
  for (Row r = 0; r < rows; ++r)
    if (words.code[r] < 0) words.code[r] = code[place(r)];
  column.data = std::move(words);
}

void fill_apply(const PreparationStep& step, Named<Column>& columns, const PrepareRows& about) {
  put_missing(step, *columns.find(step.from[0]), about.rows, [](Row) { return std::size_t{0}; });
}

// Numbers: quantiles, each as likely. Levels: each up to its number, a share of the rows that have it or one before it.
std::string draw_retype(const PreparationStep& step, Named<Field>& fields) {
  if (!step.level.empty() && !std::ranges::is_sorted(step.number)) return "has shares that fall";
  return put_flaw(step, fields, std::max<std::size_t>(step.number.size(), 1), step.number.size());
}
void draw_apply(const PreparationStep& step, Named<Column>& columns, const PrepareRows& about) {
  const Random random(about.seed, Purpose::Impute);
  std::uint64_t name = 0;  // so that two columns do not draw alike
  for (const char c : step.from[0]) name = name * 131 + static_cast<unsigned char>(c);
  put_missing(step, *columns.find(step.from[0]), about.rows, [&](Row row) {
    const double u = random.unit(about.key[row] ^ name);
    const auto last = step.number.size() - 1;
    if (step.level.empty()) return static_cast<std::size_t>(u * static_cast<double>(last + 1));
    return std::min(last, static_cast<std::size_t>(std::ranges::upper_bound(step.number, u) - step.number.begin()));
  });
}

}  // namespace

StepPlug drop_plug() { return {StepKind::Drop, "left out", drop_retype, drop_apply}; }
StepPlug mark_plug() { return {StepKind::Mark, "marked where missing", mark_retype, mark_apply}; }
StepPlug fill_plug() { return {StepKind::Fill, "filled in", fill_retype, fill_apply}; }
StepPlug draw_plug() { return {StepKind::Draw, "filled in by draws", draw_retype, draw_apply}; }

}  // namespace wald
