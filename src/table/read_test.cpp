// read_table by kind of source: gzip, SVMlight, SQLite.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "table/gzip.h"
#include "table/svmlight.h"
#include "table/testing.h"

namespace wald {
namespace {

// A folder of its own that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "wald.XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return (path_ / name).string();
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string gzipped(std::string_view text) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, text.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

TEST(ReadTable, GzipIsKnownByItsContent) {
  const Folder folder;
  const std::string text = "a,b\n1,x\n2,y\n";
  const auto plain = read_table(folder.write("t.csv", text));
  ASSERT_TRUE(plain) << plain.error().message;
  for (const char* name : {"t.csv.gz", "u.csv"})
    EXPECT_EQ(read_table(folder.write(name, gzipped(text)))->columns, plain->columns);
  const std::string members = gzipped("a,b\n1,x") + gzipped("\n2,") + gzipped("") + gzipped("y\n");
  EXPECT_EQ(read_table(folder.write("m.csv.gz", members))->columns, plain->columns);
  EXPECT_EQ(read_table(folder.write("z.csv.gz", gzipped(text) + std::string(512, '\0')))->columns, plain->columns);
}

TEST(ReadTable, LargeGzipIsUnpackedWhole) {
  std::string text;
  for (int i = 0; i < 400'000; ++i) text += std::to_string(i * 7919LL % 1'000'003) + "\n";
  EXPECT_EQ(gunzip(gzipped(text), "t.gz", {})->text(), text);
  EXPECT_EQ(gunzip(gzipped(text) + gzipped("end"), "t.gz", {})->text(), text + "end");
  EXPECT_EQ(gunzip(gzipped(std::string(5'000'000, 'x')), "t.gz", {})->text(), std::string(5'000'000, 'x'));
}

TEST(ReadTable, DamagedGzipIsRefused) {
  const Folder folder;
  const std::string whole = gzipped("a,b\n1,x\n2,y\n");
  for (std::size_t n = 2; n < whole.size(); ++n) {
    const auto table = read_table(folder.write("t.csv.gz", whole.substr(0, n)));
    ASSERT_FALSE(table) << n;
    EXPECT_EQ(table.error().kind, ErrorKind::BadData) << n;
  }
  std::string flipped = whole;
  flipped[flipped.size() - 6] ^= 1;  // in the checksum
  EXPECT_EQ(read_table(folder.write("f.csv.gz", flipped)).error().kind, ErrorKind::BadData);
}

TEST(ReadTable, NamesSayWhichReaderAndWhichDelimiter) {
  const Folder folder;
  EXPECT_EQ(read_table(folder.write("t.tsv", "a\tb,c\n1\t2,3\n"))->columns.size(), 2u);
  EXPECT_EQ(read_table(folder.write("t.svm", "1 1:2\n"))->columns[0].name, "target");
  EXPECT_EQ(read_table(folder.write("t.libsvm.gz", gzipped("1 1:2\n")))->columns[0].name, "target");
  EXPECT_EQ(read_table(folder / "absent.csv").error().kind, ErrorKind::Failure);
  EXPECT_EQ(read_table(folder.write("empty.csv", "")).error().kind, ErrorKind::BadData);
}

TEST(ReadTable, ADashIsStandardInput) {
  const Folder folder;
  const std::string text = "a,b\n1,x\n2,y\n";
  const int before = dup(STDIN_FILENO);
  for (const std::string& content : {text, gzipped(text)}) {
    const int file = open(folder.write("in", content).c_str(), O_RDONLY);
    dup2(file, STDIN_FILENO);
    const auto table = read_table("-");
    close(file);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->source, "standard input");
    EXPECT_EQ(table->columns, read(text).columns);
  }
  dup2(before, STDIN_FILENO);
  close(before);
}

Table svm(std::string_view text, const ReadOptions& options = {}) {
  auto table = read_svmlight(text, "t.svm", options, {});
  if (!table) ADD_FAILURE() << table.error().message;
  return table ? *std::move(table) : Table{};
}

TEST(Svmlight, AbsentEntriesAreZeroAndCommentsAreSkipped) {
  const Table table = svm("# head\n+1 1:0.5 3:-2e1 # note\n\n-1 qid:7 2:nan\r\n0\n");
  ASSERT_EQ(table.columns.size(), 5u);
  EXPECT_EQ(table.find("target")->numbers(), Numbers({1, -1, 0}));
  EXPECT_EQ(table.find("qid")->numbers(), Numbers({kMissing, 7, kMissing}));
  EXPECT_EQ(table.find("f1")->numbers(), Numbers({0.5, 0, 0}));
  EXPECT_EQ(table.find("f2")->numbers(), Numbers({0, kMissing, 0}));
  EXPECT_EQ(table.find("f3")->numbers(), Numbers({-20, 0, 0}));
  EXPECT_EQ(svm("1 0:5\n2 1:6\n").notes.size(), 1u);
  EXPECT_EQ(svm("1 0:5\n2 1:6\n").columns[1].name, "f0");
}

TEST(Svmlight, ATextWithoutATellingNameIsKnownByItsLines) {
  EXPECT_TRUE(looks_like_svmlight("1 1:2 3:4\n-1 2:0.5\n"));
  EXPECT_TRUE(looks_like_svmlight("# made by hand\r\n\r\n0\r\n+1 qid:3 1:2 # first\r\n"));
  EXPECT_FALSE(looks_like_svmlight(""));
  EXPECT_FALSE(looks_like_svmlight("1\n2\n"));
  EXPECT_FALSE(looks_like_svmlight("a,b\n1,2\n"));
  EXPECT_FALSE(looks_like_svmlight("time\n1 12:30\n"));
  EXPECT_FALSE(looks_like_svmlight("1 1:x\n"));
  EXPECT_FALSE(looks_like_svmlight("1 :3\n"));
}

TEST(Svmlight, MistakesNameTheirLine) {
  const auto message = [](std::string_view text) {
    const auto table = read_svmlight(text, "t.svm", {}, {});
    EXPECT_FALSE(table);
    return table ? "" : table.error().message;
  };
  EXPECT_EQ(message(""), "t.svm is empty");
  EXPECT_EQ(message("# only\n"), "t.svm has comments but no rows");
  EXPECT_EQ(message("1 1:2\nyes 1:2\n"), "t.svm:2: 'yes' is not a number");
  EXPECT_EQ(message("1 1:2\n\n1 x:2\n"), "t.svm:3: 'x:2' does not begin with a whole number");
  EXPECT_EQ(message("1 1:x\n"), "t.svm:1: '1:x' is not a number");
  EXPECT_EQ(message("1 2\n"), "t.svm:1: '2' is not index:value");
  EXPECT_EQ(message("1 1:1 1:2\n"), "t.svm:1: '1' stands twice in its line");
  EXPECT_EQ(message("1 1:1e999\n"), "t.svm:1: '1:1e999' is out of range");
  EXPECT_EQ(message("1 4000000000:1\n"), "t.svm:1: '4000000000:1' is beyond the limit of 1,000,000 columns");
  EXPECT_EQ(message("1 99999999999999999999999:1\n"),
            "t.svm:1: '99999999999999999999999:1' is beyond the limit of 1,000,000 columns");
}

TEST(Svmlight, DeclarationsHold) {
  ReadOptions options;
  options.declared.columns = {{.name = "target", .type = ColumnType::Category, .level = {"1", "-1", "0"}},
                              {.name = "f1", .ignore = true},
                              {.name = "f2", .type = ColumnType::Number, .highest = 5}};
  const Table table = svm("1 1:2 2:3\n-1\n", options);
  EXPECT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(table.find("target")->categories().level, (std::vector<std::string>{"-1", "0", "1"}));
  EXPECT_EQ(table.find("target")->categories().code, (std::vector<std::int32_t>{2, 0}));
  EXPECT_EQ(read_svmlight("1 2:6\n", "t.svm", options, {}).error().message,
            "t.svm: row 1: column 'f2': 6 is outside the declared bounds");
  EXPECT_EQ(read_svmlight("2 2:1\n", "t.svm", options, {}).error().message,
            "t.svm: row 1: column 'target': 2 is not a declared level");
}

void execute(const std::string& path, const char* sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, &error), SQLITE_OK) << error;
  sqlite3_close(database);
}

