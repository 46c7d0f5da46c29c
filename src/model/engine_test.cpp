// The engine against the plain walk: forests of every kind, blocks of every size, single rows.
#include "model/engine.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "model/cells.h"
#include "model/sample_test.h"
#include "wald/predict.h"

namespace wald {
namespace {

using Kind = wald::Test;  // testing::Test hides it inside tests

std::vector<std::vector<double>> cells_by_row(const Model& model, const Table& table) {
  const Matched matched = *match(model.schema, table);
  std::vector<std::vector<double>> rows(table.rows, std::vector<double>(matched.columns.size()));
  std::vector<double> room(table.rows);
  for (std::size_t c = 0; c < matched.columns.size(); ++c) {
    const double* cell = cells_of(matched.columns[c], 0, table.rows, room.data());
    for (std::size_t row = 0; row < table.rows; ++row) rows[row][c] = cell[row];
  }
  return rows;
}

std::vector<double> walked(const Model& model, const std::vector<std::vector<double>>& rows) {
  const Forest& forest = model.forest();
  const Walker walker(forest);
  Walker::Room room;
  std::vector<double> out;
  for (const auto& row : rows) {
    std::vector<double> score = forest.base;
    for (std::size_t t = 0; t < forest.trees(); ++t)
      walker.add(t, 0, [&](std::uint32_t column) { return row[column]; }, score.data(), 1, room);
    out.insert(out.end(), score.begin(), score.end());
  }
  return out;
}

std::vector<double> one_by_one(const Model& model, const std::vector<std::vector<double>>& rows) {
  const Engine engine(model);
  std::vector<double> out, score(static_cast<std::size_t>(model.forest().outputs));
  for (const auto& row : rows) {
    engine.score_row(row, score.data());
    out.insert(out.end(), score.begin(), score.end());
  }
  return out;
}

// All numbers known.
Table whole(Table table) {
  for (Column& column : table.columns)
    if (const auto* numbers = std::get_if<Numbers>(&column.data)) {
      std::vector<double> cell(table.rows);
      for (Row r = 0; r < table.rows; ++r) cell[r] = (*numbers)[r] == (*numbers)[r] ? (*numbers)[r] : 0.125;
      column.data = Numbers(std::move(cell));
    }
  return table;
}

void expect_walk(const Model& model, Row rows, std::uint64_t seed) {
  const Table any = sample::random_table(model, rows, seed);
  for (const Table& table : {any, whole(any)}) {
    const auto cells = cells_by_row(model, table);
    const std::vector<double> want = walked(model, cells);
    EXPECT_EQ(Predictor(model).predict(table)->score, want) << "seed " << seed;
    EXPECT_EQ(one_by_one(model, cells), want) << "seed " << seed;
  }
}

// Trees of numbers and categories of few and many levels, deeper than a circuit, some leaning to one side.
constexpr std::size_t kDeepLevels[] = {0, 0, 2, 64, 65, 200, 0, 1};  // 0: numbers
Model deep(std::uint64_t seed, int trees, std::size_t nodes, double missing_everywhere, bool two_ways = false,
           std::size_t outputs = 1, std::span<const std::size_t> levels = kDeepLevels, int cuts = 300,
           std::size_t vectors = ~std::size_t{0}) {
  sample::Draws draw(seed);
  Model model{.schema = {{}, sample::number("y")}};
  Parts forest{.outputs = static_cast<int>(outputs), .base = std::vector<double>(outputs, 0.25), .first = {0}};
  for (const std::size_t count : levels) {
    const std::string name = "x" + std::to_string(model.schema.columns.size());
    std::vector<std::string> words;
    for (std::size_t k = 0; k < count; ++k) words.push_back("l" + std::to_string(k));
    model.schema.columns.push_back(count == 0 ? sample::number(name) : sample::category(name, words));
    forest.cuts.emplace_back();
    double cut = -2;
    for (int k = 0; k < cuts && count == 0; ++k) forest.cuts.back().push_back(cut += 0.001 + 0.02 * draw.unit());
  }
  for (int t = 0; t < trees; ++t) {
    std::vector<TreeNode> tree(1);
    for (std::size_t k = 0; k < tree.size() && tree.size() < nodes; ++k) {
      if (k > 0 && draw.chance(t % 2 == 0 ? 0.1 : 0.45)) continue;
      TreeNode node = sample::random_node(draw, model.schema, forest, false);
      while (two_ways && node.test == Kind::EachLevel) node = sample::random_node(draw, model.schema, forest, false);
      if (node.test == Kind::EachLevel && draw.chance(0.8)) continue;
      if (draw.chance(missing_everywhere)) node.missing = kMissingEverywhere;
      node.child = static_cast<std::uint32_t>(tree.size());
      tree[k] = node;
      tree.resize(tree.size() + node.ways());
    }
    forest.nodes.insert(forest.nodes.end(), tree.begin(), tree.end());
    forest.first.push_back(forest.nodes.size());
  }
  for (std::size_t k = 0; k < forest.nodes.size(); ++k) {
    const std::size_t alone = k % (outputs + 1);  // of several numbers most leaves have one that is not 0
    for (std::size_t o = 0; o < outputs; ++o)
      forest.values.push_back(k >= vectors ? forest.values[forest.values.size() - vectors * outputs]
                              : outputs == 1 || alone == o || alone == outputs ? draw.unit()
                                                                               : 0);
    forest.cover.push_back(draw.unit());
  }
  model.body = packed(forest);
  return model;
}

TEST(Engine, EqualsTheWalkOnForestsOfEveryKind) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) expect_walk(sample::random_model(seed), 40, seed);
}

