// Missing values: which steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "prepare/prepare.h"

namespace wald {
namespace {

constexpr std::size_t kDrawn = 255;  // numbers that stand for a column's distribution

bool is_missing(const Column& column, Row row) {
  return column.type() == ColumnType::Number ? std::isnan(column.numbers()[row]) : column.categories().code[row] < 0;
}
bool any_missing(const Column& column, Row rows) {
  for (Row r = 0; r < rows; ++r)
    if (is_missing(column, r)) return true;
  return false;
}

struct Weighed {
  double value, weight;
};

// The finite cells, ascending, each value once.
std::vector<Weighed> distribution(const Fitting& fitting, const Column& column) {
  std::vector<Weighed> all, out;
  for (Row r = 0; r < fitting.task().x.rows; ++r)
    if (const double x = column.numbers()[r]; std::isfinite(x) && fitting.weight(r) > 0)
      all.push_back({x, fitting.weight(r)});
  std::ranges::sort(all, {}, &Weighed::value);
  for (const Weighed& one : all) {
    if (!out.empty() && out.back().value == one.value) out.back().weight += one.weight;
    else out.push_back(one);
  }
  return out;
}

double mean_of(const std::vector<Weighed>& all) {
  double sum = 0, weight = 0;
  for (const Weighed& one : all) sum += one.weight * one.value, weight += one.weight;
  return sum / weight;
}

// Where the weight below reaches a share of it; halfway to the next value where it does so exactly.
double quantile_of(const std::vector<Weighed>& all, double share) {
  double weight = 0, below = 0;
  for (const Weighed& one : all) weight += one.weight;
  for (std::size_t i = 0; i < all.size(); ++i) {
    below += all[i].weight;
    if (below > share * weight || i + 1 == all.size()) return all[i].value;
    if (below == share * weight) return all[i].value + (all[i + 1].value - all[i].value) / 2;
  }
  return 0;
}

std::vector<double> numbers_for(Impute how, const std::vector<Weighed>& all) {
  if (how == Impute::Mean) return {mean_of(all)};
  if (how == Impute::Median) return {quantile_of(all, 0.5)};
  if (how == Impute::Mode) return {std::ranges::max_element(all, {}, &Weighed::weight)->value};
  std::vector<double> out;
  for (std::size_t i = 0; i < kDrawn; ++i) out.push_back(quantile_of(all, (static_cast<double>(i) + 0.5) / kDrawn));
  return out;
}

std::vector<double> level_weights(const Fitting& fitting, const Categories& words) {
  std::vector<double> out(words.level.size());
  for (Row r = 0; r < fitting.task().x.rows; ++r)
    if (words.code[r] >= 0) out[static_cast<std::size_t>(words.code[r])] += fitting.weight(r);
  return out;
}

// Of categories the most frequent level, unless drawn. A column without any value stays as it is.
void fill_column(Fitting& fitting, const std::string& name, Impute how) {
  const Column& column = fitting.column(name);
  PreparationStep step{how == Impute::Draw ? StepKind::Draw : StepKind::Fill, {name}, {}, {}, {}};
  if (column.type() == ColumnType::Number) {
    const std::vector<Weighed> all = distribution(fitting, column);
    if (all.empty()) return;
    step.number = numbers_for(how, all);
  } else {
    const std::vector<double> weight = level_weights(fitting, column.categories());
    double sum = 0, below = 0;
    for (const double w : weight) sum += w;
    if (!(sum > 0)) return;
    if (how == Impute::Draw) {
      for (const double w : weight) step.number.push_back((below += w) / sum);
      step.level = column.categories().level;
    } else {
      const auto most = std::ranges::max_element(weight) - weight.begin();
      step.level = {column.categories().level[static_cast<std::size_t>(most)]};
    }
  }
  fitting.add(std::move(step));
}

std::vector<std::string> all_names(const Fitting& fitting) {
  std::vector<std::string> out;
  for (const Column& column : fitting.task().x.columns) out.push_back(column.name);
  return out;
}

}  // namespace

std::vector<Row> whole_rows(const Table& table) {
  std::vector<Row> out;
  for (Row r = 0; r < table.rows; ++r)
    if (std::ranges::none_of(table.columns, [&](const Column& column) { return is_missing(column, r); }))
      out.push_back(r);
  return out;
}

void impute(Fitting& fitting, const Prepare& asked) {
  const Row rows = fitting.task().x.rows;
  const std::vector<std::string> names = all_names(fitting);
  if (asked.indicator)
    for (const std::string& name : names)
      if (any_missing(fitting.column(name), rows))
        fitting.add({StepKind::Mark, {name}, {fitting.unused(name + " missing")}, {}, {}});
  for (const std::string& name : names) {
    if (asked.impute == Impute::None || asked.impute == Impute::DropRows) continue;
    if (asked.impute != Impute::DropColumns) fill_column(fitting, name, asked.impute);
    else if (any_missing(fitting.column(name), rows)) fitting.add({StepKind::Drop, {name}, {}, {}, {}});
  }
}

}  // namespace wald
