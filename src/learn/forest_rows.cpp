#include "learn/forest_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random_many.h"

namespace wald {
namespace {

std::size_t share_of(double share, std::size_t rows) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::llround(share * static_cast<double>(rows))), 1, rows);
}

// Uniform in 0 .. n - 1, from 64 random bits.
std::size_t below(std::size_t n, std::uint64_t bits) {
  return static_cast<std::size_t>(static_cast<unsigned __int128>(bits) * n >> 64);
}

}  // namespace

ForestRows::ForestRows(const Task& task, const ForestOptions& how, std::vector<Row> rows, std::uint64_t seed)
    : how_(how), rows_(std::move(rows)), seed_(seed) {
  const double share = how.rows > 0 ? how.rows : how.sample == Sample::Subsample ? 0.632 : 1;
  std::size_t from = rows_.size();
  if (how.sample == Sample::Balanced) {
    of_class_.resize(task.classes().name.size());
    for (std::uint32_t i = 0; i < rows_.size(); ++i) of_class_[task.classes().code[rows_[i]]].push_back(i);
    std::erase_if(of_class_, [](const auto& places) { return places.empty(); });
    for (const auto& places : of_class_) from = std::min(from, places.size());
  }
  size_ = share_of(share, from);
  for (Row r = 0, i = 0; r < task.x.rows; ++r)
    if (i < rows_.size() && rows_[i] == r) ++i;
    else idle_.push_back(r);
}

bool ForestRows::leaves_out() const {
  if (how_.sample == Sample::All || how_.sample == Sample::Subsample)
    return how_.sample == Sample::Subsample && size_ < rows_.size();
  if (how_.sample == Sample::Bootstrap) return rows_.size() > 1;
  return std::ranges::any_of(of_class_, [](const auto& places) { return places.size() > 1; });
}

// The first steps of a shuffle.
std::vector<std::uint32_t> ForestRows::drawn_once(std::uint32_t tree) const {
  std::vector<std::uint32_t> places(rows_.size());
  std::iota(places.begin(), places.end(), 0u);
  const Random random(seed_, Purpose::Bootstrap, tree);
  for (std::size_t i = 0; i < size_; ++i) std::swap(places[i], places[i + random.below(places.size() - i, i)]);
  places.resize(size_);
  return places;
}

std::vector<std::uint32_t> ForestRows::counts(std::uint32_t tree) const {
  std::vector<std::uint32_t> out;
  count(tree, out);
  return out;
}

void ForestRows::count(std::uint32_t tree, std::vector<std::uint32_t>& out) const {
  out.assign(rows_.size(), how_.sample == Sample::All ? 1 : 0);
  if (how_.sample == Sample::All) return;
  const Random random(seed_, Purpose::Bootstrap, tree);
  if (how_.sample == Sample::Subsample) {
    for (const std::uint32_t place : drawn_once(tree)) out[place] = 1;
  } else if (how_.sample == Sample::Balanced) {
    std::uint64_t draw = 0;
    for (const auto& places : of_class_)
      for (std::size_t i = 0; i < size_; ++i) ++out[places[random.below(places.size(), draw++)]];
  } else {
    constexpr std::size_t kBlocks = 128;  // of two draws each; rows are fewer than 2^32
    std::uint64_t first[kBlocks], second[kBlocks];
    for (std::size_t i = 0; i < size_; i += 2 * kBlocks) {
      const std::size_t some = std::min(2 * kBlocks, size_ - i);
      many_blocks(static_cast<std::uint32_t>(i / 2), (some + 1) / 2, tree, Purpose::Bootstrap, seed_, first, second);
      for (std::size_t k = 0; k < some; ++k) ++out[below(rows_.size(), (k % 2 == 0 ? first : second)[k / 2])];
    }
  }
}

void ForestRows::draw(std::uint32_t tree, Bag& out) const {
  std::vector<bool> fills;
  if (how_.honest) {
    const std::vector<std::uint32_t> places = drawn_once(tree);
    out.count.assign(rows_.size(), 0), fills.resize(rows_.size());
    for (std::size_t i = 0; i < places.size(); ++i)
      out.count[places[i]] = 1, fills[places[i]] = 2 * i + 1 >= places.size() && i > 0;
  } else {
    count(tree, out.count);
  }
  out.fill.clear();
  if (!fills.empty())
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (fills[i]) out.fill.push_back({rows_[i], std::exchange(out.count[i], kFillsLeaves)});
  divide(out);
}

void ForestRows::divide(Bag& bag) const {
  bag.grow_room.resize(rows_.size() + kDivideSpare), bag.out_room.resize(rows_.size() + kDivideSpare);
  const DividedBag parts = divide_bag(rows_, bag.count.data(), bag.grow_room.data(), bag.out_room.data());
  bag.grow = {bag.grow_room.data(), parts.in}, bag.out = {bag.out_room.data(), parts.out};
}

}  // namespace wald