Error sqlite_error(const std::string& name) {
  const auto table = read_table(name);
  EXPECT_FALSE(table) << name;
  return table ? Error{} : table.error();
}

TEST(Sqlite, TablesAndQueriesAreRead) {
  const Folder folder;
  const std::string path = folder / "c d.db";
  execute(path,
          "CREATE TABLE claims(id INTEGER, premium REAL, region TEXT, big INTEGER, mixed);"
          "INSERT INTO claims VALUES (1, 310.5, 'north, \"x\"', 9007199254740993, 5), (2, NULL, NULL, 2, 'five'),"
          "(3, 1e300, 'south', 3, '');");
  const auto table = read_table("sqlite:" + path);  // the only table
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->columns, read_table("sqlite:" + path + "?table=claims")->columns);
  EXPECT_EQ(table->find("premium")->numbers(), Numbers({310.5, kMissing, 1e300}));
  EXPECT_EQ(table->find("region")->categories().level, (std::vector<std::string>{"north, \"x\"", "south"}));
  EXPECT_EQ(table->find("big")->type(), ColumnType::Category);
  EXPECT_EQ(table->find("mixed")->categories().code, (std::vector<std::int32_t>{0, 1, -1}));
  EXPECT_EQ(table->notes.size(), 1u);
  const auto query = read_table("sqlite:" + path + "?query=SELECT%20id*2 AS twice FROM claims WHERE id%3E1");
  ASSERT_TRUE(query) << query.error().message;
  EXPECT_EQ(query->find("twice")->numbers(), Numbers({4, 6}));
}

