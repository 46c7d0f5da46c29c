#include <fmt/format.h>

#include "core/parallel.h"
#include "core/text.h"
#include "learn/learner.h"
#include "learn/private_boost.h"
#include "learn/private_check.h"
#include "wald/privacy.h"
#include "wald/version.h"

namespace wald {
namespace {

Result<Model> refuse_open_rows(const Task&, const PrivateBoost&, const Run&) {
  return Error{ErrorKind::PrivacyRefusal, "a private learner takes rows with a schema, as a PrivateTask",
               "call make_private_task and fit_private"};
}

}  // namespace

Learner private_boost_learner() {
  return privately(learner<PrivateBoost, refuse_open_rows>(
      "private-boost", "boosted trees that tell next to nothing of any one contributor (differential privacy)"));
}

Result<Model> fit_private(std::string_view name, const PrivateTask& task, const Settings& settings, const Run& run) {
  const auto options = read_private(name, settings);
  if (!options) return options.error();
  if (!is_private(name)) return usage(fmt::format("learner {} is not private", printable(name)), "take private-boost");
  Result<Model> model = failure("not trained");
  Entropy entropy;
  with_threads(run.threads, [&] { model = fit_private_boost(task, *options, run, entropy); });
  if (!model) return model;
  // Neither the number of rows nor a hash of them: provenance has room for what was paid for and no more.
  model->made = {.version = std::string(kVersion), .learner = std::string(name), .options = option_texts(*options)};
  if (options->algorithm == PrivateAlgorithm::DpBoost) model->made.options["delta"] = "0";
  return model;
}

}  // namespace wald
