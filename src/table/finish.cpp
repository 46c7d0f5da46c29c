#include "table/finish.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "table/notes.h"

namespace wald {
namespace {

std::string value_at(const Layout& layout, std::size_t offset) {
  const char* text = layout.text.data();
  std::string buffer;
  return std::string(cell_text(next_cell(text + offset, text + layout.text.size(), layout.dialect), buffer));
}

bool enforced(const Declared* declared) { return declared != nullptr && !declared->observed; }

std::optional<Flaw> outside_bounds(const Layout& layout, const Numbers& numbers, const Declared& declared) {
  const double low = declared.lowest.value_or(-std::numeric_limits<double>::infinity());
  const double high = declared.highest.value_or(std::numeric_limits<double>::infinity());
  for (std::size_t row = 0; row < numbers.size(); ++row)
    if (numbers[row] < low || numbers[row] > high)
      return Flaw{Flaw::OutsideBounds, layout.start_of(row), exact_text(numbers[row])};
  return {};
}

Remark remark_on(const std::vector<Word>& words, char decimal) {
  Remark out;
  Facts facts;
  std::uint64_t dates = 0;
  const Word* first = nullptr;
  for (const Word& word : words) {
    Facts one;
    one.add(trimmed(word.text), decimal, 0);
    facts.merge(one);
    out.cells += word.count;
    if (one.is_number()) continue;
    out.words += word.count;
    if (looks_like_date(word.text)) dates += word.count;
    if (first == nullptr || word.first_row < first->first_row) first = &word;
  }
  if (out.cells == 0) return out;
  if (out.words == 0) {
    out.kind = facts.beyond ? Remark::Beyond : Remark::Codes;
  } else if (dates * 20 >= out.cells * 19) {
    out.kind = Remark::Dates;
  } else if (out.cells >= 20 && out.words * 20 <= out.cells) {
    out.kind = Remark::Mistyped;
    out.first_row = first->first_row;
    out.first_word = first->text;
  }
  return out;
}

// Puts the declared levels in the place of those seen; a level seen that is not declared is a flaw.
std::optional<Flaw> fit_levels(const Layout& layout, const std::vector<Word>& words, const Declared& declared,
                               Categories& data, std::vector<std::int32_t>& number) {
  std::vector<std::string> levels = declared.level;
  std::ranges::sort(levels);
  const Word* unknown = nullptr;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto at = std::ranges::lower_bound(levels, words[i].text);
    number[i] = static_cast<std::int32_t>(at - levels.begin());
    const bool known = at != levels.end() && *at == words[i].text;
    if (!known && (unknown == nullptr || words[i].first_row < unknown->first_row)) unknown = &words[i];
  }
  data.level = std::move(levels);
  if (unknown == nullptr) return {};
  return Flaw{Flaw::UnknownLevel, layout.start_of(unknown->first_row), std::string(unknown->text)};
}

}  // namespace

Harvest harvest_numbers(const Layout& layout, Reading& column, const Declared* declared) {
  Numbers numbers = column.form.shape == Shape::Decimal ? Numbers(std::move(column.digits), column.form.decimals)
                                                        : Numbers(std::move(column.doubles));
  Harvest out;
  if (enforced(declared) && (declared->lowest || declared->highest))
    out.flaw = outside_bounds(layout, numbers, *declared);
  out.data = std::move(numbers);
  return out;
}

Harvest harvest_words(const Layout& layout, const std::vector<Part>& parts, Reading& column, const Declared* declared) {
  std::vector<const Dictionary*> dictionaries;
  for (const Part& part : parts) dictionaries.push_back(&part.words[column.slot]);
  Merged all = merged(dictionaries);
  Harvest out;
  if (declared == nullptr || !declared->type) out.remark = remark_on(all.words, layout.dialect.decimal);
  Categories data{.code = std::move(column.digits)};
  std::vector<std::int32_t> level(all.words.size());
  if (enforced(declared) && !declared->level.empty()) {
    out.flaw = fit_levels(layout, all.words, *declared, data, level);
  } else {
    for (std::size_t i = 0; i < all.words.size(); ++i) {
      level[i] = static_cast<std::int32_t>(i);
      data.level.emplace_back(all.words[i].text);
    }
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Chunk& chunk = layout.chunks[p];
    for (std::uint64_t row = chunk.first_row; row < chunk.first_row + chunk.rows; ++row)
      if (std::int32_t& code = data.code[row]; code >= 0) code = level[all.number[p][code]];
  }
  out.data = std::move(data);
  return out;
}

std::optional<Flaw> flaw_of(const Layout& layout, const Facts& facts, Shape shape, bool must_be_number) {
  if (must_be_number && facts.word_at != Facts::kNowhere)
    return Flaw{Flaw::NotNumber, facts.word_at, value_at(layout, facts.word_at)};
  if (shape != Shape::Text && facts.overflow_at != Facts::kNowhere)
    return Flaw{Flaw::TooLarge, facts.overflow_at, value_at(layout, facts.overflow_at)};
  return {};
}

}  // namespace wald