TEST(Sqlite, MistakesAreNamed) {
  const Folder folder;
  const std::string path = folder / "t.db", address = "sqlite:" + path;
  execute(path, "CREATE TABLE claims(a); INSERT INTO claims VALUES (1); CREATE TABLE other(b);");
  EXPECT_EQ(sqlite_error("sqlite:").kind, ErrorKind::Usage);
  EXPECT_EQ(sqlite_error("sqlite:" + (folder / "absent.db")).kind, ErrorKind::Failure);
  EXPECT_EQ(sqlite_error(address).message, path + " has 2 tables: 'claims' and 'other'");
  EXPECT_EQ(sqlite_error(address + "?table=claim").message, path + " has no table 'claim'");
  EXPECT_EQ(sqlite_error(address + "?table=claim").cure, "did you mean 'claims'?");
  EXPECT_EQ(sqlite_error(address + "?tabel=claims").kind, ErrorKind::Usage);
  EXPECT_EQ(sqlite_error(address + "?query=DELETE FROM claims").message, path + ": only a query that reads is allowed");
  EXPECT_EQ(sqlite_error(address + "?query=SELECT a FROM claims; DROP TABLE claims").message,
            path + ": only one query is allowed");
  EXPECT_EQ(sqlite_error(address + "?query=SELEC 1").kind, ErrorKind::Usage);
  EXPECT_EQ(sqlite_error(address + "?table=other").message, path + " has a header but no rows");
  EXPECT_EQ(sqlite_error("sqlite:" + folder.write("junk.db", std::string(5000, 'x')) + "?table=a").message,
            (folder / "junk.db") + " is not an SQLite database");
  EXPECT_EQ(sqlite_error(address + "?query=SELECT x'00' AS blob").message,
            path + ": row 1: column 'blob' holds a BLOB");
  EXPECT_EQ(sqlite_error(address + "?query=SELECT 1 AS a UNION ALL SELECT CAST(x'FF' AS TEXT)").message,
            path + ": row 2: column 'a' holds text that is not valid UTF-8");
  EXPECT_EQ(read_table(path).error().message, path + " is an SQLite database, not a text table");
}

TEST(Sqlite, FlawsCountRows) {
  const Folder folder;
  const std::string path = folder / "t.db";
  execute(path, "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x' || char(10) || 'y'), (2, 'z'), ('abc', 'w');");
  ReadOptions options;
  options.declared.columns = {{.name = "a", .type = ColumnType::Number}};
  EXPECT_EQ(read_table("sqlite:" + path, options).error().message, path + ": row 3: column 'a': 'abc' is not a number");
}

TEST(Sqlite, ALockedDatabaseIsNamedAsSuch) {
  const Folder folder;
  const std::string path = folder / "t.db";
  execute(path, "CREATE TABLE t(a); INSERT INTO t VALUES (1);");
  sqlite3* holder = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &holder), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(holder, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  const Error error = sqlite_error("sqlite:" + path);
  sqlite3_close(holder);
  EXPECT_EQ(error.kind, ErrorKind::Failure);
  EXPECT_EQ(error.message, path + " is locked by another program");
}

}  // namespace
}  // namespace wald
