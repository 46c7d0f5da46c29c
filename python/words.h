// Words gathered one after another into a column of categories.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/text.h"
#include "wald/table.h"

namespace wald::python {

class Words {
 public:
  // A code that stands until finish(), which sorts the levels.
  std::int32_t code_of(std::string_view word) {
    const auto found = codes_.find(std::string(word));
    if (found != codes_.end()) return found->second;
    levels_.emplace_back(word);
    return codes_.emplace(levels_.back(), static_cast<std::int32_t>(levels_.size() - 1)).first->second;
  }
  void add(std::int32_t code) { rows_.push_back(code); }  // -1 = missing

  Categories finish() && {
    std::vector<bool> used(levels_.size());
    for (const std::int32_t code : rows_)
      if (code >= 0) used[code] = true;
    std::vector<std::int32_t> order;
    for (std::size_t k = 0; k < levels_.size(); ++k)
      if (used[k]) order.push_back(static_cast<std::int32_t>(k));
    std::ranges::sort(order, {}, [&](std::int32_t k) -> const std::string& { return levels_[k]; });
    Categories out;
    std::vector<std::int32_t> place(levels_.size(), -1);
    for (const std::int32_t k : order) {
      place[k] = static_cast<std::int32_t>(out.level.size());
      out.level.push_back(std::move(levels_[k]));
    }
    for (std::int32_t& code : rows_) code = code < 0 ? -1 : place[code];
    out.code = std::move(rows_);
    return out;
  }

 private:
  std::unordered_map<std::string, std::int32_t> codes_;
  std::vector<std::string> levels_;
  std::vector<std::int32_t> rows_;
};

}  // namespace wald::python
