#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/file.h"
#include "model/container.h"
#include "model/sample_test.h"
#include "model/validate.h"
#include "wald/predict.h"

namespace wald {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

Error error_of(const std::string& bytes) {
  const auto model = from_bytes(bytes_of(bytes), "m.wald");
  EXPECT_FALSE(model);
  return model ? Error{} : model.error();
}

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("wald_file_test_" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

// --- round trips ----------------------------------------------------------------------------------------------------

TEST(ModelFile, AnyModelComesBackEqualAndWithTheSameBytes) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Model model = sample::random_model(seed);
    ASSERT_EQ(flaw(model), "") << seed;
    const std::string bytes = to_bytes(model);
    const auto back = from_bytes(bytes_of(bytes), "m.wald");
    ASSERT_TRUE(back) << seed << back.error().message;
    EXPECT_EQ(*back, model) << seed;
    EXPECT_EQ(to_bytes(*back), bytes) << seed;
  }
}

TEST(ModelFile, BytesDoNotDependOnWhatTheHeapHeldBefore) {
  const std::string once = to_bytes(sample::classes());
  for (const char dirt : {'\x00', '\x55', '\xFF'}) {
    std::vector<std::string> dirty;
    for (std::size_t size = 16; size < 1 << 18; size = size * 3 / 2) dirty.emplace_back(size, dirt);
    dirty.clear();
    EXPECT_EQ(to_bytes(sample::classes()), once);
  }
}

TEST(ModelFile, BytesAtAnyAlignmentLoad) {
  const std::string bytes = to_bytes(sample::classes());
  for (std::size_t shift = 0; shift < 17; ++shift) {
    const std::string shifted = std::string(shift, 'x') + bytes;
    const auto model = from_bytes(bytes_of(shifted).subspan(shift), "m.wald");
    ASSERT_TRUE(model);
    EXPECT_EQ(*model, sample::classes());
  }
}

TEST(ModelFile, ALoadedModelOutlivesTheBytesItCameFrom) {
  auto bytes = std::make_unique<std::string>(to_bytes(sample::classes()));
  const auto model = from_bytes(bytes_of(*bytes), "m.wald");
  std::ranges::fill(*bytes, '\xEE');
  bytes.reset();
  EXPECT_EQ(*model, sample::classes());
}

TEST(ModelFile, AModelWithoutTreesOrColumnsIsAModel) {
  Model model{.schema = {{}, sample::number("y")}, .body = Forest{.base = {3}}};
  const auto back = from_bytes(bytes_of(to_bytes(model)), "m.wald");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, model);
}

TEST(ModelFile, AChainOfAHundredThousandNodesLoadsAndPredicts) {
  constexpr std::uint32_t kDepth = 100'000;
  std::vector<TreeNode> nodes(2 * kDepth + 1);  // the first child of an inner node is the next inner node
  for (std::uint32_t d = 0; d < kDepth; ++d)
    nodes[d == 0 ? 0 : 2 * d - 1] = {0, 2 * d + 1, 0, 1, wald::Test::Threshold};
  Model model{.schema = {{sample::number("x")}, sample::number("y")}};
  model.body = packed(Parts{.base = {0},
                            .cuts = {{0}},
                            .first = {0, nodes.size()},
                            .nodes = nodes,
                            .values = std::vector<double>(nodes.size(), 1.0)});
  const auto back = from_bytes(bytes_of(to_bytes(model)), "m.wald");
  ASSERT_TRUE(back) << back.error().message;
  const Table table{{{"x", Numbers(std::vector<double>{-1, 1, kMissing})}}, 3, "t", {}};
  EXPECT_EQ(predict(*back, table)->value, (std::vector<double>{1, 1, 1}));
}

TEST(ModelFile, SavingIsRefusedWhereAFileIsUnlessAllowed) {
  const Folder folder;
  const std::string path = folder / "m.wald";
  ASSERT_TRUE(save(sample::classes(), path));
  EXPECT_EQ(*load(path), sample::classes());
  const Status again = save(sample::numbers(), path);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::Usage);
  EXPECT_EQ(*load(path), sample::classes());
  const auto before = load(path);
  ASSERT_TRUE(save(sample::numbers(), path, Overwrite::Allow));
  EXPECT_EQ(*load(path), sample::numbers());
  EXPECT_EQ(*before, sample::classes()) << "a mapped model keeps its file";
}

TEST(ModelFile, AModelThatCouldNotBeLoadedIsNotSaved) {
  const Folder folder;
  Model model = sample::numbers();
  model.schema.columns[0].name = "\xFF";
  const Status saved = save(model, folder / "m.wald");
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().message.find("not valid UTF-8"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "m.wald"));
}

TEST(ModelFile, AFileThatCannotBeOpenedIsAFailureNotABadModel) {
  EXPECT_EQ(load("/no/such/model.wald").error().kind, ErrorKind::Failure);
  EXPECT_EQ(load("/").error().kind, ErrorKind::Failure);
}

// --- golden files: format version 1 is read for ever -----------------------------------------------------------------

const std::string kGolden = WALD_TESTS "/data/golden/";

