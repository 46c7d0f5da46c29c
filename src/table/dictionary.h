// The words of a column in one chunk of a file, numbered as they come; and all chunks' words put together.
#pragma once
#include <cstdint>
#include <forward_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wald {

struct Word {
  std::string_view text;
  std::uint64_t hash = 0;
  std::uint64_t count = 0;
  std::uint64_t first_row = 0;
};

class Dictionary {
 public:
  // The word's number. The text must outlive the dictionary unless `copy` is asked for.
  std::int32_t code(std::string_view text, std::uint64_t row, bool copy);
  std::span<const Word> words() const { return words_; }
  void forget();  // frees what it holds

 private:
  void grow();
  std::vector<Word> words_;
  std::vector<std::int32_t> slots_;  // open addressing; -1 = free; the size is a power of two
  std::forward_list<std::string> kept_;
};

// Every word once, sorted by bytes, with counts added and first rows minimal; `number` says for each dictionary and
// each of its words which of those it is.
struct Merged {
  std::vector<Word> words;
  std::vector<std::vector<std::int32_t>> number;
};
Merged merged(std::span<const Dictionary* const> parts);

}  // namespace wald
