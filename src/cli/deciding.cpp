#include "cli/deciding.h"

#include <fmt/format.h>

#include <string>

#include "cli/fit.h"
#include "core/text.h"
#include "measure/costs.h"

namespace wald::cli {

Result<Costs> costs_of(const Arguments& given) {
  Costs out;
  if (Status ok = read_costs(given.list("cost"), out); !ok) return ok.error();
  if (!given.has("odds")) return out;
  if (Status ok = read_odds(given.text("odds"), out); !ok) return ok.error();
  return out;
}

Result<Decide> decide_of(const Arguments& given) {
  DecideWords words{.calibrate = given.text("calibrate", "none"),
                    .cost = given.list("cost"),
                    .odds = {},
                    .positive = given.text("positive")};
  if (given.has("odds")) words.odds = given.text("odds");
  return read_decide(words);
}

void keep_deciding(const Arguments& given, Model& model) {
  const auto keep = [&](const char* option) {
    if (given.has(option)) model.made.options[option] = fmt::format("{}", fmt::join(given.raw(option), ","));
  };
  if (given.text("calibrate") == "none" || model.calibration.kind != Calibration::Kind::None) keep("calibrate");
  if (model.threshold)
    for (const char* option : {"cost", "odds", "positive"}) keep(option);
}

std::vector<std::string> deciding_lines(const Model& model) {
  std::vector<std::string> out;
  if (model.threshold) {
    const std::string name = printable(model.schema.target.level[1], 40);
    out.push_back(*model.threshold < 0 ? "always " + name
                  : *model.threshold >= 1
                      ? "never " + name
                      : fmt::format("{} where p_{} is above {}", name, name, measure_text(*model.threshold)));
  }
  if (model.calibration.kind == Calibration::Kind::Sigmoid) out.emplace_back("probabilities calibrated by a sigmoid");
  if (model.calibration.kind == Calibration::Kind::Isotonic)
    out.emplace_back("probabilities calibrated by isotonic regression");
  return out;
}

}  // namespace wald::cli
