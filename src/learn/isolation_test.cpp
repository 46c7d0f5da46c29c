#include "learn/isolation.h"
#include "learn/fitting_test.h"

#include <algorithm>

#include "core/random.h"

namespace wald {
namespace {

using namespace testing;

TEST(Isolation, ExpectedDepthIsThatOfASearchThatFails) {
  EXPECT_EQ(isolation_depth(1), 0);
  EXPECT_EQ(isolation_depth(2), 1);
  EXPECT_NEAR(isolation_depth(3), 2 * 1.5 - 4.0 / 3, 1e-15);
  EXPECT_NEAR(isolation_depth(256), 10.24869, 1e-5);
}

// As rows that are all alike.
TEST(Isolation, OneRowIsAsOrdinaryAsAny) {
  const Task task = task_of("claims", "claim");
  const Task one = take_rows(task, std::vector<Row>{0});
  const Model model = must_fit("isolation-forest", one, {});
  const auto p = predict(model, task.x);
  for (const double score : p->value) EXPECT_NEAR(score, 0.5, 1e-15);
}

TEST(Isolation, ScoresAreBetweenNoughtAndOneAndOutliersHaveTheHighest) {
  Table table{.rows = 500, .source = "made.csv"};
  const Random random(1, Purpose::Sample);
  for (int c = 0; c < 3; ++c) {
    std::vector<double> v(500);
    for (Row r = 0; r < 500; ++r) v[r] = random.unit(1000u * static_cast<unsigned>(c) + r) + (r == 77 ? 5 : 0);
    table.columns.push_back({"x" + std::to_string(c), Numbers(v)});
  }
  const auto task = make_task(table, {.no_target = true});
  for (const int threads : {1, 5}) {
    const Model model = must_fit("isolation-forest", *task, {{"trees", "64"}}, {.threads = threads});
    const auto p = predict(model, table);
    for (const double s : p->value) EXPECT_TRUE(s > 0 && s < 1) << s;
    EXPECT_EQ(std::ranges::max_element(p->value) - p->value.begin(), 77);
    EXPECT_GT(p->value[77], 0.7);
  }
}

}  // namespace
}  // namespace wald
