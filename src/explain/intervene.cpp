#include "explain/shap.h"
namespace wald {
BlockExplainer background_explainer(const Forest&, const ExplainTask&) { return {}; }
}  // namespace wald
