#include "cli/arguments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/config.h"
#include "cli/verbs.h"
#include "core/shell.h"

namespace wald::cli {
namespace {

const std::vector<Option> kOptions = {
    {.name = "target", .value = "COLUMN"},
    {.name = "output", .letter = 'o', .value = "FILE"},
    {.name = "force"},
    {.name = "verbose", .letter = 'v'},
    {.name = "ignore", .value = "COLUMN,...", .list = true},
    {.name = "task", .value = "KIND", .choices = {"classes", "numbers"}},
    {.name = "depth", .value = "N"},
};
using Words = std::vector<std::string>;

Arguments parsed(const Words& words) { return *parse("train", kOptions, words); }
Error refused(const Words& words) { return parse("train", kOptions, words).error(); }

TEST(Arguments, AValueFollowsAsTheNextWordOrBehindAnEqualsSign) {
  const Arguments a = parsed({"t.csv", "--target", "y", "-o", "m", "--depth=3"});
  EXPECT_EQ(a.operands, Words{"t.csv"});
  EXPECT_EQ(a.text("target"), "y");
  EXPECT_EQ(a.text("output"), "m");
  EXPECT_EQ(a.text("depth"), "3");
  EXPECT_EQ(parsed({"--target=a=b"}).text("target"), "a=b");
  EXPECT_EQ(parsed({"-om"}).text("output"), "m");
  EXPECT_EQ(parsed({"--target="}).text("target"), "");
}

TEST(Arguments, TwoDashesEndTheOptionsAndOneIsAnOperand) {
  EXPECT_EQ(parsed({"-", "--force", "--", "--target", "-v"}).operands, (Words{"-", "--target", "-v"}));
}

TEST(Arguments, ANegativeNumberIsAValue) { EXPECT_EQ(parsed({"--depth", "-1"}).text("depth"), "-1"); }

TEST(Arguments, ListsMayBeRepeatedAndQuoted) {
  EXPECT_EQ(parsed({"--ignore", "a,b", "--ignore", "c"}).list("ignore"), (Words{"a", "b", "c"}));
  EXPECT_EQ(split_list(R"("region, area",age)"), (Words{"region, area", "age"}));
  EXPECT_EQ(split_list(R"("say ""hi""",x"y)"), (Words{"say \"hi\"", "x\"y"}));
  EXPECT_EQ(split_list(""), Words{""});
}

TEST(Arguments, MistakesNameTheWordAndTheCure) {
  EXPECT_EQ(refused({"--taget", "y"}), usage("unknown option --taget of train", "did you mean --target?"));
  EXPECT_EQ(refused({"--taget=y"}).cure, "did you mean --target?");
  EXPECT_EQ(refused({"--zzzzzz"}).cure, "wald train -h lists the options");
  EXPECT_EQ(refused({"-x"}).message, "unknown option -x of train");
  EXPECT_EQ(refused({"-vx"}).message, "unknown option -vx of train");
  EXPECT_EQ(refused({"--target"}), usage("--target needs a value", "write --target COLUMN"));
  EXPECT_EQ(refused({"--target", "--force"}).message, "--target needs a value");
  EXPECT_EQ(refused({"--target", "a", "--target", "b"}).message, "--target is given twice");
  EXPECT_EQ(refused({"--force=yes"}).message, "--force is a switch and takes no value");
  EXPECT_EQ(refused({"--task", "clases"}), usage("--task: 'clases' is none of its choices", "did you mean 'classes'?"));
  EXPECT_EQ(refused({"--t\x1b[2J"}).message, "unknown option --t\\x1b[2J of train");
}

TEST(Arguments, NumbersAreJudged) {
  EXPECT_EQ(*parsed({"--depth", "7"}).whole("depth", 1, 0, 10), 7u);
  EXPECT_EQ(*parsed({}).whole("depth", 1, 0, 10), 1u);
  for (const char* bad : {"", "x", "-1", "11", "1.5", "99999999999999999999"})
    EXPECT_FALSE(parsed({"--depth", bad}).whole("depth", 1, 0, 10)) << bad;
  EXPECT_EQ(*parsed({"--depth", "0.5"}).number("depth", 1, 0, 10), 0.5);
  for (const char* bad : {"", "nan", "-1", "inf", "0,5"})
    EXPECT_FALSE(parsed({"--depth", bad}).number("depth", 1, 0, 10)) << bad;
}

class Config : public testing::Test {
 protected:
  Status merge(const std::string& text, Arguments& into) {
    const std::string path = (std::filesystem::temp_directory_path() / "wald-config-test.json").string();
    std::ofstream(path) << text;
    Status status = merge_config(path, kOptions, into);
    std::filesystem::remove(path);
    return status;
  }
};

TEST_F(Config, SetsWhatTheCommandLineDoesNot) {
  Arguments a = parsed({"--target", "y"});
  ASSERT_TRUE(merge(R"({"target": "z", "depth": 3, "force": true, "verbose": false, "ignore": ["a, b", "c\"d"]})", a));
  EXPECT_EQ(a.text("target"), "y");
  EXPECT_EQ(a.text("depth"), "3");
  EXPECT_TRUE(a.has("force"));
  EXPECT_FALSE(a.has("verbose"));
  EXPECT_EQ(a.list("ignore"), (Words{"a, b", "c\"d"}));
}

TEST_F(Config, RefusesWhatItDoesNotUnderstand) {
  Arguments a;
  for (const char* bad : {"", "[]", "{", "3", R"({"depht": 3})", R"({"force": 1})", R"({"depth": [1]})",
                          R"({"depth": {"a": 1}})", R"({"task": "x"})", R"({"help": true})", "[[[[[[[[[[[["})
    EXPECT_EQ(merge(bad, a).error().kind, ErrorKind::Usage) << bad;
}

TEST(Verbs, NoOptionNameStandsForTwoThingsInOneVerb) {
  for (const Verb& verb : verbs()) {
    std::vector<std::string> names;
    std::string letters;
    for (const Option& option : options_of(verb)) {
      names.push_back(option.name);
      if (option.letter) letters += option.letter;
      EXPECT_FALSE(option.help.empty()) << option.name;
      EXPECT_FALSE(option.help.ends_with('.')) << option.name;
    }
    std::ranges::sort(names);
    std::ranges::sort(letters);
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << verb.name;
    EXPECT_EQ(std::ranges::adjacent_find(letters), letters.end()) << verb.name;
  }
}

}  // namespace
}  // namespace wald::cli
