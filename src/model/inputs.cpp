#include "model/inputs.h"

#include "prepare/steps.h"

namespace wald {

Inputs::Inputs(const Model& model)
    : source_(sources_of({input_columns(model), model.preparation.steps}, model.schema.columns)),
      columns_(input_columns(model).size()),
      same_(model.preparation.empty()) {}

void Inputs::add(std::span<const double> made, double* into) const {
  for (std::size_t c = 0; c < made.size(); ++c)
    for (const std::size_t i : source_[c]) into[i] += made[c] * part(c);
}

std::vector<double> Inputs::sums(std::span<const double> made) const {
  if (same()) return {made.begin(), made.end()};
  std::vector<double> out(columns_);
  add(made, out.data());
  return out;
}

}  // namespace wald
