// Every rule of a model, broken one at a time in an otherwise sound model and put into a file whose checksum is right.
#include "model/validate.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "model/container.h"
#include "model/sample_test.h"
#include "model_generated.h"

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

// Expects the file of a model so changed to be refused with a message that holds `words`.
template <class Change>
void expect_refused(const Model& sound, const std::string& words, Change change) {
  Model model = sound;
  change(model);
  EXPECT_NE(flaw(model).find(words), std::string::npos) << flaw(model) << " does not say " << words;
  const std::string bytes = to_bytes(model);
  const auto back = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
  ASSERT_FALSE(back) << words;
  EXPECT_EQ(back.error().kind, ErrorKind::BadModel);
  EXPECT_TRUE(back.error().message.starts_with("m.wald is a damaged model: ")) << back.error().message;
  EXPECT_FALSE(back.error().cure.empty());
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
  with_forest("32 values for 11 nodes", [&](Forest& f) { change(f.values, drop); });
  with_forest("30 values for 11 nodes", [](Forest& f) { change(f.values, [](auto& v) { v.resize(30); }); });
  with_forest("10 covers for 11 nodes", [&](Forest& f) { change(f.cover, drop); });
  with_forest("10 gains for 11 nodes", [&](Forest& f) { change(f.gain, drop); });
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
    with_forest("value 32 is not finite", [&](Forest& f) { change(f.values, last); });
    with_forest("cover 10 is not a finite number", [&](Forest& f) { change(f.cover, last); });
    with_forest("base score 2 is not finite", [&](Forest& f) { f.base[2] = bad; });
  }
  with_forest("cover 0", [](Forest& f) { change(f.cover, [](auto& all) { all[0] = -1; }); });
  with_forest("gain 0 is not a number", [](Forest& f) { change(f.gain, [](auto& all) { all[0] = kMissing; }); });
}

TEST(Validate, TestsFitTheirColumns) {
  with_node("tree 0, node 0: it tests column 3, the model has 3", 0, [](Node& n) { n.column = 3; });
  with_node("tests column 4294967295", 0, [](Node& n) { n.column = ~0u; });
  with_node("does not fit column 'größe'", 0, [](Node& n) { n.column = 1; });
  with_node("does not fit column 'age'", 1, [](Node& n) { n.column = 0; });
  with_node("does not fit column 'age'", 2, [](Node& n) { n.column = 0; });
  with_node("unknown kind of test 4", 0, [](Node& n) { n.test = Kind{4}; });
  with_node("unknown kind of test 255", 0, [](Node& n) { n.test = Kind{255}; });
  with_node("uses threshold 3 of column 'age', which has 3", 0, [](Node& n) { n.ref = 3; });
  with_node("set at 3 ends beyond the 4 words", 1, [](Node& n) { n.ref = 3; });
  with_node("set at 4294967295 ends beyond", 1, [](Node& n) { n.ref = ~0u; });
  with_node("tree 1, node 0: its set at 1 holds more levels", 8, [](Node& n) { n.ref = 1; });
  with_node("2 children for the 3 levels", 2, [](Node& n) { n.ref = 2; });
  with_node("4 children for the 3 levels", 2, [](Node& n) { n.ref = 4; });
  with_node("reserved byte", 5, [](Node& n) { n.reserved = 1; });
  with_node("reserved byte", 0, [](Node& n) { n.reserved = 128; });
  with_forest("set at 2 ends beyond the 3 words", [](Forest& f) { change(f.sets, [](auto& s) { s.pop_back(); }); });
}

TEST(Validate, MissingValuesHaveAWay) {
  with_node("sends missing values to child 2 of 2", 0, [](Node& n) { n.missing = 2; });
  with_node("sends missing values to child 3 of 3", 2, [](Node& n) { n.missing = 3; });
  with_node("sends missing values to child 65534", 0, [](Node& n) { n.missing = 65534; });
  with_forest("by cover, which the model lacks", [](Forest& f) { f.cover = {}; });
}

