// Damages model files at random: whatever the damage, a file is refused; with its checksum repaired, as an attacker
// would, it is refused or is a sound model. tests/slow/mutate_models.sh runs this with 100,000 mutations.
#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "model/container.h"
#include "model/sample_test.h"
#include "model/validate.h"
#include "wald/predict.h"

namespace wald {
namespace {

std::size_t mutations() {
  std::size_t count = 4000;
  if (const char* text = std::getenv("WALD_MUTATIONS")) std::from_chars(text, text + std::strlen(text), count);
  return count;
}

// Numbers that sit at the edges of what a field may hold.
std::uint64_t edge(sample::Draws& draw) {
  constexpr std::uint64_t edges[] = {0,
                                     1,
                                     2,
                                     63,
                                     64,
                                     65534,
                                     65535,
                                     65536,
                                     0x7FFF'FFFF,
                                     0x8000'0000,
                                     0xFFFF'FFFE,
                                     0xFFFF'FFFF,
                                     0x7FF0'0000'0000'0000,
                                     0x7FF8'0000'0000'0000,
                                     1ull << 63,
                                     ~0ull};
  return edges[draw.below(std::size(edges))];
}

void mutate(std::string& bytes, sample::Draws& draw) {
  const std::size_t at = draw.below(bytes.size());
  const auto poke = [&](std::size_t size, std::uint64_t value) {
    std::memcpy(bytes.data() + at, &value, std::min(size, bytes.size() - at));
  };
  switch (draw.below(8)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << draw.below(8)));
      break;
    case 1:
      poke(4, draw.below(~0ull));
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      bytes.insert(at, draw.below(100) + 1, static_cast<char>(draw.below(256)));
      break;
    case 4:
      poke(std::size_t{1} << draw.below(4), edge(draw));
      break;
    case 5:
      poke(4, draw.below(12));
      break;
    case 6:
      bytes.erase(at, draw.below(64) + 1);
      break;
    default:
      std::swap(bytes[at], bytes[draw.below(bytes.size())]);
  }
}

TEST(Mutation, EveryDamagedFileIsRefused) {
  sample::Draws draw(1);
  for (std::size_t i = 0; i < mutations(); ++i) {
    const std::string sound = to_bytes(sample::random_model(i % 50));
    std::string bytes = sound;
    while (bytes == sound) mutate(bytes, draw);  // some mutations change nothing
    const auto model = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
    ASSERT_FALSE(model) << i;
    ASSERT_EQ(model.error().kind, ErrorKind::BadModel);
  }
}

TEST(Mutation, ADamagedFileWithARepairedChecksumIsRefusedOrSound) {
  sample::Draws draw(2);
  std::size_t loaded = 0;
  for (std::size_t i = 0; i < mutations(); ++i) {
    const Model model = sample::random_model(i % 50);
    std::string bytes = to_bytes(model);
    for (std::uint64_t times = 1 + draw.below(3); times > 0 && !bytes.empty(); --times) mutate(bytes, draw);
    seal(std::as_writable_bytes(std::span(bytes)));
    const auto back = from_bytes(std::as_bytes(std::span(bytes)), "m.wald");
    if (!back) {
      ASSERT_EQ(back.error().kind, ErrorKind::BadModel) << i;
      continue;
    }
    ++loaded;
    ASSERT_EQ(flaw(*back), "") << i;
    if (const auto made = predict(*back, sample::random_table(*back, 5, i)); made) { ASSERT_EQ(made->rows, 5u); }
  }
  EXPECT_GT(loaded, 0u);
  EXPECT_LT(loaded, mutations());
  RecordProperty("loaded", static_cast<int>(loaded));
}

}  // namespace
}  // namespace wald
