// Damage below the model: a head whose vectors contradict each other, a hostile directory of sections.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "model/container.h"
#include "model/sample_test.h"
#include "model_generated.h"

namespace wald {
namespace {

// --- flaws that only a file can have: its vectors contradict each other ----------------------------------------------

// The head's file offset: after the header and the directory of ten sections.
constexpr std::size_t kHead = 192;

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
