// A model of two classes with a preparation, a calibration and a threshold, for tests.
#pragma once
#include "model/sample_test.h"

namespace wald::sample {

// Every kind of step. In v1_prepared.wald: never change.
inline Model prepared() {
  constexpr double kEnd = std::numeric_limits<double>::infinity();
  Parts forest;
  forest.base = {-0.25};
  forest.cuts = {{}, {-0.5, 0.25}, {0.5}, {}, {0.5}, {}, {0.4}, {100}, {0.5}};
  forest.first = {0, 5, 8};
  forest.nodes = {
      {1, 1, 1, 0, Test::Threshold}, {4, 3, 0, 0, Test::Threshold}, {}, {}, {}, {6, 1, 0, 1, Test::Threshold}, {}, {}};
  forest.values = {0, 0, 1.5, -0.75, 0.5, 0, -0.125, 2};
  forest.cover = {20, 12, 8, 7, 5, 20, 11, 9};
  forest.gain = {4, 2, 0, 0, 0, 3, 0, 0};
  const auto step = [](StepKind kind, std::vector<std::string> from, std::vector<std::string> to,
                       std::vector<double> numbers, std::vector<std::string> level) {
    return PreparationStep{kind, std::move(from), std::move(to), std::move(numbers), std::move(level)};
  };
  Preparation preparation{
      {number("id"), number("age"), category("town", {"a", "b", "c"}), category("size", {"l", "m", "s"}),
       category("job", {"x", "y"}), number("pay")},
      {step(StepKind::Drop, {"id"}, {}, {}, {}), step(StepKind::Mark, {"age"}, {"age missing"}, {}, {}),
       step(StepKind::Fill, {"age"}, {}, {40}, {}), step(StepKind::Draw, {"pay"}, {}, {10, 20, 35.5}, {}),
       step(StepKind::Draw, {"size"}, {}, {0.25, 0.5, 1}, {"l", "m", "s"}),
       step(StepKind::Rare, {"town"}, {}, {}, {"a", "b", "(rare)"}),
       step(StepKind::OneHot, {"town"}, {"town=a", "town=b"}, {}, {"a", "b"}),
       step(StepKind::Ordinal, {"size"}, {"size"}, {}, {"l", "m", "s"}),
       step(StepKind::Encode, {"job"}, {"job"}, {0.5, 0.125, 0.75}, {"x", "y"}),
       step(StepKind::Product, {"age", "pay"}, {"age*pay"}, {}, {}),
       step(StepKind::Region, {"age", "pay"}, {"old"}, {50, kEnd, -kEnd, 30}, {}),
       step(StepKind::Scale, {"age"}, {}, {40, 12.5}, {})},
      7};
  const std::vector<Field> columns = {number("age"),    number("pay"),     number("age missing"),
                                      number("town=a"), number("town=b"),  number("size"),
                                      number("job"),    number("age*pay"), number("old")};
  return {.schema = {columns, category("y", {"no", "yes"})},
          .body = packed(forest),
          .link = Link::Logistic,
          .made = {"0.1.0", "boost", {{"impute", "median"}}, 7, 20, "00112233445566778899aabbccddeeff"},
          .threshold = 0.3125,
          .preparation = std::move(preparation),
          .calibration = {Calibration::Kind::Isotonic, {{{-1, 0, 0.5, 2}, {0.0625, 0.25, 0.25, 0.875}}}}};
}

inline Table raw_table(Row rows, std::uint64_t seed) {
  Draws draw(seed);
  Table out{.columns = {}, .rows = rows, .source = "raw"};
  for (const Field& field : prepared().preparation.columns) {
    std::vector<double> cell(rows);
    for (double& x : cell)
      x = draw.chance(0.2) ? kMissing : std::floor(field.level.empty() ? 80 * draw.unit() : 3 * draw.unit());
    if (field.type == ColumnType::Number) {
      out.columns.push_back({field.name, Numbers(std::move(cell))});
      continue;
    }
    Categories words{{}, field.level};
    words.level.push_back("z, unseen");
    for (const double x : cell) words.code.push_back(std::isnan(x) ? -1 : static_cast<std::int32_t>(x));
    out.columns.push_back({field.name, std::move(words)});
  }
  return out;
}

}  // namespace wald::sample
