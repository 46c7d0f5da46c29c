// Every rule of a model, broken one at a time in an otherwise sound model and put into a file whose checksum is right.
#include "model/validate.h"

#include <gtest/gtest.h>

#include <functional>

#include "model/refused_test.h"
#include "model/sample_test.h"

namespace wald {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
using Kind = wald::Test;  // testing::Test hides it inside tests

Forest& forest_of(Model& model) { return std::get<Forest>(model.body); }

template <class T, class Change>
void change(Array<T>& array, Change change) {
  std::vector<T> all(array.begin(), array.end());
  change(all);
  array = std::move(all);
}

void with_node(const std::string& words, std::size_t k, const std::function<void(Node&)>& edit) {
  expect_refused(sample::classes(), words,
                 [&](Model& model) { change(forest_of(model).nodes, [&](auto& nodes) { edit(nodes[k]); }); });
}

void with_forest(const std::string& words, const std::function<void(Forest&)>& edit) {
  expect_refused(sample::classes(), words, [&](Model& model) { edit(forest_of(model)); });
}

TEST(Validate, TheSamplesAreSound) {
  EXPECT_EQ(flaw(sample::classes()), "");
  EXPECT_EQ(flaw(sample::numbers()), "");
  EXPECT_EQ(flaw(sample::scores()), "");
}

TEST(Validate, NamesAreUniqueText) {
  const Model sound = sample::classes();
  expect_refused(sound, "two columns are named 'age'", [](Model& m) { m.schema.columns[1].name = "age"; });
  expect_refused(sound, "two columns are named 'age'", [](Model& m) { m.schema.target.name = "age"; });
  expect_refused(sound, "level 'klein' twice", [](Model& m) { m.schema.columns[1].level[2] = "klein"; });
  expect_refused(sound, "level 'no' twice", [](Model& m) { m.schema.target.level[2] = "no"; });
  expect_refused(sound, "not valid UTF-8", [](Model& m) { m.schema.columns[0].name = "\xC0\x80"; });
  expect_refused(sound, "not valid UTF-8", [](Model& m) { m.schema.columns[1].level[0] = "\xFF"; });
  expect_refused(sound, "not valid UTF-8", [](Model& m) { m.made.learner = "\xFF"; });
  expect_refused(sound, "not valid UTF-8", [](Model& m) { m.made.options["x"] = "\xFF"; });
  expect_refused(sound, "lists levels", [](Model& m) { m.schema.columns[0].level = {"a"}; });
}

TEST(Validate, ThresholdsAscendInColumnsOfNumbers) {
  with_forest("for 2 columns of 3", [](Forest& f) { f.cuts.pop_back(); });
  with_forest("for 4 columns of 3", [](Forest& f) { f.cuts.emplace_back(); });
  with_forest("holds categories but has thresholds", [](Forest& f) { f.cuts[1] = {1}; });
  with_forest("threshold 1 of column 'age' is -1.5", [](Forest& f) { f.cuts[0][1] = -1.5; });
  with_forest("threshold 1 of column 'age' is -2", [](Forest& f) { f.cuts[0][1] = -2; });
  with_forest("is nan", [](Forest& f) { f.cuts[0][0] = kMissing; });
  with_forest("is nan", [](Forest& f) { f.cuts[0][2] = kMissing; });
  with_forest("is -inf", [](Forest& f) { f.cuts[0][1] = -kInf; });
  Model model = sample::classes();
  forest_of(model).cuts[0] = {-kInf, 0, kInf};
  EXPECT_EQ(flaw(model), "") << "infinities divide missing from present and -inf from the rest";
}

TEST(Validate, ArraysHaveTheSizesTheyMust) {
  const auto drop = [](auto& all) { all.pop_back(); };
  with_forest("20 values for vectors of 3", [&](Forest& f) { change(f.values, drop); });
  with_forest("tree 1, node 2: it says value 6 of 6",
              [](Forest& f) { change(f.values, [](auto& v) { v.resize(18); }); });
  with_forest("3 gains for 4 splits", [&](Forest& f) { change(f.gain, drop); });
  with_forest("2 base scores for 3 outputs", [](Forest& f) { f.base.pop_back(); });
  with_forest("", [](Forest& f) { f.outputs = 0; });
  with_forest("", [](Forest& f) { f.outputs = -1; });
  with_forest("", [](Forest& f) { f.outputs = std::numeric_limits<int>::max(); });
  with_forest("tree 0 does not begin at node 0", [](Forest& f) { f.first = std::vector<std::uint64_t>{1, 8, 11}; });
  with_forest("tree 1 has no nodes", [](Forest& f) { f.first = std::vector<std::uint64_t>{0, 8, 8, 11}; });
  with_forest("tree 0 has no nodes", [](Forest& f) { f.first = std::vector<std::uint64_t>{0, 0, 11}; });
  with_forest("has no nodes", [](Forest& f) { f.first = std::vector<std::uint64_t>{0, ~0ull, 11}; });
  with_forest("does not end at its last node", [](Forest& f) { f.first = std::vector<std::uint64_t>{0, 8}; });
  with_forest("does not end at its last node", [](Forest& f) { f.first = std::vector<std::uint64_t>{0, 8, 12}; });
  with_forest("does not end at its last node", [](Forest& f) { f.first = std::vector<std::uint64_t>{0}; });
  with_forest("nodes but no tree", [](Forest& f) { f.first = {}; });
}

TEST(Validate, NumbersAreFinite) {
  for (const double bad : {kMissing, kInf, -kInf}) {
    const auto last = [bad](auto& all) { all.back() = bad; };
    with_forest("value 20 is not finite", [&](Forest& f) { change(f.values, last); });
    with_forest("base score 2 is not finite", [&](Forest& f) { f.base[2] = bad; });
    with_node("tree 0, node 3: its cover is not a finite number", 3,
              [&](Node& n) { n = Node::leaf(0, static_cast<float>(bad)); });
  }
  with_node("its cover is not", 3, [](Node& n) { n = Node::leaf(0, -1); });
  with_node("its cover is not", 3, [](Node& n) { n = Node::leaf(0, -0.0f); });
  with_forest("gain 0 is not a number",
              [](Forest& f) { change(f.gain, [](auto& all) { all[0] = static_cast<float>(kMissing); }); });
}

void set_column(Node& node, std::uint32_t column) { node.what = (node.what & ~(kMostColumns - 1)) | column; }

TEST(Validate, TestsFitTheirColumns) {
  with_node("tree 0, node 0: it tests column 3, the model has 3", 0, [](Node& n) { set_column(n, 3); });
  with_node("tests column 268435455", 0, [](Node& n) { set_column(n, kMostColumns - 1); });
  with_node("does not fit column 'größe'", 0, [](Node& n) { set_column(n, 1); });
  with_node("does not fit column 'age'", 1, [](Node& n) { set_column(n, 0); });
  with_node("does not fit column 'age'", 2, [](Node& n) { set_column(n, 0); });
  with_node("uses threshold 3 of column 'age', which has 3", 0, [](Node& n) { n.ref = 3; });
  with_node("set at 3 ends beyond the 4 words", 1, [](Node& n) { n.ref = 3; });
  with_node("set at 4294967295 ends beyond", 1, [](Node& n) { n.ref = ~0u; });
  with_node("tree 1, node 0: its set at 1 holds more levels", 8, [](Node& n) { n.ref = 1; });
  with_node("2 children for the 3 levels", 2, [](Node& n) { n.ref -= 1; });
  with_node("4 children for the 3 levels", 2, [](Node& n) { n.ref += 1; });
  with_node("its upper bits", 2, [](Node& n) { n.what |= 1u << 30; });
  with_node("it asks surrogates and has none", 0, [](Node& n) { n.what |= 3u << 30; });
  with_forest("set at 2 ends beyond the 3 words", [](Forest& f) { change(f.sets, [](auto& s) { s.pop_back(); }); });
}

TEST(Validate, MissingValuesHaveAWay) {
  with_node("sends missing values to child 3 of 3", 2, [](Node& n) { n = Node::each_level(1, 5, 3, 3); });
  with_node("sends missing values to child 65534 of 3", 2, [](Node& n) { n = Node::each_level(1, 5, 3, 65534); });
  expect_refused(sample::numbers(), "by cover, which the model lacks", [](Model& m) {
    change(forest_of(m).nodes, [](auto& nodes) { nodes[0] = Node::binary(Kind::Threshold, 0, 1, 1, 2); });
  });
  with_forest("a cover, in a model that keeps none", [](Forest& f) {
    f.covered = false;
    change(f.nodes, [](auto& nodes) {
      nodes[2] = Node::each_level(1, 5, 3, 0);
      nodes[8].what ^= 2u << 30;
    });
  });
}

TEST(Validate, NodesFormATree) {
  with_node("tree 0, node 1: its children 1 to 2", 1, [](Node& n) { n.child = 1; });  // itself
  with_node("tree 0, node 1: its children 0 to 1", 1, [](Node& n) { n.child = 0; });  // its parent
  with_node("its child 4 has another parent", 2, [](Node& n) { n.child = 4; });       // shared
  with_node("its children 7 to 8", 1, [](Node& n) { n.child = 7; });                  // the next tree's root
  with_node("its children 4294967295 to 4294967296", 1, [](Node& n) { n.child = ~0u; });
  with_node("its children 0 to 1", 0, [](Node& n) { n.child = 0; });
  with_forest("tree 0, node 3: it is the child of no node", [](Forest& f) {  // a hole
    change(f.nodes, [](auto& nodes) { nodes[1] = Node::leaf(0); });
    change(f.gain, [](auto& gain) { gain.pop_back(); });
  });
  with_node("it is a leaf, yet", 3, [](Node& n) { n.what = 1; });
  with_node("it is a leaf, yet", 3, [](Node& n) { n.what = 1u << 30; });
  with_node("it says value 7 of 7", 3, [](Node& n) { n.ref = 7; });
}

void with_scores(const std::string& words, const std::function<void(Forest&)>& edit) {
  expect_refused(sample::scores(), words, [&](Model& model) { edit(forest_of(model)); });
}
void with_term(const std::string& words, const std::function<void(Term&)>& edit) {
  with_scores(words, [&](Forest& f) { change(f.terms, [&](auto& all) { edit(all[1]); }); });
}

TEST(Validate, EveryTreeSpeaksForAnOutput) {
  with_scores("the outputs of 2 trees of 3", [](Forest& f) { change(f.output, [](auto& o) { o.pop_back(); }); });
  with_scores("speaks for output 3 of 3", [](Forest& f) { change(f.output, [](auto& o) { o[1] = 3; }); });
  with_scores("speaks for output 4294967295", [](Forest& f) { change(f.output, [](auto& o) { o[1] = ~0u; }); });
  with_scores("", [](Forest& f) { f.output = {}; });
}

TEST(Validate, LinearTermsAreWhole) {
  with_term("linear term 1: it reads column 2, the model has 2", [](Term& t) { t.column = 2; });
  with_term("column 'c' holds no numbers", [](Term& t) { t.column = 1; });
  with_term("added to value 1", [](Term& t) { t.output = 1; });
  with_term("its range is empty", [](Term& t) { t.low = 10; });
  for (double Term::* const part : {&Term::slope, &Term::centre, &Term::low, &Term::high})
    for (const double bad : {kMissing, kInf, -kInf}) with_term("is not finite", [&](Term& t) { t.*part = bad; });
}

TEST(Validate, LinearTermsBelongToOneLeaf) {
  const auto places = [](const std::string& words, std::vector<std::uint64_t> first) {
    with_scores(words, [&](Forest& f) { f.term_first = first; });
  };
  places("for 5 vectors of 6", {0, 1, 1, 1, 1, 3});
  places("belong to no leaf", {});
  places("not in order", {0, 1, 0, 1, 1, 1, 3});
  places("not in order", {1, 1, 1, 1, 1, 1, 3});
  places("not in order", {0, 1, 1, 1, 1, 1, 2});
  places("not in order", {0, 1, 1, 1, 1, 1, ~0ull});
  with_scores("places of linear terms", [](Forest& f) { f.terms = {}; });
  with_scores("two leaves share the linear terms of value 0",
              [](Forest& f) { change(f.nodes, [](auto& nodes) { nodes[5].ref = 0; }); });
}

TEST(Validate, SurrogatesBelongToNodesThatAskThemAndComeToAnEnd) {
  EXPECT_EQ(flaw(sample::surrogates()), "");
  const auto with = [](const std::string& words, const std::function<void(Forest&)>& edit) {
    expect_refused(sample::surrogates(), words, [&](Model& model) { edit(forest_of(model)); });
  };
  const auto places = [&](const std::string& words, std::vector<std::uint64_t> first) {
    with(words, [&](Forest& f) { f.surrogate_first = std::move(first); });
  };
  places("for 4 nodes of 5", {0, 3, 5, 5, 5});
  places("belong to no node", {});
  places("not in order", {0, 3, 2, 5, 5, 5});
  places("not in order", {1, 3, 5, 5, 5, 5});
  places("not in order", {0, 3, 5, 5, 5, ~0ull});
  places("node 0: its surrogates have no end", {0, 2, 5, 5, 5, 5});
  places("node 0: it asks surrogates and has none", {0, 0, 5, 5, 5, 5});
  with("node 2: it is a leaf, yet has surrogates", [](Forest& f) {
    f.surrogate_first = std::vector<std::uint64_t>{0, 3, 5, 6, 6, 6};
    change(f.surrogates, [](auto& all) { all.push_back(Surrogate::last(0)); });
  });
  const auto one = [&](const std::string& words, std::size_t k, const std::function<void(Surrogate&)>& edit) {
    with(words, [&](Forest& f) { change(f.surrogates, [&](auto& all) { edit(all[k]); }); });
  };
  one("surrogate 0: it tests column 7", 0, [](Surrogate& s) { s.what |= 7; });
  one("surrogate 0 asks the same column", 0, [](Surrogate& s) { s = Surrogate::asks(Kind::Threshold, 0, 0, true, 1); });
  one("surrogate 0: its kind of test does not fit", 0, [](Surrogate& s) { s.what += 1; });
  one("surrogate 0: its set at 2 ends beyond", 0, [](Surrogate& s) { s.ref = 2; });
  one("surrogate 1: it uses threshold 1", 1, [](Surrogate& s) { s.ref = 1; });
  one("surrogate 1 is no test", 1, [](Surrogate& s) { s.what |= 1u << 31; });
  one("surrogate 1 is no test", 1, [](Surrogate& s) { s.what |= 3u << 28; });
  one("surrogate 1 is no test", 1, [](Surrogate& s) { s = Surrogate::last(1); });
  one("agrees in no share", 1, [](Surrogate& s) { s.agreement = std::numeric_limits<float>::quiet_NaN(); });
  one("agrees in no share", 1, [](Surrogate& s) { s.agreement = 1.5F; });
  one("last surrogate names no child", 2, [](Surrogate& s) { s.ref = 2; });
  one("last surrogate names no child", 2, [](Surrogate& s) { s.agreement = 0.5F; });
  one("surrogates have no end", 2, [](Surrogate& s) { s = Surrogate::asks(Kind::Threshold, 2, 0, true, 1); });
  with("it has surrogates and asks none",
       [](Forest& f) { change(f.nodes, [](auto& nodes) { nodes[0].what &= ~(3u << 30); }); });
}

TEST(Validate, TheLinkFitsTheTarget) {
  for (const Link link : {Link::Identity, Link::Exponential})
    expect_refused(sample::classes(), "another kind of target", [&](Model& m) { m.link = link; });
  for (const Link link : {Link::Probabilities, Link::Logistic, Link::Softmax})
    expect_refused(sample::numbers(), "another kind of target", [&](Model& m) { m.link = link; });
  expect_refused(sample::classes(), "3 outputs for 3 classes", [](Model& m) { m.link = Link::Logistic; });
  expect_refused(sample::classes(), "3 outputs for 2 classes", [](Model& m) { m.schema.target.level.pop_back(); });
  expect_refused(sample::classes(), "3 outputs for 4 classes", [](Model& m) { m.schema.target.level.push_back("x"); });
  expect_refused(sample::classes(), "3 outputs for 0 classes", [](Model& m) { m.schema.target.level.clear(); });
}

TEST(Validate, QuantilesAscendAndThereIsAnOutputForEach) {
  const Model good{.schema = {.target = sample::number("y"), .quantiles = {0.1, 0.9}},
                   .body = Forest{.outputs = 2, .base = {0, 0}},
                   .link = Link::Ordered};
  EXPECT_EQ(flaw(good), "");
  expect_refused(good, "do not belong together", [](Model& m) { m.link = Link::Identity; });
  expect_refused(good, "do not belong together", [](Model& m) { m.schema.quantiles.clear(); });
  expect_refused(good, "2 outputs for 1 quantiles", [](Model& m) { m.schema.quantiles.pop_back(); });
  expect_refused(good, "2 outputs for 2 targets", [](Model& m) { m.schema.more_targets = {"z"}; });
  for (const std::vector<double>& bad : {std::vector{0.0, 0.5}, {0.5, 0.5}, {0.5, 1.0}, {0.9, 0.1}, {kMissing, 0.5}})
    expect_refused(good, "do not ascend", [&](Model& m) { m.schema.quantiles = bad; });
}

TEST(Validate, AThresholdIsAProbabilityOfTwoClasses) {
  expect_refused(sample::classes(), "without having two classes", [](Model& m) { m.threshold = 0.5; });
  expect_refused(sample::numbers(), "without having two classes", [](Model& m) { m.threshold = 0.5; });
  Model two{.schema = {{}, sample::category("y", {"a", "b"})}, .body = Forest{.base = {0}}, .link = Link::Logistic};
  for (const double bad : {kMissing, -0.1, 1.1, kInf})
    expect_refused(two, "not a probability", [&](Model& m) { m.threshold = bad; });
  two.threshold = 1;
  EXPECT_EQ(flaw(two), "");
}

TEST(Validate, ALearningCurveIsWhole) {
  const auto with_curve = [](const std::string& words, const std::function<void(LearningCurve&)>& edit) {
    expect_refused(sample::scores(), words, [&](Model& m) { edit(m.curve); });
  };
  with_curve("2 rounds and 1 held out", [](LearningCurve& c) { c.held.pop_back(); });
  with_curve("keeps 3 rounds of 2", [](LearningCurve& c) { c.best = 3; });
  with_curve("not finite", [](LearningCurve& c) { c.train[1] = kMissing; });
  with_curve("not finite", [](LearningCurve& c) { c.held[0] = kInf; });
  with_curve("not valid UTF-8", [](LearningCurve& c) { c.measure = "\xFF"; });
  with_curve("2 rounds and 1 errors", [](LearningCurve& c) { c.tree_error = {0.5}; });
  with_curve("2 rounds and 3 errors", [](LearningCurve& c) { c.training_error = {0.5, 0.5, 0.5}; });
  with_curve("no share", [](LearningCurve& c) { c.tree_error = {0.5, 1.5}; });
  with_curve("no share", [](LearningCurve& c) { c.training_error = {kMissing, 0.5}; });
}

TEST(Validate, AnEachLevelNodeHasAtMost65535Children) {
  const auto with_levels = [](std::uint32_t levels) {
    Field field = sample::category("c", {});
    for (std::uint32_t k = 0; k < levels; ++k) field.level.push_back(std::to_string(k));
    std::vector<TreeNode> nodes(levels + 1);
    nodes[0] = {0, 1, levels, 0, Kind::EachLevel};
    const std::vector<double> values(nodes.size());
    return Model{
        .schema = {{field}, sample::number("y")},
        .body = packed(Parts{.base = {0}, .cuts = {{}}, .first = {0, nodes.size()}, .nodes = nodes, .values = values})};
  };
  EXPECT_EQ(flaw(with_levels(65535)), "");
  EXPECT_NE(flaw(with_levels(65536)), "");
}

}  // namespace
}  // namespace wald
