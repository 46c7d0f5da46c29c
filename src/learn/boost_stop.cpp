#include "learn/boost_stop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <numeric>

#include "core/parallel.h"
#include "core/random.h"
#include "learn/boost_rounds.h"
#include "prepare/steps.h"

namespace wald {
namespace {

// Enough of them for a curve that is looked at.
std::vector<Row> thinned(std::span<const Row> rows) {
  constexpr std::size_t kMost = 1u << 14;
  const std::size_t step = (rows.size() + kMost - 1) / kMost;
  std::vector<Row> out;
  for (std::size_t i = 0; i < rows.size(); i += std::max<std::size_t>(step, 1)) out.push_back(rows[i]);
  return out;
}

int trials_wanted(const Boost& how, std::size_t rows) {
  if (how.stop_trials > 0) return how.stop_trials;
  return rows < 5000 ? how.stop_parts : 1;
}

class Search {
 public:
  Search(const Binned& x, const Objective& objective, const Boost& how, const std::vector<Row>& rows,
         const Surroundings& around)
      : x_(x), objective_(objective), how_(how), rows_(rows), some_(thinned(rows)), around_(around) {
    curve_.measure = objective.measure;
  }

  static constexpr const char* kTooKind =
      "--regions grew its tree on the targets of all rows, also of those that early stopping judges by: it may stop "
      "too late; --stop-on FILE gives it other rows, and with --early-stop none wald cv finds how many --trees";

  Boosted boosted() {
    if (around_.watch != nullptr) return judged_by(*around_.watch);
    const Halfway* halfway = around_.halfway;
    if (how_.early_stop > 0) {
      make_trials();
      if (!trials_.empty() && around_.rounds.noted && knows_targets(around_.rounds.prepared))
        around_.rounds.noted(kTooKind);
      if (halfway != nullptr && !trials_.empty()) take_up(*halfway);
      if ((halfway == nullptr || halfway->searching) && !trials_.empty()) search();
    }
    // Too few rows to hold any out: rounds go on while they bring something on the training rows.
    const bool blind = how_.early_stop > 0 && trials_.empty();
    const int wanted = how_.early_stop > 0 && !trials_.empty() ? static_cast<int>(curve_.best) : how_.trees;
    if (around_.run.stopped() && !trials_.empty()) return of_first_trial();
    Booster booster(x_, objective_, how_, rows_, {}, around_.run, around_.before, around_.linear);
    if (blind) best_ = signed_measure(booster, rows_);
    if (halfway != nullptr && !halfway->searching) take_up_fitting(*halfway, booster);
    while (booster.grown() < wanted && !around_.run.stopped()) {
      if (blind && booster.grown() - static_cast<int>(curve_.best) >= how_.early_stop) break;
      if (!booster.round()) break;
      if (trials_.empty()) curve_.train.push_back(booster.measured(some_));
      if (const double now = blind ? signed_measure(booster, rows_) : 0; blind && now < best_) {
        best_ = now, curve_.best = static_cast<std::uint32_t>(booster.grown());
        booster.keep();
      }
      tell(booster.grown(), wanted, "fitting");
      if (due()) leave_fitting(booster);
    }
    if (around_.checkpoint && around_.run.stopped() && booster.grown() > 0) leave_fitting(booster);
    if (booster.grown() < wanted && !trials_.empty()) return of_first_trial();
    if (!blind) booster.keep();
    if (blind && curve_.best > 0 && around_.rounds.ended) around_.rounds.ended(blind_words());
    if (trials_.empty() && !blind) curve_.best = static_cast<std::uint32_t>(booster.grown());
    return {booster.base(), booster.take_kept(), curve_};
  }

 private:
  // All rows learn; how many rounds are kept is up to rows of another table.
  Boosted judged_by(Watch& watch) {
    const double sign = objective_.more_is_better ? -1 : 1;
    const auto patient = [&] {
      return how_.early_stop == 0 || static_cast<int>(curve_.held.size() - curve_.best) < how_.early_stop;
    };
    Booster booster(x_, objective_, how_, rows_, {}, around_.run, around_.before, around_.linear, &watch);
    best_ = sign * watch.measured();
    if (around_.halfway != nullptr) take_up_one(*around_.halfway, booster);
    while (booster.grown() < how_.trees && patient()) {
      if (!booster.round()) break;
      curve_.train.push_back(booster.measured(some_));
      curve_.held.push_back(watch.measured());
      if (const double now = sign * curve_.held.back(); how_.early_stop > 0 && now < best_) {
        best_ = now, curve_.best = static_cast<std::uint32_t>(curve_.held.size());
        booster.keep();
      }
      tell(booster.grown(), how_.trees, "boosting");
      if (due()) leave_judged(booster);
    }
    if (around_.checkpoint && around_.run.stopped() && booster.grown() > 0) leave_judged(booster);
    if (how_.early_stop == 0) booster.keep(), curve_.best = static_cast<std::uint32_t>(booster.grown());
    return {booster.base(), booster.take_kept(), curve_};
  }