TEST(Validate, NodesFormATree) {
  with_node("tree 0, node 1: its children 1 to 2", 1, [](Node& n) { n.child = 1; });  // itself
  with_node("tree 0, node 1: its children 0 to 1", 1, [](Node& n) { n.child = 0; });  // its parent
  with_node("its child 4 has another parent", 2, [](Node& n) { n.child = 4; });       // shared
  with_node("its children 7 to 8", 1, [](Node& n) { n.child = 7; });                  // the next tree's root
  with_node("its children 4294967295 to 4294967296", 1, [](Node& n) { n.child = ~0u; });
  with_node("its children 0 to 1", 0, [](Node& n) { n.child = 0; });
  with_node("tree 0, node 3: it is the child of no node", 1, [](Node& n) { n = {}; });  // a hole
  with_node("it is a leaf, yet", 3, [](Node& n) { n.child = 1; });
  with_node("it is a leaf, yet", 3, [](Node& n) { n.ref = 1; });
  with_node("it is a leaf, yet", 3, [](Node& n) { n.column = 1; });
  with_node("it is a leaf, yet", 3, [](Node& n) { n.missing = 1; });
}

TEST(Validate, TheLinkFitsTheTarget) {
  expect_refused(sample::classes(), "another kind of target", [](Model& m) { m.link = Link::Identity; });
  expect_refused(sample::numbers(), "another kind of target", [](Model& m) { m.link = Link::Probabilities; });
  expect_refused(sample::classes(), "3 outputs for 2 classes", [](Model& m) { m.schema.target.level.pop_back(); });
  expect_refused(sample::classes(), "3 outputs for 4 classes", [](Model& m) { m.schema.target.level.push_back("x"); });
  expect_refused(sample::classes(), "3 outputs for 0 classes", [](Model& m) { m.schema.target.level.clear(); });
}

TEST(Validate, AnEachLevelNodeHasAtMost65535Children) {
  const auto with_levels = [](std::uint32_t levels) {
    Field field = sample::category("c", {});
    for (std::uint32_t k = 0; k < levels; ++k) field.level.push_back(std::to_string(k));
    Forest forest{.base = {0}, .cuts = {{}}};
    std::vector<Node> nodes(levels + 1);
    nodes[0] = {0, 1, levels, 0, Kind::EachLevel};
    forest.values = std::vector<double>(nodes.size());
    forest.first = std::vector<std::uint64_t>{0, nodes.size()};
    forest.nodes = std::move(nodes);
    return Model{.schema = {{field}, sample::number("y")}, .body = forest};
  };
  EXPECT_EQ(flaw(with_levels(65535)), "");
  EXPECT_NE(flaw(with_levels(65536)), "");
}

// --- flaws that only a file can have: its vectors contradict each other ----------------------------------------------

// The head's file offset: after the header and the directory of eight sections.
constexpr std::size_t kHead = 128;