TEST(Engine, EqualsTheWalkOnDeepForests) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    expect_walk(deep(seed, 1 + static_cast<int>(seed) * 3, seed % 3 == 0 ? 3000 : 400, seed % 4 == 0 ? 0.2 : 0), 700,
                seed);
}

TEST(Engine, EqualsTheWalkOnForestsOfFullyGrownTrees) {
  int walked_deep = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Model model = deep(seed, 1 + static_cast<int>(seed) * 3, 3000, 0, true);
    walked_deep += Engine(model).deep(700);
    expect_walk(model, seed == 6 ? 5000 : 700 + static_cast<Row>(seed), seed);
    expect_walk(deep(seed, 4, 3000, 0, true, 5), 300, seed);
  }
  EXPECT_GE(walked_deep, 3);
}

// Numbers alone, in few bins, whose answers are found one by one, and in many, of which circuits ask some or all; two
// vectors of values, whose votes are counted, few and many; sets of few levels, of more than a word has bits for beside
// a node's other parts, of as many as it has beside missing, of more.
TEST(Engine, EqualsTheWalkWhateverTheStepsOfFullyGrownTrees) {
  const std::vector<std::size_t> kinds[] = {{0, 0, 0},  {0, 5, 40, 0, 2, 0}, {0, 5, 63, 0, 2, 0},
                                            {0, 64, 0}, {5, 40, 2},          {0, 1, 6, 10, 11}};
  for (const auto& levels : kinds)
    for (const int cuts : {1, 4, 5, 254, 255})
      for (const std::size_t vectors : {std::size_t{2}, std::size_t{200}, ~std::size_t{0}}) {
        const auto drawn = [&](std::uint64_t seed) { return deep(seed, 6, 3000, 0, true, 2, levels, cuts, vectors); };
        std::uint64_t seed = 1;
        while (seed < 20 && !Engine(drawn(seed)).deep(1301)) ++seed;
        EXPECT_LT(seed, 20u);
        expect_walk(drawn(seed), 1301, 3);
      }
}

