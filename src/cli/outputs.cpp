#include "cli/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text.h"

namespace wald::cli {
namespace {

std::string class_list(const std::vector<std::string>& classes) {
  std::vector<std::string> names;
  for (const std::string& name : classes) names.push_back(printable(name, 30));
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<std::size_t> class_named(const Model& model, const std::string& name) {
  const bool several = model.schema.several();
  if (!model.schema.classifies() && !several)
    return usage("--class: the model predicts numbers, not classes", "leave --class away");
  const std::vector<std::string> classes = several ? model.schema.output_names() : model.schema.target.level;
  const auto found = std::ranges::find(classes, name);
  if (found == classes.end()) {
    const std::string near = nearest(name, classes);
    return usage(fmt::format("--class: the model's target '{}' has no class '{}'", printable(model.schema.target.name),
                             printable(name)),
                 !near.empty()          ? fmt::format("did you mean {}?", printable(near))
                 : classes.size() <= 12 ? fmt::format("its classes are {}", class_list(classes))
                                        : "wald show MODEL lists the classes");
  }
  const auto index = static_cast<std::size_t>(found - classes.begin());
  if (model.forest().outputs > 1) return index;
  if (index == 1) return std::size_t{0};
  return usage(fmt::format("--class: the model has one score, that of '{}'", printable(classes.back())),
               "the values of the other class are the same with the sign turned");
}

}  // namespace

Option class_option() {
  return {.name = "class",
          .value = "NAME",
          .help =
              "the class, or the target or quantile of several, whose score is meant (default: the second of two, else "
              "every one)"};
}

std::string output_name(const Model& model, std::size_t output) {
  const std::vector<std::string>& classes = model.schema.target.level;
  if (model.schema.several()) return model.schema.output_names()[output];
  if (!model.schema.classifies()) return {};
  return model.forest().outputs == 1 ? classes.back() : classes[output];
}

Result<std::vector<std::size_t>> chosen_outputs(const Arguments& given, const Model& model) {
  if (given.has("class")) {
    const auto one = class_named(model, given.text("class"));
    if (!one) return one.error();
    return std::vector<std::size_t>{*one};
  }
  const auto count = static_cast<std::size_t>(model.forest().outputs);
  if (model.schema.classifies() && count == 2) return std::vector<std::size_t>{1};
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

Result<std::size_t> chosen_output(const Arguments& given, const Model& model) {
  const auto outputs = chosen_outputs(given, model);
  if (!outputs) return outputs.error();
  if (outputs->size() == 1) return (*outputs)[0];
  return usage(fmt::format("this shows one class at a time, and the model has {}", outputs->size()),
               outputs->size() <= 12 ? fmt::format("add --class NAME: {}",
                                                   class_list(model.schema.classifies() ? model.schema.target.level
                                                                                        : model.schema.output_names()))
                                     : "add --class NAME; wald show MODEL lists the classes");
}

std::string bar_text(double share, std::size_t width) {
  static constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width) * 8));
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  return out + kParts[eighths % 8];
}

// To the left only whole and half blocks and one eighth can be drawn.
std::string two_sided_bar(double share, std::size_t width) {
  const std::size_t half = width / 2;
  if (share >= 0) return std::string(half, ' ') + "│" + bar_text(share, half);
  const auto halves = static_cast<std::size_t>(std::lround(std::min(-share, 1.0) * static_cast<double>(half) * 2));
  std::string out(half - (halves + 1) / 2, ' ');
  if (halves == 0 && share * static_cast<double>(half) * 8 <= -0.5) out.replace(half - 1, 1, "▕");
  if (halves % 2 == 1) out += "▐";
  for (std::size_t i = 0; i < halves / 2; ++i) out += "█";
  return out + "│";
}

}  // namespace wald::cli
