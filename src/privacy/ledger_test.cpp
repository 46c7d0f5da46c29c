#include "privacy/ledger.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
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

TEST_F(LedgerFile, RowsAndPartiesAreNotAddedUp) {
  ASSERT_TRUE(create_ledger(path, "d.csv", 5, 1e-6));
  Release party = release(1);
  party.neighbours = "all rows (at most 2) of one contributor in column 'a' added or removed";
  ASSERT_TRUE(spend(path, party));
  const auto refused = spend(path, release(0.1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::PrivacyRefusal);
  party.neighbours = "all rows (at most 9) of one contributor in column 'a' added or removed";
  EXPECT_TRUE(spend(path, party));  // how many of a party's rows count is paid for in mu
  party.neighbours = "all rows (at most 9) of one contributor in column 'b' added or removed";
  EXPECT_FALSE(spend(path, party));
}

TEST_F(LedgerFile, CostsBelowNothingAndBudgetsThatAreNoneAreRefused) {
  EXPECT_FALSE(create_ledger(path, "d.csv", -1, 1e-6));
  EXPECT_FALSE(create_ledger(path, "d.csv", INFINITY, 1e-6));
  EXPECT_FALSE(create_ledger(path, "d.csv", 1, 1));
  ASSERT_TRUE(create_ledger(path, "d.csv", 1, 1e-6));
  EXPECT_FALSE(set_budget(path, NAN, 1e-6));
  EXPECT_FALSE(set_budget(path, 0, 1e-6));
  ASSERT_TRUE(spend(path, {.cost = {.epsilon = 1, .pure = -3}}));  // as one who can write the file might
  EXPECT_EQ(inspect_ledger(path)->broken_line, 2u);
}

// The advice must not be to take another ledger, which would forget what was spent.
TEST_F(LedgerFile, WhatIsNoFileOrCannotBeReachedIsAnErrorAndNotANewLedger) {
  EXPECT_FALSE(*ledger_exists(path));
  ASSERT_TRUE(create_ledger(path, "d.csv", 1, 1e-6));
  EXPECT_TRUE(*ledger_exists(path));
  EXPECT_FALSE(ledger_exists("/dev/full"));
  EXPECT_FALSE(inspect_ledger("/dev/full"));
  EXPECT_FALSE(ledger_exists(std::filesystem::path(path).parent_path().string()));
  EXPECT_FALSE(ledger_exists(std::string(5000, 'x')));
  const std::string link = path + ".link";
  std::filesystem::create_symlink(link, link);
  EXPECT_FALSE(ledger_exists(link));
}

// One that is restored from a copy while a run waits for the lock: the run pays from what is there now.
TEST_F(LedgerFile, ALedgerThatWasReplacedIsPaidFromAndNotTheOneThatWasThere) {
  ASSERT_TRUE(create_ledger(path, "d.csv", 1, 1e-6));
  const std::string fresh = text();
  const int held = ::open(path.c_str(), O_RDWR);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  std::thread run([&] { EXPECT_TRUE(spend(path, release(0.5))); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::ofstream(path + ".copy") << fresh;
  std::filesystem::rename(path + ".copy", path);
  ::close(held);
  run.join();
  EXPECT_EQ(read_ledger(path)->lines.size(), 2u);
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
