#include "core/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace wald {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "wald-file-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::string content(const std::string& name) const { return std::string(map_file(at(name))->text()); }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  std::filesystem::path folder_;
};

TEST_F(Files, AFileAppearsOnlyWhenItIsFinished) {
  auto writer = FileWriter::open(at("a"), false);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->write("one "));
  ASSERT_TRUE(writer->write("two"));
  EXPECT_FALSE(std::filesystem::exists(at("a")));
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(content("a"), "one two");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, AnUnfinishedWriterLeavesNothingAndKeepsTheOldFile) {
  ASSERT_TRUE(replace_file(at("a"), "old", false));
  {
    auto writer = FileWriter::open(at("a"), true);
    ASSERT_TRUE(writer->write("new"));
  }
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, AnExistingFileIsRefusedUnlessItMayBeReplaced) {
  ASSERT_TRUE(replace_file(at("a"), "old", false));
  EXPECT_EQ(replace_file(at("a"), "new", false).error().kind, ErrorKind::Usage);
  EXPECT_EQ(check_replaceable(at("a"), false).error().kind, ErrorKind::Usage);
  EXPECT_EQ(content("a"), "old");
  EXPECT_TRUE(check_replaceable(at("a"), true));
  ASSERT_TRUE(replace_file(at("a"), "new", true));
  EXPECT_EQ(content("a"), "new");
}

TEST_F(Files, AFileThatAppearsMeanwhileIsNotReplaced) {
  auto writer = FileWriter::open(at("a"), false);
  ASSERT_TRUE(writer->write("mine"));
  ASSERT_TRUE(replace_file(at("a"), "theirs", false));
  EXPECT_FALSE(writer->finish());
  EXPECT_EQ(content("a"), "theirs");
}

TEST_F(Files, AFolderThatIsNotThereIsNamedBeforehand) {
  EXPECT_NE(check_replaceable(at("none/a"), false).error().message.find("No such file"), std::string::npos);
  ASSERT_TRUE(replace_file(at("a"), "x", false));
  EXPECT_NE(check_replaceable(at("a/b"), false).error().message.find("Not a directory"), std::string::npos);
  EXPECT_EQ(check_replaceable(folder_.string(), true).error().kind, ErrorKind::Usage);
  EXPECT_EQ(check_replaceable("", true).error().kind, ErrorKind::Usage);
}

TEST_F(Files, DevicesAreWrittenThrough) {
  EXPECT_TRUE(check_replaceable("/dev/null", false));
  EXPECT_TRUE(replace_file("/dev/null", "x", false));
  EXPECT_NE(replace_file("/dev/full", "x", false).error().message.find("No space left"), std::string::npos);
}

TEST_F(Files, ReplacingKeepsPermissionsAndLinks) {
  ASSERT_TRUE(replace_file(at("real"), "old", false));
  ::chmod(at("real").c_str(), 0600);
  std::filesystem::create_symlink("real", at("link"));
  ASSERT_TRUE(replace_file(at("link"), "new", true));
  EXPECT_TRUE(std::filesystem::is_symlink(at("link")));
  EXPECT_EQ(content("real"), "new");
  struct stat about{};
  ::stat(at("real").c_str(), &about);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(Files, ALinkToAFileThatIsNotThereMakesIt) {
  std::filesystem::create_symlink("second", at("first"));
  std::filesystem::create_symlink(at("real"), at("second"));
  EXPECT_TRUE(check_replaceable(at("first"), false));
  ASSERT_TRUE(replace_file(at("first"), "new", false));
  EXPECT_TRUE(std::filesystem::is_symlink(at("first")) && std::filesystem::is_symlink(at("second")));
  EXPECT_EQ(content("real"), "new");
  std::filesystem::create_symlink("round", at("round"));
  EXPECT_EQ(replace_file(at("round"), "x", true).error().kind, ErrorKind::Usage);
}

}  // namespace
}  // namespace wald
