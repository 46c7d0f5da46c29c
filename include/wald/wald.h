// Everything: read a table, state the task, fit, predict, measure, save.
#pragma once
#include "wald/decide.h"    // IWYU pragma: export
#include "wald/explain.h"   // IWYU pragma: export
#include "wald/forest.h"    // IWYU pragma: export
#include "wald/forests.h"   // IWYU pragma: export
#include "wald/learn.h"     // IWYU pragma: export
#include "wald/loss.h"      // IWYU pragma: export
#include "wald/measure.h"   // IWYU pragma: export
#include "wald/model.h"     // IWYU pragma: export
#include "wald/predict.h"   // IWYU pragma: export
#include "wald/result.h"    // IWYU pragma: export
#include "wald/rounds.h"    // IWYU pragma: export
#include "wald/run.h"       // IWYU pragma: export
#include "wald/table.h"     // IWYU pragma: export
#include "wald/task.h"      // IWYU pragma: export
#include "wald/validate.h"  // IWYU pragma: export
#include "wald/version.h"   // IWYU pragma: export
