#include "learn/options.h"

#include <gtest/gtest.h>

#include "wald/learn.h"

namespace wald {
namespace {

Error refused(const Settings& settings, std::string_view learner = "cart") {
  const Status status = check_settings(learner, settings);
  return status ? Error{} : status.error();
}

TEST(Options, GoodSettingsPass) {
  EXPECT_TRUE(check_settings("cart", {}));
  EXPECT_TRUE(check_settings(
      "cart",
      {{"max-depth", "7"}, {"criterion", "entropy"}, {"min-leaf", "2.5"}, {"bins", "exact"}, {"zero-gain", "yes"}}));
  EXPECT_TRUE(check_settings("cart", {{"max-depth", "none"}, {"columns-per-node", "all"}}));
}

TEST(Options, AMistypedNameIsAnsweredWithTheNearestOne) {
  const Error error = refused({{"max-dept", "3"}});
  EXPECT_EQ(error.kind, ErrorKind::Usage);
  EXPECT_EQ(error.message, "learner cart has no option --max-dept");
  EXPECT_EQ(error.cure, "did you mean --max-depth?");
}

TEST(Options, ANameOfAnotherProgramIsAnsweredWithOursEvenWhereAnotherLearnerHasIt) {
  EXPECT_EQ(refused({{"eta", "0.1"}}, "boost").cure, "did you mean --learning-rate?");
  EXPECT_EQ(refused({{"gamma", "0.1"}}, "boost").cure, "did you mean --min-gain? --gamma is an option of adaboost");
  EXPECT_EQ(refused({{"alpha", "0.1"}}, "boost").cure, "did you mean --l1? --alpha is an option of cart");
  EXPECT_EQ(refused({{"gamma", "0.1"}}, "id3").cure,
            "it is an option of adaboost; leave it away, or choose that learner");
  EXPECT_TRUE(check_settings("adaboost", {{"gamma", "0.1"}}));
}

TEST(Options, AnUnknownNameIsAnsweredWithTheList) {
  EXPECT_NE(refused({{"zebra", "3"}}).cure.find("--criterion"), std::string::npos);
}

TEST(Options, ValuesAreJudgedByTheirRange) {
  EXPECT_EQ(refused({{"bins", "1"}}).cure, "give 2 to 65535, or exact");
  EXPECT_EQ(refused({{"bins", "99999999999999"}}).message, "--bins 99999999999999: out of range");
  EXPECT_EQ(refused({{"min-leaf", "-1"}}).cure, "give 0 or more");
  EXPECT_EQ(refused({{"min-leaf", "nan"}}).message, "--min-leaf nan: out of range");
  EXPECT_EQ(refused({{"max-depth", "three"}}).message, "--max-depth: 'three' is not a number it takes");
  EXPECT_EQ(refused({{"max-depth", "3x"}}).message, "--max-depth: '3x' is not a number it takes");
  EXPECT_EQ(refused({{"max-depth", ""}}).message, "--max-depth: '' is not a number it takes");
}

TEST(Options, ChoicesAreJudgedByTheirWords) {
  EXPECT_EQ(refused({{"criterion", "ginni"}}).cure, "did you mean 'gini'?");
  EXPECT_EQ(refused({{"order", "zig"}}).cure, "choose one of depth, level, best");
}

TEST(Options, AnUnknownLearnerIsAnsweredWithThoseThereAre) {
  EXPECT_EQ(refused({}, "cartt").cure, "did you mean 'cart'?");
  EXPECT_NE(refused({}, "bark").cure.find("cart"), std::string::npos);
}

TEST(Options, EveryRowOfEveryTableIsComplete) {
  for (const LearnerInfo& learner : learners()) {
    EXPECT_FALSE(learner.help.empty());
    for (const OptionInfo& option : learner.options) {
      EXPECT_FALSE(option.help.empty()) << option.name;
      EXPECT_FALSE(option.range.empty()) << option.name;
      EXPECT_TRUE(check_settings(learner.name, {{option.name, option.fallback}}))
          << "the default of --" << option.name << " is refused";
    }
  }
}

}  // namespace
}  // namespace wald
