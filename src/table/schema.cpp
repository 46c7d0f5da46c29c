#include "table/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/file.h"
#include "core/text.h"
#include "table/notes.h"

namespace wald {
namespace {

using Json = nlohmann::json;
constexpr int kDeepest = 8;  // a schema needs four levels

// What the parser would let pass: keys given twice, nesting without end.
class Watch {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kDeepest) too_deep = true;
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key) {
      const std::string key = parsed.get<std::string>();
      if (!keys_.back().insert(key).second && repeated.empty()) repeated = quoted_name(key);
    }
    return depth <= kDeepest;  // what is deeper is not kept
  }
  bool too_deep = false;
  std::string repeated;

 private:
  std::vector<std::set<std::string>> keys_;
};

class SchemaReader {
 public:
  SchemaReader(const std::string& source) : source_(printable(source, 300)) {}

  Result<Declarations> read(std::string_view text) const {
    auto json = parse(text);
    if (!json) return json.error();
    if (!json->is_object()) return wrong("is not an object", "write {\"wald_schema\": 1, \"columns\": [...]}");
    for (const auto& [key, value] : json->items())
      if (key != "wald_schema" && key != "columns") return unknown("", key, {"wald_schema", "columns"});
    if (Status ok = check_version(*json); !ok) return ok.error();
    const auto columns = json->find("columns");
    if (columns == json->end() || !columns->is_array())
      return wrong("has no list of columns", "add \"columns\": [{\"name\": ...}, ...]");
    Declarations out;
    std::set<std::string> names;
    for (std::size_t i = 0; i < columns->size(); ++i) {
      auto column = read_column((*columns)[i], i);
      if (!column) return column.error();
      if (!names.insert(column->name).second)
        return wrong(fmt::format("declares column {} twice", quoted_name(column->name)), "keep one of the two");
      if (const Declared* other = out.contributor(); other != nullptr && column->contributor)
        return wrong(fmt::format("says of two columns, {} and {}, that they tell whose a row is",
                                 quoted_name(other->name), quoted_name(column->name)),
                     "keep \"contributor\" at one of the two");
      out.columns.push_back(std::move(*column));
    }
    return out;
  }

 private:
  Error wrong(std::string_view what, std::string cure) const {
    return bad_data(fmt::format("{} {}", source_, what), std::move(cure));
  }
  Error wrong_at(const std::string& place, std::string_view what, std::string cure) const {
    return bad_data(fmt::format("{}: {}: {}", source_, place, what), std::move(cure));
  }
  Error unknown(const std::string& place, const std::string& key, const std::vector<std::string>& known) const {
    const std::string meant = did_you_mean(key, known);
    return wrong_at(place.empty() ? "top level" : place, fmt::format("unknown key {}", quoted_name(key)),
                    meant.empty() ? "known are " + listed(known) : meant);
  }

  Result<Json> parse(std::string_view text) const {
    Watch watch;
    Json json;
    try {
      json = Json::parse(text, std::ref(watch));
    } catch (const Json::parse_error& e) {
      const std::size_t at = std::min(e.byte, text.size());
      const auto line = std::ranges::count(text.substr(0, at), '\n') + 1;
      return bad_data(fmt::format("{}:{}: not valid JSON", source_, line),
                      text.empty() ? "the file is empty" : "look for a missing comma, quote or bracket before this");
    } catch (const Json::exception&) { return wrong("holds a number that is out of range", "correct it"); }
    if (watch.too_deep)
      return wrong("is nested too deeply", "a schema has columns, and columns have no more than lists");
    if (!watch.repeated.empty()) return wrong(fmt::format("gives key {} twice", watch.repeated), "keep one of the two");
    return json;
  }

  Status check_version(const Json& json) const {
    const auto version = json.find("wald_schema");
    if (version == json.end())
      return wrong("is not a Wald schema", "begin it with {\"wald_schema\": 1, \"columns\": [...]}");
    if (*version != Json(1))
      return wrong(fmt::format("is of schema version {}; this Wald knows version 1", printable(version->dump())),
                   "use a newer Wald, or write version 1");
    return Done{};
  }

  Result<Declared> read_column(const Json& json, std::size_t i) const {
    std::string place = fmt::format("columns[{}]", i);
    if (!json.is_object()) return wrong_at(place, "is not an object", "write {\"name\": ...}");
    const auto name = json.find("name");
    if (name == json.end() || !name->is_string() || name->get<std::string>().empty())
      return wrong_at(place, "has no name", "add \"name\": \"...\" as in the file's header");
    Declared out{.name = name->get<std::string>()};
    place += fmt::format(" ({})", quoted_name(out.name));
    for (const auto& [key, value] : json.items())
      if (Status ok = read_key(place, key, value, out); !ok) return ok.error();
    if (Status ok = check(place, out); !ok) return ok.error();
    return out;
  }

