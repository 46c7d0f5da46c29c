// Words for people: the nearest name to a mistyped one, text made safe for a terminal, numbers with few digits.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wald {

// The candidate within two edits (insert, delete, replace, swap of neighbours; ignoring ASCII case), or one that begins
// with the word; empty if none.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);
std::string did_you_mean(std::string_view word,
                         const std::vector<std::string>& candidates);  // "did you mean --target?" or ""

// Control characters and invalid UTF-8 escaped, shortened to at most `limit` characters: safe to print.
std::string printable(std::string_view text, std::size_t limit = 60);

bool valid_utf8(std::string_view text);

// Columns a terminal gives the text: two for East Asian wide characters and emoji, none for combining marks.
std::size_t display_width(std::string_view utf8);

// The shortest decimal text that reads back as the same double; "nan", "inf", "-inf".
std::string exact_text(double value);
std::string short_text(double value);                        // about four significant digits, for people
std::string with_commas(std::uint64_t number);               // 61,348
std::string plural(std::uint64_t n, std::string_view word);  // "1 row", "61,348 rows"

}  // namespace wald