  void leave_judged(const Booster& booster) const {
    around_.checkpoint({true, curve_, booster.trees(), changed(booster), best_});
  }
  void leave_fitting(const Booster& booster) const {
    around_.checkpoint(
        {false, curve_, booster.trees(), trials_.empty() ? changed(booster) : trials_.front().kept(), best_});
  }
  // Its trees of the best round, where later rounds have changed them.
  std::vector<Tree> changed(const Booster& booster) const {
    return how_.drop > 0 ? booster.kept() : std::vector<Tree>{};
  }

  void take_up_one(const Halfway& halfway, Booster& booster) {
    curve_ = halfway.curve, best_ = halfway.best;
    booster.take_up(halfway.trees);
    booster.keep_as(static_cast<int>(curve_.best), halfway.kept);
  }
  void take_up_fitting(const Halfway& halfway, Booster& booster) {
    if (trials_.empty()) take_up_one(halfway, booster);
    else booster.take_up(halfway.trees);
  }

  std::string blind_words() const {
    const std::vector<std::uint32_t>& query = objective_.targets->query;
    const bool one = std::ranges::all_of(rows_, [&](Row r) { return query.empty() || query[r] == query[rows_[0]]; });
    return fmt::format(
        "no rows could be held out to choose the rounds on, because {}: the {} kept are the best for the rows that "
        "were learned from, which says nothing of others; --stop-on FILE gives rows to choose them on, --early-stop "
        "none --trees N a number of your own",
        query.empty() ? "there is only one"
        : one         ? "all are of one query"
                      : "all queries fell into the same of the --stop-parts",
        curve_.best == 1 ? "round" : fmt::format("{} rounds", curve_.best));
  }

  void make_trials() {
    const std::vector<int> part = divide_rows(rows_, *objective_.targets, how_.stop_parts, around_.run.seed);
    // Whole queries may leave a part without rows: another one is held out then.
    const auto wanted = static_cast<std::size_t>(trials_wanted(how_, rows_.size()));
    for (int p = 0; p < how_.stop_parts && trials_.size() < wanted; ++p) {
      std::vector<Row> train, held;
      for (std::size_t i = 0; i < rows_.size(); ++i) (part[i] == p ? held : train).push_back(rows_[i]);
      if (held.empty() || train.empty()) continue;
      some_of_trial_.push_back(thinned(train));
      trials_.emplace_back(x_, objective_, how_, std::move(train), std::move(held), around_.run, around_.before,
                           around_.linear);
    }
    for (const Booster& t : trials_) best_ += signed_measure(t, t.watched()) / static_cast<double>(trials_.size());
  }
  double signed_measure(const Booster& t, std::span<const Row> on) const {
    return (objective_.more_is_better ? -1 : 1) * t.measured(on);
  }

  void take_up(const Halfway& halfway) {
    curve_ = halfway.curve, best_ = halfway.best;
    if (!halfway.searching) return trials_.front().take_up(halfway.kept), trials_.front().keep();
    std::vector<std::vector<Tree>> of = dealt(halfway.trees), kept = dealt(halfway.kept);
    for (std::size_t t = 0; t < trials_.size(); ++t) {
      trials_[t].take_up(of[t]);
      trials_[t].keep_as(static_cast<int>(curve_.best), std::move(kept[t]));
    }
  }

