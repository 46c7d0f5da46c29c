// Words that messages and notes about columns share.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wald/table.h"

namespace wald {

// "'much' in row 2": the first cell of a category column, among these rows, that is no number, else the first cell.
std::string first_word(const Column&, std::span<const Row>);
std::string quoted_name(const std::string& name);           // 'age', safe to print
std::string listed(const std::vector<std::string>& names);  // 'a', 'b', 'c', 'd', 'e' and 12 more
std::string utf8_cure(const std::string& source);           // how to make a text UTF-8
bool looks_like_date(std::string_view text);  // 2024-05-31, 31.5.2024, 5/31/24, 31 May 2024, also with a time

}  // namespace wald
