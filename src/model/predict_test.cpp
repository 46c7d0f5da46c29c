#include "wald/predict.h"

#include <gtest/gtest.h>

#include <atomic>

#include "core/parallel.h"
#include "model/sample_test.h"

namespace wald {
namespace {

using Kind = wald::Test;  // testing::Test hides it inside tests

// --- the definition: one row, one tree, straight from the meaning of the nodes ---------------------------------------

struct OneRow {
  const Model& model;
  const Table& table;
  std::size_t row;

  bool missing(std::size_t c) const { return number(c) != number(c) || (level(c) < 0 && is_category(c)); }
  bool is_category(std::size_t c) const { return model.schema.columns[c].type == ColumnType::Category; }
  const Column& column(std::size_t c) const {
    return *std::ranges::find(table.columns, model.schema.columns[c].name, &Column::name);
  }
  double number(std::size_t c) const { return is_category(c) ? 0 : column(c).numbers()[row]; }
  std::int32_t level(std::size_t c) const {
    if (!is_category(c)) return -1;
    const Categories& words = column(c).categories();
    if (words.code[row] < 0) return -1;
    const auto& levels = model.schema.columns[c].level;
    const auto found = std::ranges::find(levels, words.level[words.code[row]]);
    return found == levels.end() ? -1 : static_cast<std::int32_t>(found - levels.begin());
  }
  std::uint32_t child(const Node& node) const {
    const Forest& forest = model.forest();
    const std::uint32_t c = node.column();
    if (node.test() == Kind::Threshold) return number(c) <= forest.cuts[c][node.ref] ? 0 : 1;
    if (node.test() == Kind::Set) return forest.set_has(node.ref, level(c)) ? 0 : 1;
    return static_cast<std::uint32_t>(level(c));
  }
  std::uint32_t surrogate_child(const Node& node) const {
    const auto all = model.forest().surrogates_of(node);
    std::size_t k = 0;
    while (k + 1 < all.size() && missing(all[k].column())) ++k;
    if (k + 1 == all.size()) return all[k].ref;
    const std::uint32_t to = child(Node::binary(all[k].test(), all[k].column(), 0, all[k].ref, 0));
    return all[k].turned() ? 1 - to : to;
  }
  double below(const TreeView& tree, std::uint32_t k) const {  // cover
    const Node& node = tree.nodes[k];
    double sum = node.is_leaf() ? node.cover() : 0.0;
    for (std::uint32_t w = 0; w < node.ways(); ++w) sum += below(tree, node.child + w);
    return sum;
  }
  void add_leaf(const Node& leaf, double share, std::vector<double>& sum) const {
    const auto values = model.forest().values_of(leaf);
    for (std::uint32_t o = 0; o < values.size(); ++o) {
      double says = values[o];
      for (const Term& term : model.forest().terms_of(leaf))
        if (term.output == o && !missing(term.column))
          says += term.slope * (std::max(term.low, std::min(term.high, number(term.column))) - term.centre);
      sum[o] += share * says;
    }
  }
  void add(const TreeView& tree, std::uint32_t k, double share, std::vector<double>& sum) const {
    const Node& node = tree.nodes[k];
    if (node.is_leaf()) {
      add_leaf(node, share, sum);
    } else if (!missing(node.column())) {
      add(tree, node.child + child(node), share, sum);
    } else if (node.missing() == kMissingAsks) {
      add(tree, node.child + surrogate_child(node), share, sum);
    } else if (node.missing() != kMissingEverywhere) {
      add(tree, node.child + node.missing(), share, sum);
    } else {
      double total = 0;
      for (std::uint32_t w = 0; w < node.ways(); ++w) total += below(tree, node.child + w);
      for (std::uint32_t w = 0; w < node.ways(); ++w)
        add(tree, node.child + w, share * (total > 0 ? below(tree, node.child + w) / total : 1.0 / node.ways()), sum);
    }
  }
  std::vector<double> score() const {
    const Forest& forest = model.forest();
    std::vector<double> score = forest.base;
    for (std::size_t t = 0; t < forest.trees(); ++t) {
      std::vector<double> sum(forest.width());
      add(forest.tree(t), 0, 1, sum);
      for (std::size_t o = 0; o < sum.size(); ++o) score[forest.output.empty() ? o : forest.output[t]] += sum[o];
    }
    return score;
  }
};

std::vector<double> by_definition(const Model& model, const Table& table) {
  std::vector<double> all;
  for (std::size_t row = 0; row < table.rows; ++row) {
    const std::vector<double> one = OneRow{model, table, row}.score();
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

TEST(Predict, EqualsTheDefinitionBitForBit) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Model model = sample::random_model(seed);
    const Table table = sample::random_table(model, 60, seed);
    const auto made = predict(model, table);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->score, by_definition(model, table)) << seed;
    if (model.link == Link::Identity || model.link == Link::Probabilities) { EXPECT_EQ(made->value, made->score); }
    if (model.link == Link::Ordered) {
      auto sorted = made->score;
      for (std::size_t row = 0; row < 60; ++row) std::sort(&sorted[3 * row], &sorted[3 * row] + 3);
      EXPECT_EQ(made->value, sorted);
    }
    EXPECT_EQ(made->label.size(), model.schema.classifies() ? 60u : 0u);
  }
}

TEST(Predict, DoesNotDependOnThreadsOrTheOrderOfWork) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Model model = sample::random_model(seed);
    const Table table = sample::random_table(model, 20'000, seed);
    const std::vector<double> once = predict(model, table, {.threads = 1})->score;
    EXPECT_EQ(once, by_definition(model, table));
    for (const int threads : {2, 7}) {
      shuffle_work(seed + 1);
      EXPECT_EQ(predict(model, table, {.threads = threads})->score, once);
      shuffle_work(0);
    }
  }
}

