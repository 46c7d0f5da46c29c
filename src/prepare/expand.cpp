// Steps for numbers.
#include <cmath>

#include "prepare/steps.h"

namespace wald {
namespace {

std::string scale_retype(const PreparationStep& step, Named<Field>& fields) {
  std::string flaw;
  if (field_of(step, fields, ColumnType::Number, flaw) == nullptr) return flaw;
  return step.number.size() == 2 && step.number[1] > 0 ? "" : "has no scale";
}
void scale_apply(const PreparationStep& step, Named<Column>& columns, const PrepareRows&) {
  Column& column = *columns.find(step.from[0]);
  std::vector<double> cell = cells_of(column);
  for (double& x : cell) x = (x - step.number[0]) / step.number[1];
  column.data = Numbers(std::move(cell));
}

// One new column of several of numbers.
std::string join_flaw(const PreparationStep& step, Named<Field>& fields) {
  if (step.from.empty() || step.to.size() != 1) return "joins no columns";
  for (const std::string& name : step.from)
    if (const Field* field = fields.find(name); field == nullptr || field->type != ColumnType::Number)
      return "joins columns that are not of numbers";
  return fields.add({step.to[0], ColumnType::Number, {}}) ? "" : "makes a column that is there already";
}

void product_apply(const PreparationStep& step, Named<Column>& columns, const PrepareRows& about) {
  std::vector<double> out(about.rows, 1);
  for (const std::string& name : step.from) {
    const Numbers& factor = columns.find(name)->numbers();
    for (Row r = 0; r < about.rows; ++r) out[r] *= factor[r];
  }
  columns.add({step.to[0], Numbers(std::move(out))});
}

std::string region_retype(const PreparationStep& step, Named<Field>& fields) {
  if (step.number.size() != 2 * step.from.size()) return "has too few or too many bounds";
  for (const double bound : step.number)
    if (std::isnan(bound)) return "has a bound that is no number";
  return join_flaw(step, fields);
}
void region_apply(const PreparationStep& step, Named<Column>& columns, const PrepareRows& about) {
  std::vector<double> out(about.rows, 1);
  for (std::size_t i = 0; i < step.from.size(); ++i) {
    const Numbers& x = columns.find(step.from[i])->numbers();
    for (Row r = 0; r < about.rows; ++r)
      if (!(x[r] > step.number[2 * i] && x[r] <= step.number[2 * i + 1])) out[r] = 0;
  }
  columns.add({step.to[0], Numbers(std::move(out))});
}

}  // namespace

StepPlug scale_plug() { return {StepKind::Scale, "shifted and scaled", scale_retype, scale_apply}; }
StepPlug product_plug() { return {StepKind::Product, "products", join_flaw, product_apply}; }
StepPlug region_plug() { return {StepKind::Region, "regions", region_retype, region_apply}; }

}  // namespace wald
