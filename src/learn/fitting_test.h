// What the tests of the learners share: a task of a bundled table, and a fit that must succeed.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wald/wald.h"

namespace wald::testing {

inline Task task_of(const std::string& table, const std::string& target, TaskKind kind = TaskKind::Infer,
                    const std::vector<std::string>& more = {}) {
  auto read = read_table(std::string(WALD_DATA) + "/" + table + ".csv");
  EXPECT_TRUE(read) << read.error().message;
  auto task =
      make_task(std::move(*read), {.target = target, .kind = kind, .more_targets = more, .drop_missing_target = true});
  EXPECT_TRUE(task) << task.error().message;
  return std::move(*task);
}

inline Model must_fit(std::string_view learner, const Task& task, const Settings& settings = {}, const Run& run = {},
                      const Rounds& rounds = {}) {
  auto model = fit(learner, task, settings, run, rounds);
  EXPECT_TRUE(model) << model.error().message;
  return model ? std::move(*model) : Model{};
}

inline Model fit_cart(const Task& task, const Settings& settings, const Run& run = {}) {
  return must_fit("cart", task, settings, run);
}

}  // namespace wald::testing