TEST(Predict, TheFirstOfEquallyProbableClassesIsTheLabel) {
  Model model{.schema = {{}, sample::category("y", {"a", "b", "c"})}, .link = Link::Probabilities};
  model.body = Forest{.outputs = 3, .base = {0.2, 0.4, 0.4}};
  const auto made = predict(model, {{}, 2, "t", {}});
  EXPECT_EQ(made->label, (std::vector<std::int32_t>{1, 1}));
  EXPECT_EQ(made->value, (std::vector<double>{0.2, 0.4, 0.4, 0.2, 0.4, 0.4}));
}

TEST(Predict, AValueEqualToTheThresholdGoesLeftAndInfinitiesAreNumbers) {
  const double inf = std::numeric_limits<double>::infinity(), least = std::numeric_limits<double>::denorm_min();
  Model model{.schema = {{sample::number("x")}, sample::number("y")}};
  model.body = packed(Parts{.base = {0},
                            .cuts = {{0.1}},
                            .first = {0, 3},
                            .nodes = {{0, 1, 0, 1, Kind::Threshold}, {}, {}},
                            .values = {0, -1, 1}});
  const std::vector<double> x{0.1, std::nextafter(0.1, 1), inf, -inf, least, kMissing};
  EXPECT_EQ(predict(model, {{{"x", Numbers(x)}}, 6, "t", {}})->value, (std::vector<double>{-1, 1, 1, -1, -1, 1}));
  const Numbers decimal(std::vector<std::int32_t>{10, 11, 1'000'000, -5, 0, Numbers::kNone}, 2);
  EXPECT_EQ(predict(model, {{{"x", decimal}}, 6, "t", {}})->value, (std::vector<double>{-1, 1, 1, -1, -1, 1}));
}

Model of_scores(std::vector<double> base, Link link, std::vector<std::string> classes) {
  Field target = classes.empty() ? sample::number("y") : sample::category("y", classes);
  return {.schema = {{}, target}, .body = Forest{.outputs = static_cast<int>(base.size()), .base = base}, .link = link};
}

TEST(Predict, LogOddsBecomeTheTwoProbabilities) {
  for (const double score : {-800.0, -40.0, -1.5, 0.0, 0.25, 3.0, 40.0, 800.0}) {
    const auto made = predict(of_scores({score}, Link::Logistic, {"no", "yes"}), {{}, 1, "t", {}});
    ASSERT_EQ(made->value.size(), 2u);
    EXPECT_NEAR(made->value[1], 1 / (1 + std::exp(-score)), 1e-15);
    EXPECT_DOUBLE_EQ(made->value[0], 1 / (1 + std::exp(score))) << "also where it is small";
    EXPECT_EQ(made->label[0], score > 0 ? 1 : 0);
    EXPECT_EQ(made->score, std::vector<double>{score});
  }
}

