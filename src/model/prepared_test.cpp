#include "model/prepared_test.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/file.h"
#include "model/container.h"
#include "model/refused_test.h"
#include "model/validate.h"
#include "wald/predict.h"

namespace wald {
namespace {

TEST(PreparedModel, IsSoundAndComesBackFromItsBytes) {
  const Model model = sample::prepared();
  EXPECT_EQ(flaw(model), "");
  const std::string bytes = to_bytes(model);
  const auto back = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, model);
  EXPECT_EQ(to_bytes(*back), bytes);
}

TEST(PreparedModel, VersionOneLoadsAndPredictsAsEver) {
  const std::string path = WALD_TESTS "/data/golden/v1_prepared.wald";
  const auto loaded = load(path);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(*loaded, sample::prepared());
  EXPECT_EQ(map_file(path)->text(), to_bytes(sample::prepared()));
  const Table table = sample::raw_table(6, 3);
  const auto p = predict(*loaded, table);
  ASSERT_TRUE(p) << p.error().message;
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(p->label[i], p->value[2 * i + 1] > 0.3125 ? 1 : 0);
}

TEST(PreparedModel, ATableOfOtherColumnsIsRefusedByTheirOwnNames) {
  Table table = sample::raw_table(3, 1);
  table.columns.erase(table.columns.begin() + 2);
  const auto p = predict(sample::prepared(), table);
  ASSERT_FALSE(p);
  EXPECT_NE(p.error().message.find("'town'"), std::string::npos) << p.error().message;
}

TEST(PreparedModel, LevelsUnseenInTrainingAreToldByTheTablesColumns) {
  Table table = sample::raw_table(4, 2);
  std::get<Categories>(table.columns[2].data).code = {3, 0, 3, -1};
  std::get<Categories>(table.columns[4].data).code = {0, 1, -1, 0};
  const auto p = predict(sample::prepared(), table);
  ASSERT_EQ(p->unseen.size(), 1u);
  EXPECT_EQ(p->unseen[0].column, 2u);
  EXPECT_NE(p->warnings[0].find("column 'town': 2 rows"), std::string::npos) << p->warnings[0];
}

TEST(PreparedModel, WhatBecomesOfUnseenLevelsIsToldAsItIs) {
  Table table = sample::raw_table(4, 2);
  for (const std::size_t c : {2u, 3u, 4u}) std::get<Categories>(table.columns[c].data).code = {0, 0, 0, 0};
  const auto told = [&](Model model, std::size_t column) {
    Table one = table;
    Categories& words = std::get<Categories>(one.columns[column].data);
    words.code = {static_cast<std::int32_t>(words.level.size()) - 1, 0, 0, 0};
    const auto p = predict(model, one);
    EXPECT_TRUE(p) << p.error().message;
    EXPECT_LE(p->warnings.size(), 1u);
    return p->warnings.empty() ? "" : p->warnings[0].substr(p->warnings[0].find("; ") + 2);
  };
  EXPECT_EQ(told(sample::prepared(), 2), "taken for a rare level");
  EXPECT_EQ(told(sample::prepared(), 3), "it follows the missing branch");
  EXPECT_EQ(told(sample::prepared(), 4), "coded by the mean of all rows");
  Model plain = sample::prepared();
  std::erase_if(plain.preparation.steps, [](const PreparationStep& s) { return s.kind == StepKind::Rare; });
  EXPECT_EQ(told(plain, 2), "0 in each column made of it");
}

TEST(PreparedModel, BrokenStepsAndCurvesAreRefused) {
  const auto refused = [](const char* words, auto change) { expect_refused(sample::prepared(), words, change); };
  refused("step 1 of its preparation looks at 'idd'", [](Model& m) { m.preparation.steps[0].from[0] = "idd"; });
  refused("step 12 of its preparation has no scale", [](Model& m) { m.preparation.steps[11].number[1] = 0; });
  refused("other columns than it looks at",
          [](Model& m) { m.preparation.steps.pop_back(), m.preparation.steps.pop_back(); });
  refused("two columns are named 'age'", [](Model& m) { m.preparation.columns[0].name = "age"; });
  refused("does not ascend", [](Model& m) { m.calibration.curves[0].at[1] = -2; });
  refused("does not ascend", [](Model& m) { m.calibration.curves[0].to[1] = 0; });
  refused("does not ascend", [](Model& m) { m.calibration.curves[0].to[3] = 1.5; });
  refused("2 curves of calibration for 2 classes", [](Model& m) { m.calibration.curves.push_back({{1}, {1}}); });
  refused("is not whole", [](Model& m) { m.calibration.curves[0].at[0] = kMissing; });
  refused("a sigmoid of its calibration has knots", [](Model& m) { m.calibration.kind = Calibration::Kind::Sigmoid; });
  refused("in an unknown way", [](Model& m) { m.calibration.kind = static_cast<Calibration::Kind>(7); });
}

TEST(PreparedModel, DamagedAndSealedAgainItIsRefusedOrSound) {
  sample::Draws draw(5);
  const std::string sound = to_bytes(sample::prepared());
  const Table table = sample::raw_table(5, 9);
  std::size_t loaded = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string bytes = sound;
    for (std::uint64_t times = 1 + draw.below(3); times > 0; --times) {
      const std::size_t at = draw.below(bytes.size());
      if (draw.chance(0.5)) bytes[at] = static_cast<char>(bytes[at] ^ (1 << draw.below(8)));
      else {
        const auto value = static_cast<std::uint32_t>(draw.below(40));
        std::memcpy(bytes.data() + at, &value, std::min<std::size_t>(4, bytes.size() - at));
      }
    }
    seal(std::as_writable_bytes(std::span(bytes)));
    const auto back = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
    if (!back) continue;
    ++loaded;
    ASSERT_EQ(flaw(*back), "");
    (void)predict(*back, table);
  }
  EXPECT_GT(loaded, 0u);
}

}  // namespace
}  // namespace wald
