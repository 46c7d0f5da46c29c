#include "explain/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/text.h"
#include "prepare/steps.h"

namespace wald {
namespace {

std::string deciding_note(const Model& model) {
  const std::string name = printable(model.schema.target.level[1], 40);
  const double threshold = *model.threshold;
  if (threshold < 0) return fmt::format("the model always decides {}", name);
  if (threshold >= 1) return fmt::format("the model never decides {}", name);
  return fmt::format("the model decides {} where p_{} is above {}", name, name, short_text(threshold));
}

// A step that only leaves columns out changes nothing that the tree asks.
bool changes_values(const Preparation& preparation) {
  return std::ranges::any_of(preparation.steps, [](const auto& step) { return step.kind != StepKind::Drop; });
}

// Leaves that extrapolate hold numbers only within what a double can say.
std::string equation_note(const Model& model, const TreeView& tree) {
  constexpr double kFarthest = std::numeric_limits<double>::max();
  bool any = false, held = false;
  for (const Node& node : tree.nodes) {
    if (!node.is_leaf()) continue;
    for (const Term& term : model.forest().terms_of(node)) {
      any = true;
      held = held || term.low > -kFarthest || term.high < kFarthest;
    }
  }
  if (!any) return {};
  return fmt::format("in equations {}a missing value counts as the mean, which is the number taken from it",
                     held ? "a column is held within the range that its leaf saw in training, and " : "");
}

}  // namespace

std::vector<std::string> notes_of(const Model& model, const TreeView& tree) {
  std::vector<std::string> out;
  if (changes_values(model.preparation))
    out.push_back(fmt::format("columns are as the model prepares them ({}); 'wald show --json' has the numbers",
                              fmt::join(step_words(model.preparation), "; ")));
  if (model.threshold) out.push_back(deciding_note(model));
  if (model.calibration.kind != Calibration::Kind::None)
    out.push_back(
        fmt::format("probabilities are calibrated by {}; what the tree says is before that",
                    model.calibration.kind == Calibration::Kind::Sigmoid ? "a sigmoid" : "isotonic regression"));
  if (std::string note = equation_note(model, tree); !note.empty()) out.push_back(std::move(note));
  return out;
}

std::string notes_text(const Model& model, const TreeView& tree) {
  std::string out;
  for (const std::string& note : notes_of(model, tree)) out += note + "\n";
  return out;
}

}  // namespace wald