TEST(Predict, ScoresOfClassesBecomeProbabilitiesThatSumToOne) {
  const auto made = predict(of_scores({1000, 999, -1e308}, Link::Softmax, {"a", "b", "c"}), {{}, 1, "t", {}});
  EXPECT_NEAR(made->value[0], 1 / (1 + std::exp(-1)), 1e-15);
  EXPECT_NEAR(made->value[0] + made->value[1], 1, 1e-15);
  EXPECT_EQ(made->value[2], 0);
  EXPECT_EQ(made->label[0], 0);
}

TEST(Predict, LogsOfCountsBecomeCounts) {
  const auto made = predict(of_scores({1.5}, Link::Exponential, {}), {{}, 2, "t", {}});
  EXPECT_NEAR(made->value[1], std::exp(1.5), 1e-14);
  EXPECT_TRUE(made->label.empty());
}

TEST(Predict, TheSecondClassIsPredictedAboveTheModelsThreshold) {
  Model model = of_scores({std::log(0.3 / 0.7)}, Link::Logistic, {"no", "yes"});
  const auto label = [&] { return predict(model, {{}, 1, "t", {}})->label[0]; };
  EXPECT_EQ(label(), 0);
  model.threshold = 0.29;
  EXPECT_EQ(label(), 1);
  model.threshold = 0.31;
  EXPECT_EQ(label(), 0);
}

TEST(Predict, ZeroRowsGiveZeroPredictions) {
  const Model model = sample::classes();
  const auto made = predict(model, sample::random_table(model, 0, 1));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->rows, 0u);
  EXPECT_TRUE(made->value.empty() && made->label.empty() && made->warnings.empty());
}

// --- matching a table to the model ----------------------------------------------------------------------------------

Table table_of_classes(std::vector<std::string> size, std::vector<double> age) {
  const Row rows = static_cast<Row>(age.size());
  Categories sizes{{}, size};
  for (std::int32_t k = 0; k < static_cast<std::int32_t>(rows); ++k)
    sizes.code.push_back(k % static_cast<int>(size.size()));
  return {{{"noise", Numbers(std::vector<double>(rows, 9))},
           {"größe", sizes},
           {"postcode", Categories{std::vector<std::int32_t>(rows, 0), {"p101"}}},
           {"age", Numbers(age)}},
          rows,
          "rows.csv",
          {}};
}

TEST(Matching, OrderIsFreeFurtherColumnsAreIgnoredAndLevelsAreMatchedByName) {
  const Model model = sample::classes();
  Table table = table_of_classes({"groß 😀", "klein"}, {50, 50, 20});
  const auto made = predict(model, table);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->warnings.empty());
  std::ranges::reverse(table.columns);
  EXPECT_EQ(predict(model, table)->score, made->score);
  EXPECT_EQ(made->score, by_definition(model, table));
}

TEST(Matching, ColumnsThatAreNotThereAreAllNamedWithTheirLikeliestMisspelling) {
  Table table = table_of_classes({"klein"}, {50});
  table.columns[3].name = "Age";
  table.columns[1].name = "weight";
  const Error error = predict(sample::classes(), table).error();
  EXPECT_EQ(error.kind, ErrorKind::BadData);
  EXPECT_EQ(error.message, "rows.csv lacks 2 columns that the model needs: 'age' (it has 'Age'), 'größe'");
  EXPECT_FALSE(error.cure.empty());
}

TEST(Matching, ManyAbsentColumnsMakeAShortMessage) {
  Model model{.schema = {{}, sample::number("y")}, .body = Forest{.base = {0}}};
  for (int i = 0; i < 5000; ++i) model.schema.columns.push_back(sample::number("column " + std::to_string(i)));
  std::get<Forest>(model.body).cuts.resize(5000);
  const std::string message = predict(model, {{}, 0, "t.csv", {}}).error().message;
  EXPECT_TRUE(message.ends_with("'column 7' and 4992 more")) << message;
}

