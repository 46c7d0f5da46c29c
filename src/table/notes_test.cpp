#include "table/notes.h"

#include <gtest/gtest.h>

namespace wald {
namespace {

TEST(Notes, DatesAreKnownInTheirCommonForms) {
  for (const char* text :
       {"2024-05-31", "2024/5/31", "31.5.2024", "05/31/24", "31-05-2024", "2024-05-31T12:30:59Z", "2024-05-31 12:30",
        "2024-05-31 12:30:59.250+02:00", "31-May-2024", "1 Jan 1999", "01-Sept-24"})
    EXPECT_TRUE(looks_like_date(text)) << text;
  for (const char* text : {"", "2024", "1.5", "12:30", "2024-05", "2024-05-31x", "1-2/3", "31-Foo-2024", "a-b-c",
                           "123-45-6789", "31 5 2024", "2024-05-31 25"})
    EXPECT_FALSE(looks_like_date(text)) << text;
}

TEST(Notes, LongListsAreShortened) {
  EXPECT_EQ(listed({"a"}), "'a'");
  EXPECT_EQ(listed({"a", "b", "c"}), "'a', 'b' and 'c'");
  EXPECT_EQ(listed({"a", "b", "c", "d", "e", "f", "g"}), "'a', 'b', 'c', 'd', 'e' and 2 more");
  EXPECT_EQ(quoted_name("a\nb"), "'a\\nb'");
}

}  // namespace
}  // namespace wald