std::string sealed(std::string bytes) {
  seal(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

// Overwrites what lies at a place the generated accessors point to.
template <class T>
void put(std::string& bytes, const void* at, T value) {
  const auto offset = reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(bytes.data());
  bytes.replace(offset, sizeof value, reinterpret_cast<const char*>(&value), sizeof value);
}

// Expects a refusal once `value` stands at the place that `where` finds in the head. A vector begins with its length.
template <class T>
void expect_head_refused(const std::string& words, T value, const void* (*where)(const file::Model&)) {
  std::string bytes = to_bytes(sample::classes());
  put(bytes, where(*file::GetModel(bytes.data() + kHead)), value);
  bytes = sealed(bytes);
  const auto back = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
  ASSERT_FALSE(back) << words;
  EXPECT_EQ(back.error().kind, ErrorKind::BadModel);
  EXPECT_NE(back.error().message.find(words), std::string::npos) << back.error().message;
}

using Where = const void* (*)(const file::Model&);
const Where kNames = [](const file::Model& m) -> const void* { return m.schema()->names(); };
const Where kTypes = [](const file::Model& m) -> const void* { return m.schema()->types(); };
const Where kFirstType = [](const file::Model& m) -> const void* { return m.schema()->types()->Data(); };
const Where kCounts = [](const file::Model& m) -> const void* { return m.schema()->level_counts(); };
const Where kFirstCount = [](const file::Model& m) -> const void* { return m.schema()->level_counts()->Data(); };
const Where kLevels = [](const file::Model& m) -> const void* { return m.schema()->levels(); };
const Where kBase = [](const file::Model& m) -> const void* { return m.body_as_Forest()->base(); };
const Where kFirstCuts = [](const file::Model& m) -> const void* { return m.body_as_Forest()->cut_counts()->Data(); };
const Where kValues = [](const file::Model& m) -> const void* { return m.made()->option_values(); };
const Where kOption = [](const file::Model& m) -> const void* { return m.made()->option_names()->Get(0)->Data(); };

TEST(Head, VectorsOfDifferentLengthsAreRefused) {
  expect_head_refused("4 names, 3 types", 3u, kTypes);
  expect_head_refused("3 names, 4 types", 3u, kNames);
  expect_head_refused("3 counts of levels", 3u, kCounts);
  expect_head_refused("names no target", 0u, kNames);
  expect_head_refused("lists 75 levels and counts 76", 75u, kLevels);
  expect_head_refused("lists 76 levels and counts 4294967371", ~0u, kFirstCount);
  expect_head_refused("2 options and 1 values", 1u, kValues);
  expect_head_refused("3 thresholds and counts 9", 9u, kFirstCuts);
  expect_head_refused("3 thresholds and counts 4294967295", ~0u, kFirstCuts);
  expect_head_refused("2 base scores for 3 outputs", 2u, kBase);
  expect_head_refused("not well formed", ~0u, kLevels);
}

TEST(Head, UnknownKindsAreRefused) { expect_head_refused("unknown column type 7", std::uint8_t{7}, kFirstType); }

TEST(Head, OptionsOutOfOrderAreRefused) { expect_head_refused("options are not in order", 'z', kOption); }

// Found by the fuzzer: FlatBuffers' verifier lets a vector of doubles lie at a multiple of four.
TEST(Head, AMisalignedVectorIsRefused) {
  std::string bytes = to_bytes(sample::classes());
  const file::Forest* forest = file::GetModel(bytes.data() + kHead)->body_as_Forest();
  const std::uint8_t* field = reinterpret_cast<const flatbuffers::Table*>(forest)->GetAddressOf(file::Forest::VT_BASE);
  const auto offset = flatbuffers::ReadScalar<std::uint32_t>(field);
  put(bytes, reinterpret_cast<const char*>(forest->base()) + 4, std::uint32_t{3});
  put(bytes, field, offset + 4);
  bytes = sealed(bytes);
  const auto back = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
  ASSERT_FALSE(back);
  EXPECT_NE(back.error().message.find("not well formed"), std::string::npos) << back.error().message;
}

// Files of later versions of Wald: the link and the body lie in the root table, as scalars.
TEST(Head, UnknownLinksAndBodiesAskForANewerWald) {
  const std::string sound = to_bytes(sample::classes());
  const auto* root = reinterpret_cast<const flatbuffers::Table*>(file::GetModel(sound.data() + kHead));
  for (const auto field : {file::Model::VT_LINK, file::Model::VT_BODY_TYPE}) {
    std::string bytes = sound;
    bytes[root->GetAddressOf(field) - reinterpret_cast<const std::uint8_t*>(sound.data())] = 9;
    bytes = sealed(bytes);
    const auto back = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
    ASSERT_FALSE(back);
    EXPECT_TRUE(back.error().message.starts_with("m.wald needs a newer Wald")) << back.error().message;
  }
}

TEST(Head, TextThatManyOffsetsShareIsRefusedBeforeItIsCopied) {
  Model model = sample::classes();
  model.schema.columns[2].level[0].assign(100'000, 'x');
  std::string bytes = to_bytes(model);
  const auto* levels = file::GetModel(bytes.data() + kHead)->schema()->levels();
  const auto* text = reinterpret_cast<const char*>(levels->Get(3));
  for (flatbuffers::uoffset_t k = 0; k < levels->size(); ++k) {
    const auto* offset = reinterpret_cast<const char*>(levels->Data()) + k * sizeof(std::uint32_t);
    put(bytes, offset, static_cast<std::uint32_t>(text - offset));
  }
  bytes = sealed(bytes);
  const auto back = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
  ASSERT_FALSE(back);
  EXPECT_NE(back.error().message.find("stored twice"), std::string::npos) << back.error().message;
}

// --- flaws of the container -----------------------------------------------------------------------------------------

Error container_error(const std::function<void(std::string&)>& edit) {
  std::string bytes = to_bytes(sample::classes());
  edit(bytes);
  bytes = sealed(bytes);
  const auto back = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
  EXPECT_FALSE(back);
  return back ? Error{} : back.error();
}

TEST(Container, HostileDirectoriesAreRefused) {
  const auto set = [](std::string& bytes, std::size_t at, std::uint64_t value) {
    put(bytes, bytes.data() + at, value);
  };
  for (const std::uint64_t length : {~0ull, ~0ull - 62, 1ull << 63, 1ull << 40, 0x10000ull})
    EXPECT_NE(container_error([&](std::string& b) { set(b, 72, length); }).message.find("section 1 is longer"),
              std::string::npos);
  EXPECT_NE(container_error([](std::string& b) { b[12] = '\xFF', b[15] = '\xFF'; }).message.find("directory is longer"),
            std::string::npos);
  EXPECT_NE(container_error([](std::string& b) { b[12] = 7; }).message.find("m.wald is a damaged model"),
            std::string::npos);
  EXPECT_NE(container_error([](std::string& b) { b[12] = 0; }).message.find("bytes follow its last section"),
            std::string::npos);
  EXPECT_NE(container_error([](std::string& b) { b[8] = 0; }).message.find("version 0"), std::string::npos);
  EXPECT_NE(container_error([](std::string& b) { b[24] = 1; }).message.find("reserved"), std::string::npos);
  EXPECT_NE(container_error([](std::string& b) { b[63] = 1; }).message.find("reserved"), std::string::npos);
  EXPECT_NE(container_error([](std::string& b) { b.back() = 1; }).message.find("not zero"), std::string::npos);
  EXPECT_NE(
      container_error([](std::string& b) { b.append(64, '\0'); }).message.find("64 bytes follow its last section"),
      std::string::npos);
  EXPECT_NE(container_error([&](std::string& b) { set(b, 72, 23); }).message.find("section 1 ends within an element"),
            std::string::npos);
  EXPECT_NE(container_error([&](std::string& b) { set(b, 64, 0); }).message.find("m.wald is a damaged model"),
            std::string::npos);
}

TEST(Container, SectionsComeBackAsTheyWere) {
  const std::string text(1000, 'w');
  for (const std::size_t sections : {0u, 1u, 7u, 8u, 9u, 30u}) {
    Sections in;
    for (std::size_t s = 0; s < sections; ++s) in.push_back(std::as_bytes(std::span(text)).first(s * 31 % 200));
    const std::string packed = pack(in);
    const auto out = unpack(std::as_bytes(std::span(packed)), "m.wald");
    ASSERT_TRUE(out) << out.error().message;
    ASSERT_EQ(out->size(), in.size());
    for (std::size_t s = 0; s < sections; ++s) {
      EXPECT_TRUE(std::ranges::equal((*out)[s], in[s]));
      EXPECT_EQ(((*out)[s].data() - reinterpret_cast<const std::byte*>(packed.data())) % 64, 0);
    }
  }
}

}  // namespace
}  // namespace wald
