// A table through a model's preparation.
#include <algorithm>

#include "core/text.h"
#include "model/cells.h"
#include "prepare/steps.h"

namespace wald {
namespace {

// The column as the model wants it. Of the right type it is taken as it is, with the levels that it has.
Column column_as(const Field& field, const Column& found, const Cells& cells, Row rows) {
  if (found.type() == field.type) return {field.name, found.data};
  std::vector<double> value(rows);
  std::ranges::copy_n(cells_of(cells, 0, rows, value.data()), rows, value.begin());
  if (field.type == ColumnType::Number) return {field.name, Numbers(std::move(value))};
  Categories words{{}, field.level};
  for (const double code : value) words.code.push_back(std::isnan(code) ? -1 : static_cast<std::int32_t>(code));
  return {field.name, std::move(words)};
}

}  // namespace

const std::vector<Field>& input_columns(const Model& model) {
  return model.preparation.empty() ? model.schema.columns : model.preparation.columns;
}

Schema input_schema(const Model& model) {
  Schema out = model.schema;
  out.columns = input_columns(model);
  return out;
}

std::optional<std::string_view> fate_of_unseen(const Preparation& preparation, const std::string& column) {
  for (const PreparationStep& step : preparation.steps) {
    if (step.from != std::vector<std::string>{column}) continue;
    if (step.kind == StepKind::Drop) return {};
    if (const std::string_view fate = plug_of(step.kind).unseen; !fate.empty()) return fate;
  }
  return "";
}

Result<Table> prepare(const Model& model, const Table& table) {
  if (model.preparation.empty()) return table;
  const Schema input = input_schema(model);
  const Result<Matched> matched = match(input, table);
  if (!matched) return matched.error();
  std::vector<Column> columns;
  for (std::size_t c = 0; c < input.columns.size(); ++c)
    columns.push_back(column_as(input.columns[c], *table.find(input.columns[c].name), matched->columns[c], table.rows));
  Table out{.columns = columns_after(model.preparation, std::move(columns), table.rows),
            .rows = table.rows,
            .source = table.source,
            .notes = table.notes,
            .first_line = table.first_line};
  for (const Column& column : table.columns)  // the target and what else is beside
    if (std::ranges::find(input.columns, column.name, &Field::name) == input.columns.end() &&
        out.find(column.name) == nullptr)
      out.columns.push_back(column);
  return out;
}

Model without_preparation(Model model) {
  model.preparation = {};
  return model;
}

Result<Matched> match(const Model& model, const Table& table) {
  if (model.preparation.empty()) return match(model.schema, table);
  Result<Matched> input = match(input_schema(model), table);
  if (!input) return input;
  Result<Table> made = prepare(model, table);
  if (!made) return made.error();
  const auto keep = std::make_shared<const Table>(std::move(*made));
  Result<Matched> out = match(model.schema, *keep);
  if (!out) return out;
  out->unseen = std::move(input->unseen);
  out->made = keep;
  return out;
}

}  // namespace wald
