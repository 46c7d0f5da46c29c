#include "learn/private_account.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "table/schema.h"
#include "wald/predict.h"
#include "wald/privacy.h"

namespace wald {
namespace {

// 400 honest rows and 100 copies of one company: through the text of schema and table, as a data officer writes them.
TEST(PrivateBoost, ASchemaBoundsTheRowsOfAContributor) {
  std::string text = "company,x,y\n";
  for (int row = 0; row < 500; ++row)
    text += row < 400 ? fmt::format("{},{},no\n", row, row % 7) : fmt::format("acme,{},yes\n", row % 7);
  const std::string rest =
      "{\"name\": \"x\", \"min\": 0, \"max\": 6}, {\"name\": \"y\", \"levels\": [\"no\", \"yes\"]}]}";
  const auto share = [&](const std::string& company) {
    const auto declared = parse_declarations("{\"wald_schema\": 1, \"columns\": [" + company + ", " + rest, "s.json");
    const PrivateRoles roles{.target = "y"};
    Settings settings{{"epsilon", "10"}, {"delta", "0.01"}, {"trees", "20"}};
    const auto whose = contributor_terms(*declared, roles, settings);
    const auto table = read_csv(text, "t", {.declared = lenient(*declared, *whose)});
    const auto task = make_private_task(*table, *declared, roles);
    EXPECT_EQ(task->rows.x.columns.size(), 1u);  // the name is never learned from
    if (!whose->empty()) {
      const Settings other{{"epsilon", "9"}, {"max-rows-per-contributor", "2"}};
      EXPECT_FALSE(fit_private("private-boost", *task, other));
    }
    const auto model = fit_private("private-boost", *task, settings);
    const auto predicted = predict(*model, task->rows.x);
    double sum = 0;
    for (Row row = 0; row < 500; ++row) sum += predicted->value[2 * row + 1] / 500;
    return sum;
  };
  EXPECT_LT(share("{\"name\": \"company\", \"contributor\": true, \"max_rows\": 1}"), 0.06);
  EXPECT_GT(share("{\"name\": \"company\", \"ignore\": true}"), 0.12);
}

TEST(PrivateTask, ContributorsOfSchemaAndOptionsMustAgree) {
  const Declarations three{{{.name = "who", .contributor = true, .max_rows = 3}}},
      open{{{.name = "who", .contributor = true}}};
  const auto of = [](const Declarations& declared, const std::string& name, Settings settings) {
    const auto out = contributor_terms(declared, {.target = "y", .contributor = name}, settings);
    return out ? *out + " " + settings["max-rows-per-contributor"] : out.error().message;
  };
  const Settings none, two{{"max-rows-per-contributor", "2"}}, same{{"max-rows-per-contributor", "3"}};
  EXPECT_EQ(of(three, "", none), "who 3");
  EXPECT_EQ(of(three, "who", same), "who 3");
  EXPECT_EQ(of(open, "", two), "who 2");
  EXPECT_EQ(of({}, "who", two), "who 2");
  EXPECT_EQ(of({}, "", none), " ");
  EXPECT_EQ(of(three, "id", none),
            "--contributor says that column 'id' tells whose a row is, the schema that 'who' does");
  EXPECT_EQ(of(three, "", two), "--max-rows-per-contributor is 2, max_rows of column 'who' in the schema 3");
  EXPECT_EQ(of({}, "", two), "--max-rows-per-contributor without --contributor: whose rows are whose?");
  EXPECT_EQ(of({}, "y", none), "column 'y' is the target and cannot say whose a row is as well");
  EXPECT_EQ(of(open, "", none),
            "the schema says that column 'who' tells whose a row is, and not how many rows of a party count");
  Settings settings;
  EXPECT_EQ(contributor_terms(open, {.target = "y"}, settings).error().kind, ErrorKind::PrivacyRefusal);
}

// However a missing name is written in memory, rows without one are one party's.
TEST(PrivateTask, RowsOfNoNameAreOnePartys) {
  const double odd = std::bit_cast<double>(std::bit_cast<std::uint64_t>(kMissing) + 1);
  const Table table{.columns = {{"who", Numbers(std::vector<double>{kMissing, odd, 1, 0.0, -0.0})},
                                {"a", Numbers(std::vector<double>(5, 1.0))},
                                {"y", Numbers(std::vector<double>(5, 1.0))}},
                    .rows = 5};
  const Declarations schema{{{.name = "a", .lowest = 0, .highest = 2}, {.name = "y", .lowest = 0, .highest = 2}}};
  const auto task = make_private_task(table, schema, {.target = "y", .contributor = "who"});
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_EQ(task->contributor, (std::vector<std::uint32_t>{0, 0, 1, 2, 2}));
}

}  // namespace
}  // namespace wald
