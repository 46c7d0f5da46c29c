#include "table/schema.h"

#include <gtest/gtest.h>

namespace wald {
namespace {

Error wrong(std::string_view text) {
  const auto out = parse_declarations(text, "s.json");
  EXPECT_FALSE(out) << text;
  return out ? Error{} : out.error();
}

std::string column(std::string_view inside) {
  return "{\"wald_schema\": 1, \"columns\": [{\"name\": \"age\", " + std::string(inside) + "}]}";
}

TEST(Schema, DeclarationsSurviveBeingWrittenAndRead) {
  const Declarations declarations{
      {{.name = "age", .type = ColumnType::Number, .lowest = 18, .highest = 99.5, .observed = true},
       {.name = "region \"x\"\n🌲", .type = ColumnType::Category, .level = {"west", "east", ""}},
       {.name = "id", .ignore = true},
       {.name = "hospital", .contributor = true, .max_rows = 20},
       {.name = "tiny", .type = ColumnType::Number, .lowest = -4.9406564584124654e-324},
       {.name = "free"}}};
  const auto back = parse_declarations(write_declarations(declarations), "s.json");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, declarations);
  EXPECT_EQ(*parse_declarations(write_declarations({}), "s.json"), Declarations{});
}

TEST(Schema, TheTextIsOneLineAColumn) {
  EXPECT_EQ(
      write_declarations({{{.name = "age", .type = ColumnType::Number, .lowest = 18}, {.name = "id", .ignore = true}}}),
      "{\"wald_schema\": 1,\n \"columns\": [\n  {\"name\":\"age\",\"type\":\"number\",\"min\":18.0},\n"
      "  {\"name\":\"id\",\"ignore\":true}\n ]}\n");
}

TEST(Schema, BoundsAndLevelsImplyTheType) {
  EXPECT_EQ(parse_declarations(column("\"min\": 1"), "s.json")->columns[0].type, ColumnType::Number);
  EXPECT_EQ(parse_declarations(column("\"levels\": [\"a\"]"), "s.json")->columns[0].type, ColumnType::Category);
}

TEST(Schema, EveryMistakeNamesItsPlace) {
  EXPECT_EQ(wrong("").message, "s.json:1: not valid JSON");
  EXPECT_EQ(wrong("{\"wald_schema\": 1,\n\"columns\": [}").message, "s.json:2: not valid JSON");
  EXPECT_EQ(wrong("[]").message, "s.json is not an object");
  EXPECT_EQ(wrong("{}").message, "s.json is not a Wald schema");
  EXPECT_EQ(wrong("{\"wald_schema\": 2, \"columns\": []}").message,
            "s.json is of schema version 2; this Wald knows version 1");
  EXPECT_EQ(wrong("{\"wald_schema\": 1}").message, "s.json has no list of columns");
  EXPECT_EQ(wrong("{\"wald_schema\": 1, \"columns\": [], \"colums\": 1}").message,
            "s.json: top level: unknown key 'colums'");
  EXPECT_EQ(wrong("{\"wald_schema\": 1, \"columns\": [7]}").message, "s.json: columns[0]: is not an object");
  EXPECT_EQ(wrong("{\"wald_schema\": 1, \"columns\": [{}]}").message, "s.json: columns[0]: has no name");
  EXPECT_EQ(wrong(column("\"typ\": \"number\"")).message, "s.json: columns[0] ('age'): unknown key 'typ'");
  EXPECT_EQ(wrong(column("\"typ\": \"number\"")).cure, "did you mean 'type'?");
  EXPECT_EQ(wrong(column("\"type\": \"int\"")).message, "s.json: columns[0] ('age'): type \"int\" is not known");
  EXPECT_EQ(wrong(column("\"min\": \"1\"")).message, "s.json: columns[0] ('age'): min is not a number");
  EXPECT_EQ(wrong(column("\"min\": 2, \"max\": 1")).message, "s.json: columns[0] ('age'): min 2 is above max 1");
  EXPECT_EQ(wrong(column("\"min\": 2, \"min\": 1")).message, "s.json gives key 'min' twice");
  EXPECT_EQ(wrong(column("\"min\": 1e999")).message, "s.json holds a number that is out of range");
  EXPECT_EQ(wrong(column("\"ignore\": 1")).message, "s.json: columns[0] ('age'): ignore is not true or false");
  EXPECT_EQ(wrong(column("\"levels\": []")).message, "s.json: columns[0] ('age'): levels is not a list of words");
  EXPECT_EQ(wrong(column("\"levels\": [1]")).message, "s.json: columns[0] ('age'): a level is not a word");
  EXPECT_EQ(wrong(column("\"levels\": [\"a\", \"a\"]")).message,
            "s.json: columns[0] ('age'): level 'a' is given twice");
  EXPECT_EQ(wrong(column("\"levels\": [\"a\"], \"min\": 1")).message,
            "s.json: columns[0] ('age'): a category has no min or max");
  EXPECT_EQ(wrong(column("\"levels\": [\"a\"], \"type\": \"number\"")).message,
            "s.json: columns[0] ('age'): a number has no levels");
  EXPECT_EQ(wrong("{\"wald_schema\": 1, \"columns\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}").message,
            "s.json declares column 'a' twice");
}

TEST(Schema, AContributorHasANameAndABoundAndNothingElse) {
  EXPECT_EQ(wrong(column("\"contributor\": 1")).message,
            "s.json: columns[0] ('age'): contributor is not true or false");
  for (const char* rows : {"0", "10001", "1.5", "true", "\"2\"", "-3"})
    EXPECT_EQ(wrong(column("\"contributor\": true, \"max_rows\": " + std::string(rows))).message,
              "s.json: columns[0] ('age'): max_rows is not a whole number from 1 to 10,000");
  EXPECT_EQ(wrong(column("\"max_rows\": 2")).message,
            "s.json: columns[0] ('age'): max_rows without contributor: whose rows?");
  EXPECT_EQ(wrong(column("\"contributor\": true, \"ignore\": true")).message,
            "s.json: columns[0] ('age'): it is ignored, but also tells whose a row is");
  for (const char* more : {"\"min\": 1", "\"levels\": [\"a\"]", "\"type\": \"number\""})
    EXPECT_EQ(wrong(column("\"contributor\": true, " + std::string(more))).message,
              "s.json: columns[0] ('age'): a contributor has a name, which is no number and is not listed");
  EXPECT_EQ(wrong("{\"wald_schema\": 1, \"columns\": [{\"name\": \"a\", \"contributor\": true}, {\"name\": \"b\", "
                  "\"contributor\": true}]}")
                .message,
            "s.json says of two columns, 'a' and 'b', that they tell whose a row is");
}

TEST(Schema, ATableIsReadWithoutItsContributors) {
  const ReadOptions how{.declared = {{{.name = "who", .contributor = true}}}};
  const auto table = read_csv("a,who,b\n1,x,2\n3,y,4\n", "t", how);
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->columns.size(), 2u);
  EXPECT_EQ(table->find("who"), nullptr);
}

TEST(Schema, DeepNestingIsRefusedNotFollowed) {
  const std::string deep(100'000, '[');
  EXPECT_FALSE(parse_declarations(deep, "s.json"));
  EXPECT_EQ(wrong(deep + std::string(100'000, ']')).message, "s.json is nested too deeply");
}

TEST(Schema, AnUnreadableFileIsAFailure) {
  EXPECT_EQ(read_declarations("/nowhere/s.json").error().kind, ErrorKind::Failure);
}

}  // namespace
}  // namespace wald