  void search() {
    while (static_cast<int>(curve_.held.size()) < how_.trees &&
           static_cast<int>(curve_.held.size() - curve_.best) < how_.early_stop) {
      parallel_for(trials_.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) trials_[t].round();
      });
      if (around_.run.stopped()) return leave_search();
      note_round();
      tell(static_cast<int>(curve_.held.size()), how_.trees, "boosting");
      if (due()) around_.checkpoint(searching());
    }
  }
  // Some trials may have done a round more than others, which is not told.
  void leave_search() const {
    if (around_.checkpoint && !curve_.held.empty()) around_.checkpoint(searching());
  }
  void note_round() {
    const auto n = static_cast<double>(trials_.size());
    double train = 0, held = 0;
    for (std::size_t t = 0; t < trials_.size(); ++t)
      train += trials_[t].measured(some_of_trial_[t]), held += signed_measure(trials_[t], trials_[t].watched());
    curve_.train.push_back(train / n);
    curve_.held.push_back((objective_.more_is_better ? -1 : 1) * held / n);
    if (!(held / n < best_)) return;
    best_ = held / n;
    curve_.best = static_cast<std::uint32_t>(curve_.held.size());
    for (Booster& t : trials_) t.keep();
  }
  Halfway searching() const {
    std::vector<std::vector<Tree>> of, kept;
    for (const Booster& t : trials_)
      of.push_back(t.trees_after(static_cast<int>(curve_.held.size()))), kept.push_back(changed(t));
    return {true, curve_, round_by_round(std::move(of)), round_by_round(std::move(kept)), best_};
  }
  std::vector<Tree> round_by_round(std::vector<std::vector<Tree>> of) const {
    std::vector<Tree> out;
    const auto a_round = static_cast<std::size_t>(trees_a_round(objective_, how_));
    for (std::size_t r = 0; r < of[0].size() / a_round; ++r)
      for (std::vector<Tree>& trees : of)
        for (std::size_t k = 0; k < a_round; ++k) out.push_back(std::move(trees[r * a_round + k]));
    return out;
  }
  std::vector<std::vector<Tree>> dealt(const std::vector<Tree>& trees) const {  // to the trials
    const auto a_round = static_cast<std::size_t>(trees_a_round(objective_, how_));
    std::vector<std::vector<Tree>> of(trials_.size());
    for (std::size_t t = 0; t < trees.size(); ++t) of[t / a_round % trials_.size()].push_back(trees[t]);
    return of;
  }
  Boosted of_first_trial() {
    Booster& booster = trials_.front();
    return {booster.base(), booster.take_kept(), curve_};
  }

  void tell(int done, int total, std::string_view stage) const {
    if (around_.rounds.told) around_.rounds.told(curve_);
    if (around_.run.progress)
      around_.run.progress({stage, static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total)});
  }
  // Whether a checkpoint is to be written. Time decides when, and nothing of it comes into a model.
  bool due() {
    using Clock = std::chrono::steady_clock;
    if (!around_.checkpoint) return false;
    const auto now = Clock::now();
    if (std::chrono::duration<double>(now - told_).count() < around_.rounds.checkpoint_seconds) return false;
    told_ = now;
    return true;
  }

  const Binned& x_;
  const Objective& objective_;
  const Boost& how_;
  const std::vector<Row>& rows_;
  const std::vector<Row> some_;  // of them, for the curve
  const Surroundings& around_;
  std::deque<Booster> trials_;
  std::vector<std::vector<Row>> some_of_trial_;
  LearningCurve curve_;
  double best_ = 0;  // of the mean measure on rows held out, less is better
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

}  // namespace

std::vector<int> divide_rows(std::span<const Row> rows, const Targets& targets, int parts, std::uint64_t seed) {
  const Random random(seed, Purpose::Stopping);
  const auto count = static_cast<std::size_t>(parts);
  std::vector<int> part(rows.size()), deal(count);
  if (!targets.query.empty()) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      part[i] = static_cast<int>(random.below(count, targets.query[rows[i]]));
    return part;
  }
  struct Drawn {
    double y;
    std::uint64_t key;
    std::size_t at;
  };
  std::vector<Drawn> order(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    order[i] = {targets.label.empty() ? targets.y[rows[i]] : targets.label[rows[i]], random.bits(rows[i]), i};
  std::ranges::sort(order, [](const Drawn& a, const Drawn& b) { return std::tie(a.y, a.key) < std::tie(b.y, b.key); });
  // Neighbours in the order of the targets go to different parts.
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t at = i % count;
    if (at == 0) std::iota(deal.begin(), deal.end(), 0);
    std::swap(deal[at], deal[at + order[i].key % (count - at)]);
    part[order[i].at] = deal[at];
  }
  return part;
}

Boosted boost(const Binned& x, const Objective& objective, const Boost& how, const std::vector<Row>& rows,
              const Surroundings& around) {
  return Search(x, objective, how, rows, around).boosted();
}

}  // namespace wald
