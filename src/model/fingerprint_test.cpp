#include <gtest/gtest.h>

#include <set>

#include "core/parallel.h"
#include "wald/model.h"
#include "wald/task.h"

namespace wald {
namespace {

Task task() {
  Task out;
  out.x = {{{"a", Numbers(std::vector<double>{0, 1.5, kMissing})}, {"b", Categories{{0, -1, 1}, {"no", "yes"}}}},
           3,
           "t",
           {}};
  out.target = "y";
  out.y = Classes{{0, 1, 0}, {"p", "q"}};
  return out;
}

TEST(Fingerprint, IsThisForThisTask) { EXPECT_EQ(fingerprint(task()), "355bb96ee181364c613ba87a42229927"); }

TEST(Fingerprint, DoesNotDependOnStorageSourceNotesOrThreads) {
  const std::string plain = fingerprint(task());
  Task other = task();
  other.x.columns[0].data = Numbers(std::vector<std::int32_t>{0, 150, Numbers::kNone}, 2);
  EXPECT_EQ(fingerprint(other), plain);
  other.x.columns[0].data = Numbers(std::vector<double>{-0.0, 1.5, -kMissing});
  EXPECT_EQ(fingerprint(other), plain);
  other.x.source = "elsewhere", other.notes = {"a note"}, other.left_out = {"id"};
  other.weight.assign(3, std::int64_t{1} << kWeightBits);
  EXPECT_EQ(fingerprint(other), plain);
  shuffle_work(3);
  EXPECT_EQ(fingerprint(other), plain);
  shuffle_work(0);
}

TEST(Fingerprint, ChangesWithEveryPartOfTheContent) {
  std::set<std::string> seen{fingerprint(task())};
  const auto expect_new = [&seen](auto edit) {
    Task other = task();
    edit(other);
    EXPECT_TRUE(seen.insert(fingerprint(other)).second) << seen.size();
  };
  expect_new([](Task& t) { t.x.columns[0].name = "A"; });
  expect_new([](Task& t) { t.x.columns[0].data = Numbers(std::vector<double>{0, 1.5, 0}); });
  expect_new([](Task& t) { t.x.columns[0].data = Numbers(std::vector<double>{1.5, 0, kMissing}); });
  expect_new([](Task& t) { t.x.columns[0].data = Categories{{0, 1, -1}, {"0", "1.5"}}; });
  expect_new([](Task& t) { t.x.columns[1].data = Categories{{0, -1, 0}, {"no", "yes"}}; });
  expect_new([](Task& t) { t.x.columns[1].data = Categories{{0, -1, 1}, {"no", "yess"}}; });
  expect_new([](Task& t) { t.x.columns[1].data = Categories{{0, -1, 1}, {"no", "ye", "s"}}; });
  expect_new([](Task& t) { std::swap(t.x.columns[0], t.x.columns[1]); });
  expect_new([](Task& t) { t.x.columns.pop_back(); });
  expect_new([](Task& t) { t.target = "z"; });
  expect_new([](Task& t) { t.y = Classes{{0, 1, 1}, {"p", "q"}}; });
  expect_new([](Task& t) { t.y = Classes{{0, 1, 0}, {"p", "r"}}; });
  expect_new([](Task& t) { t.y = std::vector<double>{0, 1, 0}; });
  expect_new([](Task& t) { t.weight = {std::int64_t{1} << kWeightBits, 0, std::int64_t{2} << kWeightBits}; });
}

}  // namespace
}  // namespace wald
