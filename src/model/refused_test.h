// Models that must not be loaded.
#pragma once
#include <gtest/gtest.h>

#include <span>
#include <string>

#include "model/validate.h"
#include "wald/model.h"

namespace wald {

// Expects the file of a model so changed to be refused with a message that holds `words`.
template <class Change>
void expect_refused(const Model& sound, const std::string& words, Change change) {
  Model model = sound;
  change(model);
  EXPECT_NE(flaw(model).find(words), std::string::npos) << flaw(model) << " does not say " << words;
  const std::string bytes = to_bytes(model);
  const auto back = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
  ASSERT_FALSE(back) << words;
  EXPECT_EQ(back.error().kind, ErrorKind::BadModel);
  EXPECT_TRUE(back.error().message.starts_with("m.wald is a damaged model: ")) << back.error().message;
  EXPECT_FALSE(back.error().cure.empty());
}

}  // namespace wald
