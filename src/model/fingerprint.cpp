// The fingerprint of a task: a hash of what it says, not of how it is stored. Every part goes in with its length
// before it, so that no two different tasks spell the same bytes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string_view>
#include <vector>

#include "core/parallel.h"
#include "model/hash.h"
#include "wald/model.h"
#include "wald/task.h"

namespace wald {
namespace {

constexpr std::size_t kBlock = 4096;
using Digest = std::array<unsigned char, 16>;

template <class T>
void add_array(Hash& hash, std::span<const T> all) {
  const std::uint64_t size = all.size();
  hash.add(std::as_bytes(std::span(&size, 1)));
  hash.add(std::as_bytes(all));
}

void add(Hash& hash, std::string_view text) { add_array(hash, std::span(text.data(), text.size())); }

void add(Hash& hash, const std::vector<std::string>& words) {
  const std::uint64_t size = words.size();
  hash.add(std::as_bytes(std::span(&size, 1)));
  for (const std::string& word : words) add(hash, word);
}

// One zero and one NaN, whatever their bits were.
double canonical(double x) { return x == 0 ? 0.0 : std::isnan(x) ? kMissing : x; }

void add(Hash& hash, const Numbers& numbers) {
  std::array<double, kBlock> block;
  const std::uint64_t size = numbers.size();
  hash.add(std::as_bytes(std::span(&size, 1)));
  for (std::size_t begin = 0; begin < size; begin += kBlock) {
    const std::size_t count = std::min<std::size_t>(kBlock, size - begin);
    numbers.copy(begin, begin + count, block.data());
    for (std::size_t i = 0; i < count; ++i) block[i] = canonical(block[i]);
    hash.add(std::as_bytes(std::span(block).first(count)));
  }
}

void add(Hash& hash, const Categories& words) {
  add(hash, words.level);
  add_array(hash, std::span<const std::int32_t>(words.code));
}

Digest digest_of(const Column& column) {
  Hash hash;
  add(hash, column.name);
  add(hash, column.type() == ColumnType::Number ? "number" : "category");
  std::visit([&hash](const auto& data) { add(hash, data); }, column.data);
  return hash.digest();
}

void add(Hash& hash, const Target& y) {
  if (const auto* classes = std::get_if<Classes>(&y)) {
    add(hash, "classes");
    add(hash, classes->name);
    add_array(hash, std::span<const std::int32_t>(classes->code));
  } else {
    add(hash, "numbers");
    add(hash, Numbers(std::get<0>(y)));
  }
}

// Weights that are all 1 are no weights.
bool weighted(const std::vector<std::int64_t>& weight) {
  return std::ranges::any_of(weight, [](std::int64_t w) { return w != std::int64_t{1} << kWeightBits; });
}

std::string text_of(const Hash& hash) {
  std::string text;
  for (const unsigned char byte : hash.digest()) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

std::string fingerprint(const Task& task) {
  std::vector<Digest> columns(task.x.columns.size());
  parallel_for(columns.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) columns[c] = digest_of(task.x.columns[c]);
  });
  Hash hash;
  add(hash, "wald task 1");
  add_array(hash, std::span<const Digest>(columns));
  add(hash, task.target);
  add(hash, task.y);
  for (std::size_t t = 0; t < task.more_targets.size(); ++t) {
    add(hash, task.more_targets[t]);
    add(hash, Target(task.more_y[t]));
  }
  add_array(hash, weighted(task.weight) ? std::span<const std::int64_t>(task.weight) : std::span<const std::int64_t>{});
  return text_of(hash);
}

std::vector<std::string> learned_from(const Provenance& made) {
  const auto earlier = made.options.find(kContinued);
  std::istringstream words(earlier == made.options.end() ? "" : earlier->second);
  std::vector<std::string> out;
  for (std::string word; std::getline(words, word, ',');) out.push_back(word);
  out.push_back(made.fingerprint);
  return out;
}

std::string fingerprint(const Model& model) {
  const std::string bytes = to_bytes(model);
  Hash hash;
  hash.add(std::as_bytes(std::span(bytes)));
  return text_of(hash);
}

}  // namespace wald
