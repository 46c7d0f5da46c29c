#include "learn/preparing.h"

#include "learn/boost_test.h"
#include "wald/forests.h"

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

// As the trees said while they grew.
TEST(Preparing, AForestOfAPreparedTableTellsOfRowsOutOfBagAgain) {
  const Task task = task_of("claims", "claim");
  for (const Settings& prepared :
       {Settings{{"categories", "one-hot"}, {"impute", "median"}}, Settings{{"categories", "target"}},
        Settings{{"balance", "weights"}}, Settings{{"balance", "over"}}, Settings{{"balance", "under"}},
        Settings{{"impute", "drop-rows"}},
        Settings{{"impute", "drop-rows"}, {"balance", "under"}, {"scale", "standard"}}}) {
    OutOfBag bag;
    const Model model = must_fit("forest", task, with(prepared, {{"trees", "12"}}), {},
                                 {.out_of_bag = [&](const OutOfBag& told) { bag = told; }});
    const auto again = predict_out_of_bag(model, task);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->trees, bag.trees) << prepared.begin()->second;
    EXPECT_EQ(again->predictions.label, bag.predictions.label) << prepared.begin()->second;
    ASSERT_EQ(again->predictions.value.size(), 2 * task.x.rows);
    for (std::size_t i = 0; i < again->predictions.value.size(); ++i)
      EXPECT_NEAR(again->predictions.value[i], bag.predictions.value[i], 1e-12) << prepared.begin()->second;
    const auto sizes = out_of_bag_importance(model, task);
    ASSERT_TRUE(sizes) << sizes.error().message;
    EXPECT_EQ(sizes->gain.size(), task.x.columns.size());
    EXPECT_EQ(sizes->permutation.size(), task.x.columns.size());
    EXPECT_TRUE(standard_errors(model, task, task.x));
    Task other = task;
    other.x.columns[0].data = Numbers(std::vector<double>(task.x.rows, 1.0));
    EXPECT_EQ(predict_out_of_bag(model, other).error().kind, ErrorKind::BadData);
  }
}

// The regions' tree has seen every target: what trees said of rows out of their bags would be praise of itself.
TEST(Preparing, AForestOfRegionsTellsNothingOfRowsOutOfBag) {
  const Task task = task_of("claims", "claim");
  for (const std::string learner : {"forest", "bagging", "honest-forest"}) {
    bool told = false;
    std::string noted;
    const Model model = must_fit(
        learner, task, {{"trees", "12"}, {"regions", "8"}}, {},
        {.out_of_bag = [&](const OutOfBag&) { told = true; }, .noted = [&](const auto& what) { noted = what; }});
    EXPECT_FALSE(told) << learner;
    EXPECT_TRUE(model.found.empty()) << learner;
    EXPECT_NE(noted.find("wald cv"), std::string::npos) << learner;
    const auto bag = predict_out_of_bag(model, task);
    ASSERT_FALSE(bag) << learner;
    EXPECT_NE(bag.error().message.find("--regions"), std::string::npos) << learner;
    EXPECT_FALSE(out_of_bag_importance(model, task)) << learner;
    // The size of its leaves is that of a forest without rows out of bag.
    Model given = must_fit(learner, task, {{"trees", "12"}, {"regions", "8"}, {"min-split", "2"}});
    EXPECT_EQ(given.forest(), model.forest()) << learner;
  }
  std::string noted;
  const Rounds rounds{.noted = [&](const auto& what) { noted = what; }};
  must_fit("forest", task, {{"trees", "2"}, {"categories", "target"}}, {}, rounds);
  must_fit("extra-trees", task, {{"trees", "2"}, {"regions", "4"}}, {}, rounds);
  must_fit("boost", task, {{"trees", "2"}, {"regions", "4"}, {"early-stop", "none"}}, {}, rounds);
  EXPECT_EQ(noted, "");
  must_fit("boost", task, {{"trees", "2"}, {"regions", "4"}}, {}, rounds);
  EXPECT_NE(noted.find("--stop-on"), std::string::npos);
}

TEST(Preparing, QuantilesOfAPreparedForestAreOfItsTrainingTargets) {
  const Task task = task_of("auto_mpg", "mpg");
  const Model model = must_fit("forest", task, {{"trees", "9"}, {"scale", "standard"}, {"categories", "target"}});
  const double q[2] = {0.1, 0.9};
  const auto found = predict_quantiles(model, task, task.x, q);
  ASSERT_TRUE(found) << found.error().message;
  for (Row r = 0; r < task.x.rows; ++r) EXPECT_LE((*found)[2 * r], (*found)[2 * r + 1]);
}

TEST(Preparing, AnOptionThatWouldChangeNothingIsRefused) {
  EXPECT_FALSE(check_settings("cart", {{"one-hot-levels", "4"}}));
  EXPECT_FALSE(check_settings("cart", {{"level-rows", "4"}, {"categories", "ordinal"}}));
  EXPECT_TRUE(check_settings("cart", {{"level-rows", "4"}, {"categories", "target"}}));
  EXPECT_TRUE(check_settings("cart", {{"one-hot-levels", "4"}, {"categories", "one-hot"}}));
}

TEST(Learners, AnOptionOfAnotherLearnerIsToldWhoseItIs) {
  const Status refused = check_settings("boost", {{"epsilon", "1"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cure, "it is an option of private-boost; leave it away, or choose that learner");
}

// What is expected of all trees is of the same rows and weights as what is measured out of bag, or it is not told.
TEST(Preparing, NothingIsExpectedOfRowsThatWereBalanced) {
  const Task task = testing::task_of("claims", "claim");
  const Rounds asked{.out_of_bag = [](const OutOfBag&) {}};
  const auto told = [&](const Settings& settings) {
    return testing::must_fit("forest", task, settings, {}, asked).found.contains("oob_expected_accuracy");
  };
  EXPECT_TRUE(told({}));
  EXPECT_TRUE(told({{"scale", "standard"}}));
  EXPECT_TRUE(told({{"class-weights", "balanced"}}));
  for (const std::string balance : {"weights", "over", "under"}) EXPECT_FALSE(told({{"balance", balance}})) << balance;
}

}  // namespace
}  // namespace wald
