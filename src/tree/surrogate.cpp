#include "tree/surrogate.h"

#include <algorithm>
#include <variant>

#include "tree/count.h"
#include "tree/histogram.h"
#include "tree/partition.h"

namespace wald {
namespace {

constexpr std::uint32_t kFewestRows = 2;  // on either side, or one odd row would make a surrogate

struct Tally {
  double weight[2] = {0, 0};  // of the rows that the node sends to either child
  std::uint32_t rows = 0;
  double all() const { return weight[0] + weight[1]; }
  int heavier() const { return weight[0] > weight[1] ? 0 : 1; }
  void add(const Tally& other) { weight[0] += other.weight[0], weight[1] += other.weight[1], rows += other.rows; }
};

// By the codes of the column, of the rows that know both columns.
struct Tallies {
  std::vector<Tally> of;             // by code
  std::vector<std::uint16_t> codes;  // occupied, ascending
  Tally total;
};

// Memory is kept between calls; only the codes touched are cleared.
class Counting {
 public:
  const Tallies& count(const BinnedColumn& x, const Sides& sides) {
    for (const std::uint16_t code : out_.codes) out_.of[code] = {};
    if (out_.of.size() < static_cast<std::size_t>(x.codes)) {
      out_.of.resize(static_cast<std::size_t>(x.codes));
      touched_.resize(x.codes);
    }
    std::visit([&](const auto& code) { fill(code, sides); }, x.code);
    touched_.take(out_.codes);
    out_.total = {};
    for (const std::uint16_t code : out_.codes) out_.total.add(out_.of[code]);
    return out_;
  }

 private:
  template <class Code>
  void fill(const std::vector<Code>& code, const Sides& sides) {
    for (std::size_t i = 0; i < sides.rows.size(); ++i) {
      const std::size_t c = code[sides.rows[i]];
      if (c == 0) continue;
      touched_.add(c);  // a threshold lies between neighbouring values of the node, whoever has them
      if (sides.way[i] < 0) continue;
      out_.of[c].weight[sides.way[i]] += sides.weight[i];
      ++out_.of[c].rows;
    }
  }

  Tallies out_;
  Touched touched_;
};

std::optional<StandIn> stand_in_of_numbers(const Binned& x, std::uint32_t column, const Tallies& t) {
  double best = t.total.weight[t.total.heavier()];
  std::size_t at = 0;
  StandIn out;
  Tally low;
  for (std::size_t i = 0; i + 1 < t.codes.size(); ++i) {
    low.add(t.of[t.codes[i]]);
    if (low.rows < kFewestRows || t.total.rows - low.rows < kFewestRows) continue;
    const double straight = low.weight[0] + (t.total.weight[1] - low.weight[1]), turned = t.total.all() - straight;
    if (std::max(straight, turned) <= best) continue;
    best = std::max(straight, turned), at = i + 1, out.turned = turned > straight;
  }
  if (at == 0) return std::nullopt;
  const Split cut = settled(x, {.column = column, .bin = t.codes[at - 1], .next = t.codes[at]});
  out.bin = cut.bin, out.threshold = cut.threshold;
  out.agreement = best / t.total.all();
  return out;
}

// Each level goes the way most of its rows go; one of no rows goes the way of the majority.
std::optional<StandIn> stand_in_of_levels(const BinnedColumn& x, const Tallies& t) {
  const int majority = t.total.heavier();
  StandIn out;
  out.set.assign((static_cast<std::size_t>(x.codes) - 1 + 63) / 64, 0);
  const auto put = [&](std::size_t level) { out.set[level / 64] |= std::uint64_t{1} << (level % 64); };
  std::uint32_t rows[2] = {0, 0};
  double agree = 0;
  for (int code = 1; code < x.codes; ++code) {
    const Tally& here = t.of[static_cast<std::size_t>(code)];
    const int way = here.weight[0] == here.weight[1] ? majority : here.heavier();
    if (way == 0) put(static_cast<std::size_t>(code) - 1);
    rows[way] += here.rows, agree += here.weight[way];
  }
  if (agree <= t.total.weight[majority] || std::min(rows[0], rows[1]) < kFewestRows) return std::nullopt;
  out.agreement = agree / t.total.all();
  return out;
}

}  // namespace

std::optional<StandIn> best_stand_in(const Binned& x, std::uint32_t column, const Sides& sides) {
  const BinnedColumn& binned = x.columns[column];
  if (binned.codes <= 1) return std::nullopt;
  thread_local Counting counting;
  const Tallies& tallies = counting.count(binned, sides);
  std::optional<StandIn> out =
      binned.type == ColumnType::Number ? stand_in_of_numbers(x, column, tallies) : stand_in_of_levels(binned, tallies);
  if (out) out->column = column;
  return out;
}

std::vector<StandIn> find_surrogates(const Binned& x, std::uint32_t own, const Sides& sides, int most, Team team) {
  std::vector<std::optional<StandIn>> found(x.columns.size());
  for_columns(team, sides.rows.size() * x.columns.size(), x.columns.size(), [&](std::size_t c) {
    if (c != own) found[c] = best_stand_in(x, static_cast<std::uint32_t>(c), sides);
  });
  std::vector<StandIn> out;
  for (std::optional<StandIn>& one : found)
    if (one) out.push_back(*std::move(one));
  std::ranges::stable_sort(out, std::greater<>{}, &StandIn::agreement);
  out.resize(std::min(static_cast<std::size_t>(most), out.size()));
  return out;
}

}  // namespace wald
