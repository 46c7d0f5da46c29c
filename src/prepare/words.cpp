// Steps of a preparation as they are told to people.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/text.h"
#include "prepare/steps.h"

namespace wald {
namespace {

constexpr std::size_t kColumnsTold = 6;

std::string columns_told(std::span<const PreparationStep> steps) {
  std::string out;
  for (std::size_t i = 0; i < std::min(steps.size(), kColumnsTold); ++i) {
    const bool joins = steps[i].kind == StepKind::Product || steps[i].kind == StepKind::Region;
    out += fmt::format("{}{}", i == 0 ? "" : ", ", printable(joins ? steps[i].to[0] : steps[i].from[0], 40));
  }
  const std::size_t more = steps.size() - std::min(steps.size(), kColumnsTold);
  return more > 0 ? out + fmt::format(", ... {} more", with_commas(more)) : out;
}

// What a step that makes columns makes of the gaps of one it looks at.
Gaps after_making(StepKind kind, Gaps from) {
  if (kind == StepKind::Mark || kind == StepKind::Region) return {false, false};
  if (kind == StepKind::OneHot || kind == StepKind::Encode) from.unseen = false;  // they have a number for any level
  return from;
}

// Backwards from the step `end`, until one that makes the column or the table itself.
Gaps gaps_before(const Preparation& preparation, const std::string& column, std::size_t end) {
  bool filled = false, grouped = false;
  for (std::size_t i = end; i-- > 0;) {
    const PreparationStep& step = preparation.steps[i];
    if (step.to.empty() && step.from == std::vector<std::string>{column}) {
      filled = filled || step.kind == StepKind::Fill || step.kind == StepKind::Draw;
      grouped = grouped || step.kind == StepKind::Rare;
    }
    if (std::ranges::find(step.to, column) == step.to.end()) continue;
    Gaps all{false, false};
    for (const std::string& from : step.from) {
      const Gaps one = after_making(step.kind, gaps_before(preparation, from, i));
      all.missing = all.missing || one.missing, all.unseen = all.unseen || one.unseen;
    }
    return {all.missing && !filled, all.unseen && !grouped};
  }
  const auto field = std::ranges::find(preparation.columns, column, &Field::name);
  const bool words = field != preparation.columns.end() && field->type == ColumnType::Category;
  return {!filled, words && !grouped};
}

}  // namespace

std::vector<std::string> step_words(const Preparation& preparation) {
  std::vector<std::string> out;
  const std::span<const PreparationStep> steps = preparation.steps;
  for (std::size_t first = 0; first < steps.size();) {
    std::size_t end = first;
    while (end < steps.size() && steps[end].kind == steps[first].kind) ++end;
    out.push_back(
        fmt::format("{}: {}", plug_of(steps[first].kind).name, columns_told(steps.subspan(first, end - first))));
    first = end;
  }
  return out;
}

Gaps gaps_of(const Preparation& preparation, const std::string& made) {
  return gaps_before(preparation, made, preparation.steps.size());
}

}  // namespace wald
