#include "privacy/ledger.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "privacy/budget.h"

namespace wald {
namespace {

class LedgerFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("wald_ledger_" + random_identity());
    std::filesystem::create_directory(folder_);
    path = (folder_ / "d.ledger").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string text() const {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }
  void write(const std::string& content) const { std::ofstream(path) << content; }
  static Release release(double epsilon, double delta = 1e-6) {
    const auto budget = GaussianBudget::of(epsilon, delta);
    return {.cost = {.epsilon = epsilon, .delta = delta, .mu = budget->mu(), .more_delta = budget->set_aside()},
            .neighbours = "one row",
            .mechanism = "discrete Gaussian",
            .command = "train --epsilon 1",
            .model = random_identity()};
  }
  std::string path;

 private:
  std::filesystem::path folder_;
};

TEST_F(LedgerFile, KeepsWhatWasSpent) {
  ASSERT_TRUE(create_ledger(path, "d.csv", 2, 1e-6));
  EXPECT_FALSE(create_ledger(path, "d.csv", 9, 1e-6));
  const Release one = release(1);
  ASSERT_TRUE(spend(path, one));
  const auto ledger = read_ledger(path);
  ASSERT_TRUE(ledger);
  EXPECT_EQ(ledger->data, "d.csv");
  ASSERT_EQ(ledger->lines.size(), 2u);
  EXPECT_EQ(ledger->lines[1].release.model, one.model);
  EXPECT_NEAR(ledger->spent(), 1, 1e-4);
}

TEST_F(LedgerFile, ABudgetCanBeSpentToTheLastAndNotFurther) {
  ASSERT_TRUE(create_ledger(path, "d.csv", 1, 1e-6));
  ASSERT_TRUE(spend(path, release(1)));
  const auto refused = spend(path, release(0.01));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::PrivacyRefusal);
  ASSERT_TRUE(set_budget(path, 1.2, 1e-6));
  EXPECT_TRUE(spend(path, release(0.3)));  // Gaussian costs add as squares: 1 and 0.3 are less than 1.3
}

TEST_F(LedgerFile, PureEpsilonAddsUp) {
  ASSERT_TRUE(create_ledger(path, "d.csv", 1, 0));
  ASSERT_FALSE(spend(path, release(0.1)));
  const Release pure{.cost = {.epsilon = 0.5, .pure = 0.5}};
  EXPECT_TRUE(spend(path, pure));
  EXPECT_TRUE(spend(path, pure));
  EXPECT_FALSE(spend(path, pure));
}

TEST_F(LedgerFile, AnyChangeOfABitIsFound) {
  ASSERT_TRUE(create_ledger(path, "d.csv", 5, 1e-6));
  ASSERT_TRUE(spend(path, release(1)));
  ASSERT_TRUE(spend(path, release(0.5)));
  const std::string whole = text();
  for (std::size_t i = 0; i < whole.size(); i += 3) {
    std::string bent = whole;
    bent[i] = static_cast<char>(bent[i] ^ 1);
    write(bent);
    EXPECT_FALSE(read_ledger(path)) << i;
  }
  const std::size_t second = whole.find('\n') + 1, third = whole.find('\n', second) + 1;
  write(whole.substr(0, second) + whole.substr(third));  // a release left out
  EXPECT_FALSE(read_ledger(path));
  write(whole.substr(0, whole.size() - 5));  // torn
  EXPECT_FALSE(read_ledger(path));
  write(whole);
  EXPECT_TRUE(read_ledger(path));
}

TEST_F(LedgerFile, ABrokenOneStillTellsWhatHoldsAndWhereItBreaks) {
  ASSERT_TRUE(create_ledger(path, "d.csv", 5, 1e-6));
  ASSERT_TRUE(spend(path, release(1)));
  ASSERT_TRUE(spend(path, release(0.5)));
  EXPECT_EQ(inspect_ledger(path)->broken_line, 0u);
  std::string bent = text();
  bent[bent.rfind("0.5")] = '9';
  write(bent);
  const auto state = inspect_ledger(path);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->broken_line, 3u);
  EXPECT_EQ(state->ledger.lines.size(), 2u);
  EXPECT_NEAR(state->ledger.spent(), 1, 1e-4);
  for (const char* nonsense : {"", "\n", "a,b\n1,2\n", "{}\n", "null\n", "[1]\n", "{\"hash\": 3}\n"}) {
    write(nonsense);
    EXPECT_EQ(inspect_ledger(path)->broken_line, 1u) << nonsense;
  }
}

TEST_F(LedgerFile, OfRunsAtOnceOnlyAsManySpendAsThereIsBudgetFor) {
  ASSERT_TRUE(create_ledger(path, "d.csv", 1, 1e-6));
  std::atomic<int> spent = 0;
  std::vector<std::thread> runs;
  for (int i = 0; i < 8; ++i)
    runs.emplace_back([&] {
      if (spend(path, {.cost = {.epsilon = 0.3, .pure = 0.3}})) ++spent;
    });
  for (std::thread& run : runs) run.join();
  EXPECT_EQ(spent, 3);
  EXPECT_EQ(read_ledger(path)->lines.size(), 4u);
}

}  // namespace
}  // namespace wald