// tools/make_golden.cpp wrote the files.
void expect_golden(const std::string& name, const Model& model) {
  const auto loaded = load(kGolden + name);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->schema, model.schema);
  EXPECT_EQ(loaded->forest(), model.forest());
  EXPECT_EQ(loaded->link, model.link);
  EXPECT_EQ(loaded->made, model.made);
  EXPECT_EQ(loaded->curve, model.curve);
  EXPECT_EQ(loaded->threshold, model.threshold);
  const Table table = sample::random_table(model, 300, 5);
  EXPECT_EQ(predict(*loaded, table)->score, predict(model, table)->score);
  EXPECT_EQ(map_file(kGolden + name)->text(), to_bytes(model))
      << "the same model gives the same bytes in every version";
}

TEST(Golden, VersionOneOfClassesLoadsAndPredictsAsEver) { expect_golden("v1_cart_classes.wald", sample::classes()); }
TEST(Golden, VersionOneOfNumbersLoadsAndPredictsAsEver) { expect_golden("v1_numbers.wald", sample::numbers()); }

TEST(Golden, VersionOneOfSurrogatesLoadsAndPredictsAsEver) {
  expect_golden("v1_surrogates.wald", sample::surrogates());
}

TEST(Golden, VersionOneOfScoresLoadsAndPredictsAsEver) { expect_golden("v1_linear_scores.wald", sample::scores()); }

TEST(Golden, PredictionsOfVersionOneAreTheseNumbers) {
  const auto model = load(kGolden + "v1_cart_classes.wald");
  ASSERT_TRUE(model);
  const Table table{{{"postcode", Categories{{0, 2, -1, 0}, {"p100", "p163", "p169"}}},
                     {"age", Numbers(std::vector<double>{40, 40.5, kMissing, 41})},
                     {"größe", Categories{{-1, 0, -1, 1}, {"groß 😀", "winzig"}}}},
                    4,
                    "t",
                    {}};
  const auto made = predict(*model, table);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->label, (std::vector<std::int32_t>{0, 1, 2, 0}));
  // Worked out by hand from the definition, outside this program.
  EXPECT_EQ(made->value, (std::vector<double>{1.25, 0.325, 0.7749999999999999, 0.6875, 1.1375, 0.8999999999999999,
                                              0.875, 0.5515625000000001, 0.9156250000000001, 0.9375,
                                              0.44218750000000007, 0.8062500000000001}));
}

// --- files that are not models --------------------------------------------------------------------------------------

TEST(BadFile, ForeignFilesAreNamedForWhatTheyAre) {
  EXPECT_NE(error_of("").message.find("m.wald is empty"), std::string::npos);
  EXPECT_NE(error_of("age,claim\n3,no\n").message.find("looks like text"), std::string::npos);
  EXPECT_NE(error_of("größe;y\n3;1\n").message.find("looks like text"), std::string::npos);
  EXPECT_NE(error_of(std::string("\x1f\x8b\x08\0\0", 5)).message.find("gzip"), std::string::npos);
  EXPECT_NE(error_of(std::string("\x7f"
                                 "ELF\x02\x01\x01\0\0",
                                 9))
                .message.find("is not a Wald model"),
            std::string::npos);
  std::string unix_lines = to_bytes(sample::classes());
  unix_lines.erase(5, 1);
  EXPECT_NE(error_of(unix_lines).message.find("text mode"), std::string::npos);
}

TEST(BadFile, AFileOfANewerMajorVersionAsksForANewerWald) {
  std::string bytes = to_bytes(sample::classes());
  bytes[8] = 2;
  seal(std::as_writable_bytes(std::span(bytes)));
  const Error error = error_of(bytes);
  EXPECT_EQ(error.kind, ErrorKind::BadModel);
  EXPECT_NE(error.message.find("m.wald needs a newer Wald: it has format version 2.0"), std::string::npos);
}

TEST(BadFile, AFileOfANewerMinorVersionLoads) {
  std::string bytes = to_bytes(sample::classes());
  bytes[10] = 9;
  seal(std::as_writable_bytes(std::span(bytes)));
  EXPECT_TRUE(from_bytes(bytes_of(bytes), "m.wald"));
}

TEST(BadFile, EveryTruncationAndEveryExtensionIsRefused) {
  const std::string bytes = to_bytes(sample::classes());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Error error = error_of(bytes.substr(0, size));
    ASSERT_EQ(error.kind, ErrorKind::BadModel) << size;
    ASSERT_TRUE(size < 8 || error.message.find("cut short") != std::string::npos) << size << error.message;
  }
  EXPECT_NE(error_of(bytes + '\0').message.find("1 bytes follow its end"), std::string::npos);
}

TEST(BadFile, EveryFlippedBitIsRefused) {
  const std::string bytes = to_bytes(sample::numbers());
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string flipped = bytes;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << i % 8));
    ASSERT_EQ(error_of(flipped).kind, ErrorKind::BadModel) << i;
  }
}

TEST(BadFile, EveryFlippedBitWithARepairedChecksumLoadsOrIsRefused) {
  const std::string bytes = to_bytes(sample::classes());
  const Table table = sample::random_table(sample::classes(), 20, 1);
  std::size_t loaded = 0;
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string flipped = bytes;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << i % 8));
    seal(std::as_writable_bytes(std::span(flipped)));
    const auto model = from_bytes(bytes_of(flipped), "m.wald");
    if (!model) {
      ASSERT_EQ(model.error().kind, ErrorKind::BadModel);
      continue;
    }
    ++loaded;
    ASSERT_EQ(flaw(*model), "");
    (void)predict(*model, table);
  }
  EXPECT_GT(loaded, 0u);
}

}  // namespace
}  // namespace wald