TEST(Engine, SetsOfAColumnWithoutLevelsAreNotLaidOut) {
  const std::size_t levels[] = {5, 40, 2};
  Model model = deep(1, 6, 3000, 0, true, 2, levels);
  EXPECT_TRUE(Engine(model).deep(100'000));
  model.schema.columns[2].level.clear();
  EXPECT_FALSE(Engine(model).deep(100'000));
}

// Rows that miss numbers take more cells, and there must be a way for them too.
TEST(Engine, CellsOfWideTablesFitWhetherOrNotNumbersAreMissing) {
  constexpr std::size_t kColumns = 40'000;
  Model model{.schema = {{}, sample::number("y")}};
  Parts forest{.outputs = 1, .base = {0}, .first = {0}};
  for (std::size_t c = 0; c < kColumns; ++c)
    model.schema.columns.push_back(sample::number("x" + std::to_string(c))), forest.cuts.push_back({0.5});
  model.body = packed(forest);
  Asked asked(model.forest());
  for (const bool missing : {false, true}) {
    asked.of.assign(kColumns, Asked::kLeft);
    EXPECT_TRUE(DeepCells().find(model, asked, CircuitPlan{}, missing));
    asked.of.assign(kColumns, Asked::kLeft | Asked::kRight);
    EXPECT_FALSE(DeepCells().find(model, asked, CircuitPlan{}, missing));
  }
}

TEST(Engine, EqualsTheWalkWhateverTheNumberOfRows) {
  const Model model = deep(5, 20, 500, 0);
  for (const Row rows : {1u, 2u, 63u, 64u, 65u, 511u, 512u, 513u, 1500u}) expect_walk(model, rows, rows);
}

// A predictor lays its trees out for many rows, walks them as they are for few, and keeps what it is asked for again.
TEST(Engine, EqualsTheWalkHoweverOftenAndForHoweverManyRowsItIsAsked) {
  const std::vector<std::size_t> levels = {0, 0, 30, 0, 5};
  for (const std::size_t vectors : {std::size_t{2}, std::size_t{200}, ~std::size_t{0}}) {
    const Model model = deep(2, 5, 4000, 0, true, 2, levels, 100, vectors);
    ASSERT_TRUE(Engine(model).deep(700));
    EXPECT_FALSE(Engine(model).deep(5));
    const Predictor predictor(model);
    const Predictor of_whole(model);
    for (const Row rows : {5u, 20u, 700u, 5u, 1u, 1100u}) {
      const Table table = sample::random_table(model, rows, rows);
      EXPECT_EQ(predictor.predict(table)->score, walked(model, cells_by_row(model, table))) << rows;
      const Table known = whole(table);
      EXPECT_EQ(of_whole.predict(known)->score, walked(model, cells_by_row(model, known))) << rows;
      EXPECT_EQ(predictor.predict(known)->score, walked(model, cells_by_row(model, known))) << rows;
    }
  }
}

TEST(Engine, EqualsTheWalkWhereANumberIsMissingAfterManyRows) {
  const Model model = deep(3, 60, 3000, 0, true, 1, std::vector<std::size_t>{0, 0}, 20, 200);
  constexpr Row kRows = 150'000;
  ASSERT_TRUE(Engine(model).deep(kRows));
  Table table = whole(sample::random_table(model, kRows, 1));
  std::vector<double> cell(kRows);
  const auto& numbers = std::get<Numbers>(table.columns[0].data);
  for (Row r = 0; r < kRows; ++r) cell[r] = r == kRows - 7 ? kMissing : numbers[r];
  table.columns[0].data = Numbers(std::move(cell));
  const std::vector<double> got = Predictor(model).predict(table, {.threads = 1})->score;
  auto rows = cells_by_row(model, table);
  std::vector<std::vector<double>> some;
  std::vector<double> said;
  for (Row r = 0; r < kRows; r += r < kRows - 600 ? 100 : 1) some.push_back(rows[r]), said.push_back(got[r]);
  EXPECT_EQ(said, walked(model, some));
}

TEST(Engine, EqualsTheWalkWhateverTheNumberOfThreads) {
  const Model model = deep(4, 3, 3000, 0, true);
  ASSERT_TRUE(Engine(model).deep(3000));
  const Table table = sample::random_table(model, 3000, 1);
  const std::vector<double> want = walked(model, cells_by_row(model, table));
  for (const int threads : {1, 2, 3, 7}) EXPECT_EQ(Predictor(model).predict(table, {.threads = threads})->score, want);
}

TEST(Engine, EqualsTheWalkOnEveryInstructionSet) {
  const std::vector<std::size_t> numbers = {0, 0, 0}, sets = {0, 7, 20};
  const Model models[] = {deep(6, 20, 500, 0), deep(4, 13, 3000, 0, true),
                          deep(3, 13, 3000, 0, true, 1, numbers, 20, 200),
                          deep(2, 13, 3000, 0, true, 1, sets, 100, 200)};
  for (std::size_t k = 0; k < std::size(models); ++k) {
    const Model& model = models[k];
    // Groups of rows that are not whole, by more and by less than half.
    const Table table = sample::random_table(model, k % 2 == 0 ? 1300 : 1291, 6);
    const std::vector<double> want = walked(model, cells_by_row(model, table));
    const std::int64_t all = hwy::SupportedTargets();
    for (std::int64_t left = all; left != 0; left &= left - 1) {
      hwy::SetSupportedTargetsForTest(left & -left);
      EXPECT_EQ(Predictor(model).predict(table)->score, want) << hwy::TargetName(left & -left);
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(Engine, AForestWithMoreQuestionsThanAreWorthAskingIsWalked) {
  Model model{.schema = {{sample::number("x")}, sample::number("y")}};
  sample::Draws draw(3);
  Parts forest{.base = {0}, .cuts = {{}}, .first = {0}};
  for (int k = 0; k < 60'000; ++k) forest.cuts[0].push_back(k * 1e-4 - 3);
  for (std::uint32_t t = 0; t < 30'000; ++t) {
    forest.nodes.push_back({0, 1, 2 * t, static_cast<std::uint16_t>(t % 2), Kind::Threshold});
    forest.nodes.resize(forest.nodes.size() + 2);
    forest.first.push_back(forest.nodes.size());
  }
  for (std::size_t k = 0; k < forest.nodes.size(); ++k) forest.values.push_back(draw.unit());
  model.body = packed(forest);
  EXPECT_TRUE(plan_circuits(model).trees.empty());
  expect_walk(model, 100, 1);
}

TEST(Engine, NumbersAtAroundAndFarFromCutsFindTheirPlaces) {
  constexpr double kInf = std::numeric_limits<double>::infinity(), kMost = std::numeric_limits<double>::max();
  const std::vector<std::vector<double>> tables = {{0.5},
                                                   {-kInf, kInf},
                                                   {-kInf, 0, kInf},
                                                   {-kMost, kMost},
                                                   {0, std::numeric_limits<double>::denorm_min()},
                                                   {1, std::nextafter(1, 2), 1e300},
                                                   {-1e-300, 1e-300, 1, 2, 3, 1e9}};
  for (const std::vector<double>& cuts : tables) {
    Model model{.schema = {{sample::number("x")}, sample::number("y")}};
    Parts forest{.base = {0}, .cuts = {cuts}, .first = {0}};
    for (std::uint32_t k = 0; k < cuts.size(); ++k) {
      forest.nodes.push_back({0, 1, k, 1, Kind::Threshold});
      forest.nodes.resize(forest.nodes.size() + 2);
      forest.values.insert(forest.values.end(), {0, 0, std::ldexp(1.0, static_cast<int>(k))});
      forest.first.push_back(forest.nodes.size());
    }
    model.body = packed(forest);
    std::vector<std::vector<double>> rows;
    for (const double cut : cuts)
      for (const double x : {cut, std::nextafter(cut, kInf), std::nextafter(cut, -kInf)}) rows.push_back({x});
    for (const double x : {-kInf, -kMost, -1.0, -0.0, 0.0, 1.0, kMost, kInf, kMissing}) rows.push_back({x});
    std::vector<double> column;
    for (const auto& row : rows) column.push_back(row[0]);
    const Table table{{{"x", Numbers(column)}}, static_cast<Row>(rows.size()), "t", {}};
    EXPECT_EQ(Predictor(model).predict(table)->score, walked(model, rows));
    EXPECT_EQ(one_by_one(model, rows), walked(model, rows));
  }
}

TEST(Predictor, ARowHasTheBitsOfItsTable) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Model model = sample::random_model(seed);
    const Table table = sample::random_table(model, 20, seed);
    const Predictor predictor(model);
    const auto all = predictor.predict(table);
    ASSERT_TRUE(all);
    std::vector<double> one(predictor.width());
    const auto rows = cells_by_row(model, table);
    for (std::size_t row = 0; row < 20; ++row) {
      predictor.predict_row(rows[row], one);
      EXPECT_TRUE(std::ranges::equal(one, std::span(all->value).subspan(row * one.size(), one.size()))) << seed;
    }
  }
}

TEST(Predictor, APlaceThatIsNoLevelIsMissing) {
  const Model model = sample::scores();
  const Predictor predictor(model);
  std::vector<double> want(3), got(3);
  predictor.predict_row(std::vector<double>{1, kMissing}, want);
  for (const double place : {-1.0, 3.0, 1e9, -std::numeric_limits<double>::infinity()}) {
    predictor.predict_row(std::vector<double>{1, place}, got);
    EXPECT_EQ(got, want);
  }
}

}  // namespace
}  // namespace wald
