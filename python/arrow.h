// Columns from an Arrow C stream: the structs of its stable ABI, and what Wald reads of them
// (https://arrow.apache.org/docs/format/CStreamInterface.html). No Arrow library is needed on either side.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "words.h"

extern "C" {
struct ArrowSchema {
  const char *format, *name, *metadata;
  std::int64_t flags, n_children;
  ArrowSchema **children, *dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray **children, *dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace wald::python {

template <class T>
struct Released : T {
  Released() : T{} {}
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released() {
    if (this->release != nullptr) this->release(this);
  }
};

inline bool arrow_valid(const ArrowArray& a, std::int64_t i) {
  const auto* bits = static_cast<const std::uint8_t*>(a.n_buffers > 0 ? a.buffers[0] : nullptr);
  return bits == nullptr || bits[(i + a.offset) / 8] >> ((i + a.offset) % 8) & 1;
}
template <class T>
const T* arrow_cells(const ArrowArray& a, int buffer = 1) {
  return static_cast<const T*>(a.buffers[buffer]) + a.offset;
}

// Of each number format its cell as a double; nullptr = not a format of numbers.
using ArrowNumber = double (*)(const ArrowArray&, std::int64_t);
template <class T>
double arrow_number_of(const ArrowArray& a, std::int64_t i) {
  return static_cast<double>(arrow_cells<T>(a)[i]);
}
inline ArrowNumber arrow_number(std::string_view format) {
  static const std::map<std::string_view, ArrowNumber> known{
      {"c", arrow_number_of<std::int8_t>},
      {"C", arrow_number_of<std::uint8_t>},
      {"s", arrow_number_of<std::int16_t>},
      {"S", arrow_number_of<std::uint16_t>},
      {"i", arrow_number_of<std::int32_t>},
      {"I", arrow_number_of<std::uint32_t>},
      {"l", arrow_number_of<std::int64_t>},
      {"L", arrow_number_of<std::uint64_t>},
      {"f", arrow_number_of<float>},
      {"g", arrow_number_of<double>},
      {"n", [](const ArrowArray&, std::int64_t) { return kMissing; }},
      {"b", [](const ArrowArray& a, std::int64_t i) -> double {
         return static_cast<const std::uint8_t*>(a.buffers[1])[(i + a.offset) / 8] >> ((i + a.offset) % 8) & 1;
       }}};
  const auto found = known.find(format);
  return found == known.end() ? nullptr : found->second;
}

template <class Offset>
std::string_view arrow_text_of(const ArrowArray& a, std::int64_t i) {
  const auto* at = arrow_cells<Offset>(a);
  return {static_cast<const char*>(a.buffers[2]) + at[i], static_cast<std::size_t>(at[i + 1] - at[i])};
}
// Sixteen bytes a cell: the length, then the text itself where it fits, else its first four bytes, buffer and place.
inline std::string_view arrow_view_of(const ArrowArray& a, std::int64_t i) {
  const char* cell = static_cast<const char*>(a.buffers[1]) + 16 * (i + a.offset);
  std::int32_t part[4];
  std::memcpy(part, cell, sizeof part);
  const auto size = static_cast<std::size_t>(part[0]);
  return size <= 12 ? std::string_view(cell + 4, size)
                    : std::string_view(static_cast<const char*>(a.buffers[2 + part[2]]) + part[3], size);
}
using ArrowText = std::string_view (*)(const ArrowArray&, std::int64_t);
inline ArrowText arrow_text(std::string_view format) {
  if (format == "u") return arrow_text_of<std::int32_t>;
  if (format == "U") return arrow_text_of<std::int64_t>;
  return format == "vu" ? arrow_view_of : nullptr;
}

// One column, chunk after chunk.
class ArrowColumn {
 public:
  explicit ArrowColumn(const ArrowSchema& schema)
      : name_(schema.name == nullptr ? "" : schema.name),
        coded_(schema.dictionary != nullptr),
        number_(arrow_number(schema.format)),
        text_(arrow_text(coded_ ? schema.dictionary->format : schema.format)),
        level_number_(coded_ ? arrow_number(schema.dictionary->format) : nullptr) {
    if (text_ == nullptr && (coded_ ? level_number_ : number_) == nullptr)
      throw Error{bad_data("column '" + name_ + "' has the Arrow format '" + schema.format +
                               "', which is neither of numbers nor of text",
                           "cast it to one of them, or leave the column out")};
  }

  void add(const ArrowArray& a) {
    if (coded_) return add_coded(a, *a.dictionary);
    for (std::int64_t i = 0; i < a.length; ++i) {
      const bool valid = arrow_valid(a, i);
      if (text_ != nullptr) words_.add(valid ? words_.code_of(text_(a, i)) : -1);
      else numbers_.push_back(valid ? number_(a, i) : kMissing);
    }
  }
  Column finish() && {
    if (text_ == nullptr && !coded_) return {name_, Numbers(std::move(numbers_))};
    return {name_, std::move(words_).finish()};
  }

 private:
  void add_coded(const ArrowArray& a, const ArrowArray& levels) {
    std::vector<std::int32_t> code(levels.length);
    for (std::int64_t k = 0; k < levels.length; ++k)
      code[k] = !arrow_valid(levels, k) ? -1
                : text_ != nullptr      ? words_.code_of(text_(levels, k))
                                        : words_.code_of(exact_text(level_number_(levels, k)));
    for (std::int64_t i = 0; i < a.length; ++i)
      words_.add(arrow_valid(a, i) ? code.at(static_cast<std::size_t>(number_(a, i))) : -1);
  }

  std::string name_;
  bool coded_;
  ArrowNumber number_;
  ArrowText text_;
  ArrowNumber level_number_;
  std::vector<double> numbers_;
  Words words_;
};

inline Table read_arrow(ArrowArrayStream& stream, const std::string& source) {
  const auto check = [&](int code) {
    if (code == 0) return;
    const char* why = stream.get_last_error == nullptr ? nullptr : stream.get_last_error(&stream);
    throw Error{failure(source + ": the Arrow stream failed: " + (why == nullptr ? std::strerror(code) : why))};
  };
  Released<ArrowSchema> schema;
  check(stream.get_schema(&stream, &schema));
  if (std::string_view(schema.format) != "+s")
    throw Error{bad_data(source + ": the Arrow stream is not one of tables", "give a table, not a single column")};
  std::vector<ArrowColumn> columns;
  for (std::int64_t c = 0; c < schema.n_children; ++c) columns.emplace_back(*schema.children[c]);
  std::uint64_t rows = 0;
  for (;;) {
    Released<ArrowArray> chunk;
    check(stream.get_next(&stream, &chunk));
    if (chunk.release == nullptr) break;
    rows += static_cast<std::uint64_t>(chunk.length);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      // The rows of a chunk may be a part of its columns'.
      ArrowArray part = *chunk.children[c];
      part.offset += chunk.offset;
      part.length = chunk.length;
      columns[c].add(part);
    }
  }
  if (rows > kMaxRows) throw Error{bad_data(source + " has more rows than Wald can number", "take fewer")};
  Table out{.rows = static_cast<Row>(rows), .source = source};
  for (ArrowColumn& column : columns) out.columns.push_back(std::move(column).finish());
  return out;
}

}  // namespace wald::python
