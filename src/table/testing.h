// What the tests of this folder share.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "wald/task.h"

namespace wald {

inline Table read(std::string_view text, const ReadOptions& options = {}) {
  auto table = read_csv(text, "t.csv", options);
  if (!table) ADD_FAILURE() << table.error().message;
  return table ? *std::move(table) : Table{};
}

inline Error refused(std::string_view text, const ReadOptions& options = {}) {
  const auto table = read_csv(text, "t.csv", options);
  EXPECT_FALSE(table);
  return table ? Error{} : table.error();
}

}  // namespace wald
