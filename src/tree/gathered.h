// The rows of a subtree gathered. What a deep node's rows need is spread over the whole table: of every line of codes
// and of every line of derivatives that is fetched from memory one row is used, at each level anew. Copied once to lie
// side by side, they are found in the cache by everything that grows below.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "prepare/bin.h"
#include "tree/histogram.h"

namespace wald {
struct GatheredNewton;
}

namespace wald::growing {

// A criterion that can be asked the same of copies.
template <class C>
concept GathersRows = requires(const C& c, std::span<const Row> rows, GatheredNewton& into) {
  { c.gathered(rows, into) } -> std::same_as<C>;
};

class Gathered {
 public:
  explicit Gathered(const Binned& table);
  ~Gathered();

  // Whether it is worth while to gather so many rows of the table for so many levels below them. A table that fits the
  // cache needs none of it, and of one whose rows take much of a line little is read in vain.
  static bool pays(const Binned& table, std::size_t rows, int levels, std::size_t cache);

  void gather(const Binned& table, std::span<Row> rows);
  // Writes where the rows up to the last-th of the node came from, in the order that they have now. Those given back
  // must not change their order any more.
  void put_back(std::size_t last);

  Binned x;                      // the copies; columns know their bins, but their codes are in by_rows alone
  std::vector<Row> rows, spare;  // of x, in the order of the nodes
  std::unique_ptr<GatheredNewton> derivatives;

 private:
  std::vector<Row> from_;     // of the table, by row of x
  std::span<Row> to_;         // the node's rows
  std::size_t put_back_ = 0;  // how many
};

}  // namespace wald::growing