TEST(Matching, UnseenLevelsFollowTheMissingBranchWithOneWarningAColumn) {
  const Model model = sample::classes();
  const Table table = table_of_classes({"klein", "riesig", "winzig"}, {50, 50, 50, 50, 50});
  const auto made = predict(model, table);
  ASSERT_EQ(made->warnings.size(), 1u);
  EXPECT_EQ(made->warnings[0],
            "column 'größe': 3 rows (60 %) have 2 levels unseen in training, the first 'riesig'; they follow the "
            "missing branch");
  EXPECT_EQ(made->score, by_definition(model, table));
  const auto one = predict(model, table_of_classes({"klein", "groß 😀", "riesig"}, {1, 2, 3, 4}));
  EXPECT_EQ(one->warnings.at(0),
            "column 'größe': 1 row (25 %) has level 'riesig', unseen in training; it follows the missing branch");
}

TEST(Matching, UnseenLevelsThatNoRowHasAreNotMentioned) {
  EXPECT_TRUE(predict(sample::classes(), table_of_classes({"klein", "riesig"}, {50}))->warnings.empty());
}

TEST(Matching, WordsWhereTheModelWantsNumbersAreAnErrorThatNamesTheFirst) {
  Table table = table_of_classes({"klein"}, {1, 2, 3});
  table.columns[3].data = Categories{{1, -1, 0}, {"old\x1b", "33.5"}};
  const Error error = predict(sample::classes(), table).error();
  EXPECT_EQ(error.kind, ErrorKind::BadData);
  EXPECT_EQ(error.message, "rows.csv, row 3: column 'age' must hold numbers, as in training, but has 'old\\x1b'");
}

TEST(Matching, WordsThatAreNumbersServeAsNumbers) {
  Table words = table_of_classes({"klein"}, {40, 40.5, kMissing});
  const auto numbers = predict(sample::classes(), words);
  words.columns[3].data = Categories{{0, 1, -1}, {"40", "40.5", "not used"}};
  EXPECT_EQ(predict(sample::classes(), words)->score, numbers->score);
}

TEST(Matching, NumbersWhereTheModelWantsCategoriesStandForTheirShortestText) {
  Model model{.schema = {{sample::category("c", {"-1.5", "0", "7"})}, sample::number("y")}};
  model.body = packed(Parts{.base = {0},
                            .cuts = {{}},
                            .first = {0, 4},
                            .nodes = {{0, 1, 3, 2, Kind::EachLevel}, {}, {}, {}},
                            .values = {0, 10, 20, 30}});
  const Table table{{{"c", Numbers(std::vector<double>{-0.0, -1.5, 7, 8, kMissing})}}, 5, "t", {}};
  const auto made = predict(model, table);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->value, (std::vector<double>{20, 10, 30, 30, 30}));
  EXPECT_EQ(made->warnings.at(0),
            "column 'c': 1 row (20 %) has level '8', unseen in training; it follows the missing branch");
}

TEST(Predict, StopsWhenToldAndTellsItsProgress) {
  const Model model = sample::classes();
  const Table table = sample::random_table(model, 10'000, 1);
  std::atomic<bool> stop = true;
  EXPECT_EQ(predict(model, table, {.stop = &stop}).error().kind, ErrorKind::Interrupted);
  std::uint64_t last = 0;
  const wald::Run run{.progress = [&](const Progress& p) {
    EXPECT_GT(p.done, last);
    last = p.done;
  }};
  EXPECT_TRUE(predict(model, table, run));
  EXPECT_EQ(last, 10'000u);
}

TEST(Predict, DeclarationsFixTheTypesAndLeaveTheLevelsOpen) {
  const Declarations declared = declarations(sample::classes().schema);
  ASSERT_EQ(declared.columns.size(), 4u);
  EXPECT_EQ(declared.columns[0], (Declared{.name = "age", .type = ColumnType::Number}));
  EXPECT_EQ(declared.columns[1], (Declared{.name = "größe", .type = ColumnType::Category}));
  EXPECT_EQ(declared.columns[3], (Declared{.name = "claim, yes?", .type = ColumnType::Category}));
}

}  // namespace
}  // namespace wald
