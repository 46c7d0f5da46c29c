// Which columns a node of a twig draws: those that Grower draws.
#pragma once
#include <array>
#include <cstdint>

#include "core/random.h"
#include "tree/sapling_twig.h"

namespace wald::sapling {

// The first words of the nodes from the given one on, in rules.words.
void draw_ahead(TwigRules&, std::uint32_t node);

class TwigDraws {
 public:
  TwigDraws(TwigRules& rules, std::uint32_t node) : rules_(rules), node_(node) {
    if (node - rules.ahead >= kTwigAhead) draw_ahead(rules, node);
    word_ = rules.words[0].data() + 4 * (node - rules.ahead);
  }
  std::size_t drawn() const { return drawn_; }
  bool any() const { return drawn_ < rules_.columns; }
  std::size_t next() {
    if (drawn_ % 4 == 0 && drawn_ > 0) turn_page();
    const std::uint64_t among = rules_.columns - drawn_;
    const std::size_t with = drawn_ + static_cast<std::size_t>(word_[drawn_ % 4] * among >> 32);
    const std::uint8_t column = order_[with];
    order_[with] = order_[drawn_++];
    return column;
  }

 private:
  void turn_page() {
    if (drawn_ == 4 && rules_.wanted > 4) {
      word_ = rules_.words[1].data() + 4 * (node_ - rules_.ahead);
      return;
    }
    const auto page = static_cast<std::uint32_t>(drawn_ / 4), purpose = static_cast<std::uint32_t>(Purpose::Sapling);
    own_ = philox({node_, page, rules_.tree, purpose},
                  {static_cast<std::uint32_t>(rules_.seed), static_cast<std::uint32_t>(rules_.seed >> 32)});
    word_ = own_.data();
  }

  static constexpr std::array<std::uint8_t, kTwigColumns> kInOrder = [] {
    std::array<std::uint8_t, kTwigColumns> out{};
    for (std::uint8_t i = 0; i < kTwigColumns; ++i) out[i] = i;
    return out;
  }();

  TwigRules& rules_;
  std::uint32_t node_;
  const std::uint32_t* word_;
  std::size_t drawn_ = 0;
  std::array<std::uint32_t, 4> own_;
  std::array<std::uint8_t, kTwigColumns> order_ = kInOrder;  // what is drawn is not needed in it any more
};

}  // namespace wald::sapling
