#include "wald/forest.h"

namespace wald {

TreeView Forest::tree(std::size_t t) const {
  const std::size_t begin = first[t], size = first[t + 1] - begin, width = static_cast<std::size_t>(outputs);
  const auto part = [&](const Array<double>& all) {
    return all.empty() ? std::span<const double>{} : std::span<const double>(all).subspan(begin, size);
  };
  return {std::span<const Node>(nodes).subspan(begin, size),
          std::span<const double>(values).subspan(begin * width, size * width), part(cover), part(gain)};
}

}  // namespace wald
