#include "learn/preparing.h"

#include "learn/boost_test.h"

namespace wald {
namespace {

using namespace testing;

TEST(Preparing, RoundsAddedToAModelOfAPreparedTableAreThoseOfOneRun) {
  const Task task = task_of("claims", "claim");
  for (const Settings& prepared :
       {Settings{{"scale", "min-max"}}, Settings{{"scale", "standard"}}, Settings{{"categories", "one-hot"}},
        Settings{{"categories", "ordinal"}}, Settings{{"categories", "target"}}, Settings{{"balance", "weights"}},
        Settings{{"impute", "median"}, {"indicator", "yes"}}}) {
    const Settings ten = with(with(kPlain, prepared), {{"trees", "10"}, {"l2", "1"}});
    const Model first = must_fit("boost", task, ten), whole = must_fit("boost", task, with(ten, {{"trees", "20"}}));
    const Model both = must_fit("boost", task, ten, {}, {.from = &first});
    EXPECT_EQ(both.forest().trees(), whole.forest().trees()) << prepared.begin()->second;
    EXPECT_EQ(predicted(both, task.x), predicted(whole, task.x)) << prepared.begin()->second;
  }
}

TEST(Preparing, AModelOfAnotherPreparationIsNotGoneOnFrom) {
  const Task task = task_of("claims", "claim");
  const Settings plain = with(kPlain, {{"trees", "3"}});
  const Model first = must_fit("boost", task, with(plain, {{"scale", "min-max"}}));
  const auto other = fit("boost", task, with(plain, {{"scale", "standard"}}), {}, {.from = &first});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::Usage);
  EXPECT_FALSE(fit("boost", task, plain, {}, {.from = &first}));
}

}  // namespace
}  // namespace wald
