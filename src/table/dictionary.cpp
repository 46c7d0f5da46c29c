#include "table/dictionary.h"

#include <xxhash.h>

#include <algorithm>
#include <numeric>

namespace wald {

std::int32_t Dictionary::code(std::string_view text, std::uint64_t row, bool copy) {
  if (slots_.size() < 2 * (words_.size() + 1)) grow();
  const std::uint64_t hash = XXH3_64bits(text.data(), text.size());
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at] >= 0; at = (at + 1) & mask) {
    Word& word = words_[static_cast<std::size_t>(slots_[at])];
    if (word.hash == hash && word.text == text) {
      ++word.count;
      return slots_[at];
    }
  }
  if (copy) text = kept_.emplace_front(text);
  slots_[at] = static_cast<std::int32_t>(words_.size());
  words_.push_back({text, hash, 1, row});
  return slots_[at];
}

void Dictionary::grow() {
  slots_.assign(std::max<std::size_t>(8, slots_.size() * 2), -1);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    std::size_t at = words_[i].hash & mask;
    while (slots_[at] >= 0) at = (at + 1) & mask;
    slots_[at] = static_cast<std::int32_t>(i);
  }
}

void Dictionary::forget() { *this = Dictionary(); }

Merged merged(std::span<const Dictionary* const> parts) {
  struct Origin {
    const Word* word;
    std::uint32_t part, number;
  };
  std::vector<Origin> all;
  Merged out;
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    const auto words = parts[p]->words();
    out.number.emplace_back(words.size());
    for (std::uint32_t i = 0; i < words.size(); ++i) all.push_back({&words[i], p, i});
  }
  std::ranges::sort(all, {}, [](const Origin& o) { return o.word->text; });
  for (const Origin& o : all) {
    if (out.words.empty() || out.words.back().text != o.word->text) out.words.push_back(*o.word);
    else {
      Word& word = out.words.back();
      word.count += o.word->count;
      word.first_row = std::min(word.first_row, o.word->first_row);
    }
    out.number[o.part][o.number] = static_cast<std::int32_t>(out.words.size() - 1);
  }
  return out;
}

}  // namespace wald