  Status read_key(const std::string& place, const std::string& key, const Json& value, Declared& out) const {
    if (key == "name") return Done{};
    if (key == "type") return read_type(place, value, out);
    if (key == "levels") return read_levels(place, value, out);
    if (key == "min" || key == "max") {
      if (!value.is_number()) return wrong_at(place, key + " is not a number", "write e.g. \"" + key + "\": 18");
      (key == "min" ? out.lowest : out.highest) = value.get<double>();
      return Done{};
    }
    if (key == "ignore" || key == "observed" || key == "contributor") {
      if (!value.is_boolean()) return wrong_at(place, key + " is not true or false", "write true or false");
      (key == "ignore" ? out.ignore : key == "observed" ? out.observed : out.contributor) = value.get<bool>();
      return Done{};
    }
    if (key == "max_rows") return read_max_rows(place, value, out);
    return unknown(place, key,
                   {"name", "type", "levels", "min", "max", "ignore", "observed", "contributor", "max_rows"});
  }

  Status read_type(const std::string& place, const Json& value, Declared& out) const {
    if (value == Json("number")) out.type = ColumnType::Number;
    else if (value == Json("category")) out.type = ColumnType::Category;
    else
      return wrong_at(place, fmt::format("type {} is not known", printable(shown(value))),
                      "write \"number\" or \"category\"");
    return Done{};
  }

  Status read_max_rows(const std::string& place, const Json& value, Declared& out) const {
    constexpr int kMostOfOne = 10000;
    if (!value.is_number_integer() || value < Json(1) || value > Json(kMostOfOne))
      return wrong_at(place, fmt::format("max_rows is not a whole number from 1 to {}", with_commas(kMostOfOne)),
                      "write e.g. \"max_rows\": 5");
    out.max_rows = value.get<int>();
    return Done{};
  }

  Status read_levels(const std::string& place, const Json& value, Declared& out) const {
    if (!value.is_array() || value.empty())
      return wrong_at(place, "levels is not a list of words",
                      "write e.g. \"levels\": [\"east\", \"west\"], or leave it out");
    for (const Json& level : value) {
      if (!level.is_string()) return wrong_at(place, "a level is not a word", "put it in quotes");
      out.level.push_back(level.get<std::string>());
    }
    std::vector<std::string> sorted = out.level;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
      return wrong_at(place, fmt::format("level {} is given twice", quoted_name(*twice)), "keep one of the two");
    return Done{};
  }

  // Bounds make a column of numbers, levels one of words, also where no type is given.
  Status check(const std::string& place, Declared& out) const {
    const bool bounds = out.lowest || out.highest;
    if (out.contributor) return check_contributor(place, out);
    if (out.max_rows > 0)
      return wrong_at(place, "max_rows without contributor: whose rows?", "add \"contributor\": true, or remove it");
    if (bounds && (out.type == ColumnType::Category || !out.level.empty()))
      return wrong_at(place, "a category has no min or max", "declare levels, or the type number");
    if (!out.level.empty() && out.type == ColumnType::Number)
      return wrong_at(place, "a number has no levels", "declare min and max, or the type category");
    if (out.lowest && out.highest && *out.lowest > *out.highest)
      return wrong_at(place, fmt::format("min {} is above max {}", exact_text(*out.lowest), exact_text(*out.highest)),
                      "swap them");
    if (bounds) out.type = ColumnType::Number;
    if (!out.level.empty()) out.type = ColumnType::Category;
    return Done{};
  }

  // Who the parties are is nothing that a schema lists, and their names are words, also where they look like numbers.
  Status check_contributor(const std::string& place, const Declared& out) const {
    if (out.ignore)
      return wrong_at(place, "it is ignored, but also tells whose a row is",
                      "remove \"ignore\": nothing is learned of a contributor's name anyhow");
    if (out.lowest || out.highest || !out.level.empty() || out.type == ColumnType::Number)
      return wrong_at(place, "a contributor has a name, which is no number and is not listed",
                      "remove type, min, max and levels");
    return Done{};
  }

  static std::string shown(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

  std::string source_;
};

nlohmann::ordered_json as_json(const Declared& declared) {
  nlohmann::ordered_json out;
  out["name"] = declared.name;
  if (declared.type) out["type"] = *declared.type == ColumnType::Number ? "number" : "category";
  if (declared.ignore) out["ignore"] = true;
  if (declared.lowest && std::isfinite(*declared.lowest)) out["min"] = *declared.lowest;
  if (declared.highest && std::isfinite(*declared.highest)) out["max"] = *declared.highest;
  if (!declared.level.empty()) out["levels"] = declared.level;
  if (declared.observed) out["observed"] = true;
  if (declared.contributor) out["contributor"] = true;
  if (declared.max_rows > 0) out["max_rows"] = declared.max_rows;
  return out;
}

}  // namespace

Result<Declarations> parse_declarations(std::string_view text, const std::string& source) {
  return SchemaReader(source).read(text);
}

Result<Declarations> read_declarations(const std::string& path) {
  const auto file = map_file(path);
  if (!file) return file.error();
  return parse_declarations(file->text(), path);
}

std::string write_declarations(const Declarations& declarations) {
  std::string out = "{\"wald_schema\": 1,\n \"columns\": [";
  for (std::size_t i = 0; i < declarations.columns.size(); ++i)
    out += (i == 0 ? "\n  " : ",\n  ") +
           as_json(declarations.columns[i]).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return out + "\n ]}\n";
}

}  // namespace wald
