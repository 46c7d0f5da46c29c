#include "core/shell.h"

#include <gtest/gtest.h>

namespace wald {
namespace {

using Groups = std::vector<std::vector<std::string>>;

TEST(Shell, GroupsAreSplitAtCommasAndWithinThemAtTheirJoint) {
  EXPECT_EQ(split_groups("a+b,c", '+'), (Groups{{"a", "b"}, {"c"}}));
  EXPECT_EQ(split_groups("", '+'), Groups{{""}});
  EXPECT_EQ(split_groups("a+,b", '+'), (Groups{{"a", ""}, {"b"}}));
}

TEST(Shell, QuotedWordsOfGroupsHoldCommasJointsAndDoubledQuotes) {
  EXPECT_EQ(split_groups(R"("a,b"+"c+d","say ""hi""")", '+'), (Groups{{"a,b", "c+d"}, {"say \"hi\""}}));
  EXPECT_EQ(split_list(R"("a,b"=up,"c,d=down")"), (std::vector<std::string>{"a,b=up", "c,d=down"}));
}

}  // namespace
}  // namespace wald
