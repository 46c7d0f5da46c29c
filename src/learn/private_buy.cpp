#include "learn/private_buy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/statistics.h"
#include "core/text.h"
#include "learn/private_boost_rows.h"

namespace wald {
namespace {

constexpr int kLeast = -30, kMost = 40;  // powers of two that are told apart
constexpr int kPowers = kMost - kLeast + 1, kCells = 2 * kPowers + 1;
constexpr double kStandsOut = 4;  // deviations
constexpr double kMostWords = 1e6;

// Cells in the order of their values: negative ones from the largest, zero, positive ones.
int cell_of(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);  // 2^(exponent - 1) <= |value| < 2^exponent
  const int power = std::clamp(exponent, kLeast, kMost) - kLeast;
  return value == 0 ? kPowers : value > 0 ? kPowers + 1 + power : kPowers - 1 - power;
}
double lower_edge(int cell) {
  if (cell == kPowers) return 0;
  return cell > kPowers ? std::ldexp(1.0, cell - kPowers - 2 + kLeast) : -std::ldexp(1.0, kPowers - 1 - cell + kLeast);
}
double upper_edge(int cell) {
  if (cell == kPowers) return 0;
  return cell > kPowers ? std::ldexp(1.0, cell - kPowers - 1 + kLeast) : -std::ldexp(1.0, kPowers - 2 - cell + kLeast);
}

struct Open {
  const Column* column = nullptr;
  PublicColumn* known = nullptr;
  std::vector<std::int64_t> counts;
};

void count(Open& open, const std::vector<Row>& rows) {
  if (open.known->type == ColumnType::Category) {
    open.counts.assign(open.column->categories().level.size(), 0);
    for (const Row row : rows)
      if (const std::int32_t code = open.column->categories().code[row]; code >= 0)
        ++open.counts[static_cast<std::size_t>(code)];
    return;
  }
  open.counts.assign(kCells, 0);
  for (const Row row : rows)
    if (const double value = open.column->numbers()[row]; std::isfinite(value))
      ++open.counts[static_cast<std::size_t>(cell_of(value))];
}

void close(Open& open, std::span<const double> noisy, double deviation, double level_threshold) {
  PublicColumn& known = *open.known;
  known.open = false;
  if (known.type == ColumnType::Category) {
    // A party's rows beyond those that count may hold any number of levels of its own: they have no chance here.
    for (std::size_t k = 0; k < noisy.size(); ++k)
      if (open.counts[k] > 0 && noisy[k] > level_threshold) known.level.push_back(open.column->categories().level[k]);
    std::ranges::sort(known.level);
    return;
  }
  int first = -1, last = -1;
  for (int cell = 0; cell < kCells; ++cell)
    if (noisy[static_cast<std::size_t>(cell)] > kStandsOut * deviation) first = first < 0 ? cell : first, last = cell;
  known.low = first < 0 ? -1 : lower_edge(first), known.high = first < 0 ? 1 : upper_edge(last);
  if (!(known.low < known.high)) known.low -= 1, known.high += 1;  // nothing but zeros
}

// A row is counted once in each open column.
std::uint64_t reach_of(double open, const PrivateBoost& how) {
  return static_cast<std::uint64_t>(std::ceil(std::sqrt(open) * how.max_rows));
}

// target: its numbers, as a column.
std::vector<Open> open_columns(PrivateTask& task, Domain& domain, const Column& target) {
  std::vector<Open> out;
  if (domain.target.open) out.push_back({&target, &domain.target, {}});
  for (std::size_t c = 0; c < domain.columns.size(); ++c)
    if (domain.columns[c].open) out.push_back({&task.rows.x.columns[c], &domain.columns[c], {}});
  return out;
}

}  // namespace

Result<double> bought_share(const std::string& text) {
  if (text == "none") return 0.0;
  double share = 0;
  constexpr std::string_view begin = "bounds=";
  const char* end = text.data() + text.size();
  if (text.starts_with(begin))
    if (const auto [at, code] = std::from_chars(text.data() + begin.size(), end, share);
        code == std::errc{} && at == end && share >= 0.001 && share <= 0.5)
      return share;
  return usage(fmt::format("--buy: '{}' is not bounds=SHARE", printable(text)),
               "give a share of the budget from 0.001 to 0.5, for example --buy bounds=0.05");
}

Status check_purchase(const PrivateTask& task, const Domain& domain, const PrivateBoost& how, double share,
                      const GaussianBudget& budget) {
  double open = domain.target.open, words = domain.target.open ? kCells : 0;
  const Column* widest = nullptr;
  for (std::size_t c = 0; c < domain.columns.size(); ++c) {
    if (!domain.columns[c].open) continue;
    const Column& column = task.rows.x.columns[c];
    const auto levels = [](const Column& of) {
      return of.type() == ColumnType::Category ? of.categories().level.size() : std::size_t{kCells};
    };
    ++open, words += static_cast<double>(levels(column));
    if (widest == nullptr || levels(column) > levels(*widest)) widest = &column;
  }
  if (open == 0) return Done{};
  const double each = kLengthRoundedUp * budget.discrete_share(1, reach_of(open, how), share, share);
  const double most = std::min(kPurchase / each, kMostWords);
  if (words <= most) return Done{};
  return usage(fmt::format("--buy: {} different words and powers of two are more than the {} that epsilon {} and delta "
                           "{} pay for; column '{}' has the most",
                           words, std::floor(most), how.epsilon, how.delta,
                           printable(widest == nullptr ? domain.target.name : widest->name)),
               "declare its levels, or \"ignore\": true in the schema");
}

Bought buy(const PrivateTask& given, const Domain& domain, const PrivateBoost& how, double share,
           GaussianBudget& budget, Entropy& entropy) {
  Bought out{given, domain};
  const Column target{domain.target.name, Numbers(domain.target.open ? given.rows.numbers() : std::vector<double>{})};
  std::vector<Open> open = open_columns(out.task, out.domain, target);
  if (open.empty()) return out;
  const double length = std::sqrt(static_cast<double>(open.size())) * how.max_rows;
  const int bits = budget.unit_bits(share, reach_of(static_cast<double>(open.size()), how));
  const std::vector<Row> rows = bounded_rows(given, static_cast<std::uint64_t>(how.max_rows));
  std::vector<std::int64_t> exact;
  for (Open& one : open) {
    count(one, rows);
    for (const std::int64_t n : one.counts) exact.push_back(n << bits);
  }
  const Noisy noisy =
      budget.release(entropy, std::move(exact), static_cast<std::uint64_t>(std::ceil(std::ldexp(length, bits))), share);
  const double deviation = std::ldexp(noisy.deviation, -bits);
  const double each = kListShare * how.delta / (how.max_rows * static_cast<double>(open.size()));
  const double threshold = how.max_rows - deviation * normal_quantile(each);
  std::vector<double> value;
  for (const std::int64_t v : noisy.value) value.push_back(std::ldexp(static_cast<double>(v), -bits));
  std::size_t at = 0;
  for (Open& one : open) {
    close(one, std::span(value).subspan(at, one.counts.size()), deviation, threshold);
    at += one.counts.size();
  }
  if (domain.target.open) out.task.rows.y = in_domain(target, out.domain.target).numbers().to_doubles();
  for (std::size_t c = 0; c < out.domain.columns.size(); ++c)
    if (domain.columns[c].open) out.task.rows.x.columns[c] = in_domain(given.rows.x.columns[c], out.domain.columns[c]);
  return out;
}

}  // namespace wald
