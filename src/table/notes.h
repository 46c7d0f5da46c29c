// Words that messages and notes about columns share.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wald/table.h"

namespace wald {

// "'much' in row 2": the first cell of a category column, among these rows, that is no number, else the first cell.
std::string first_word(const Table&, const Column&, std::span<const Row>);
std::string row_text(const Table&, Row);                      // "row 2 (line 3)"; the line where it is known
std::string row_list(const Table&, const std::vector<Row>&);  // "rows 2, 5 (lines 3, 6)", "rows 1, 2 and 7 more"
std::string quoted_name(const std::string& name);             // 'age', safe to print
std::string listed(const std::vector<std::string>& names);    // 'a', 'b', 'c', 'd', 'e' and 12 more
std::string utf8_cure(const std::string& source);             // how to make a text UTF-8
std::string na_words(const std::string& cell);                // it as the value of --na, for a shell
bool looks_like_date(std::string_view text);  // 2024-05-31, 31.5.2024, 5/31/24, 31 May 2024, also with a time

}  // namespace wald
