#include "wald/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "measure/deadline.h"
#include "measure/propose.h"

namespace wald {
namespace {

constexpr std::size_t kFirst = 10;  // trials drawn at random before their results are looked at
// Trials of the first step of halving: few at first, so that a small budget too gets as far as all rows.
constexpr std::size_t kFewest = 3, kMost = 27;
constexpr double kShares[] = {1.0 / 9, 1.0 / 3, 1};

class Search {
 public:
  Search(std::string_view learner, const Task& task, const Settings& fixed, std::span<const Fold> folds,
         const TuneOptions& how, std::vector<Trial> earlier, const Run& run,
         const std::function<void(const Tuned&)>& told)
      : learner_(learner),
        task_(task),
        fixed_(fixed),
        folds_(folds),
        how_(how),
        run_(run),
        told_(told),
        earlier_(std::move(earlier)),
        deadline_(run, how.seconds) {
    for (const LearnerInfo& info : learners())
      if (info.name == learner) {
        ranges_ = info.search;
        for (const OptionInfo& option : info.options) defaults_[option.name] = option.fallback;
      }
    const bool shares = task.classifies() && (!fixed.contains("leaf") || fixed.at("leaf") != "logistic");
    const bool draws = !fixed.contains("sample") || fixed.at("sample") != "all";
    std::erase_if(ranges_, [&](const SearchRange& range) {
      return fixed.contains(range.name) || (range.name == "smoothing" && !shares) ||  // of shares of classes in leaves
             (range.name == "rows" && !draws);
    });
  }

  Result<Tuned> tuned() {
    if (ranges_.empty())
      return usage(fmt::format("learner {} has no option left to search", learner_), "fix fewer, or choose another");
    tell();
    const Result<Trial> defaults = trial({}, 1);
    if (!defaults) return defaults.error();
    if (defaults->score.empty() && !out_.first_cut_off) return failure("the defaults cannot be cross-validated");
    if (how_.method == TuneMethod::Halving) halve();
    else
      for (std::uint64_t n = 1; goes_on(); ++n) {
        const Point point = next(n);
        if (point.empty()) break;
        (void)trial(settings_at(ranges_, point), 1);
      }
    return std::move(out_);
  }

 private:
  bool goes_on() const {
    return !run_.stopped() && (!deadline_.over() || out_.trials.size() < earlier_.size()) &&
           (how_.trials <= 0 || out_.trials.size() < static_cast<std::size_t>(how_.trials));
  }

  Point next(std::uint64_t n) const {
    if (how_.method == TuneMethod::Grid) return grid_point(ranges_.size(), how_.grid, run_.seed, n - 1);
    if (how_.method == TuneMethod::Random || out_.trials.size() <= kFirst)
      return drawn_point(ranges_.size(), run_.seed, n);
    std::vector<Point> points;
    std::vector<double> loss;
    for (const Trial& t : out_.trials) {
      Settings used = t.settings;
      used.insert(defaults_.begin(), defaults_.end());
      points.push_back(point_of(ranges_, used));
      loss.push_back(loss_of(t));
    }
    return likely_point(points, loss, run_.seed, n);
  }

  void halve() {
    std::uint64_t n = 1;
    for (std::size_t width = kFewest; goes_on(); width = std::min(3 * width, kMost)) {
      std::vector<Settings> field;
      for (std::size_t i = 0; i < width; ++i)
        field.push_back(settings_at(ranges_, drawn_point(ranges_.size(), run_.seed, n++)));
      for (const double share : kShares) {
        std::vector<std::pair<double, std::size_t>> rank;
        for (std::size_t i = 0; i < field.size() && goes_on(); ++i)
          if (const Result<Trial> done = trial(field[i], share); done) rank.emplace_back(loss_of(*done), i);
        std::ranges::sort(rank);
        std::vector<Settings> kept;
        for (std::size_t i = 0; i < (field.size() + 2) / 3 && i < rank.size(); ++i)
          kept.push_back(field[rank[i].second]);
        field = std::move(kept);
      }
    }
  }

  // A mean to be made small; a combination that cannot be learned is the worst.
  double loss_of(const Trial& t) const {
    const double mean = moments_of(t.score).mean;
    return std::isnan(mean) ? std::numeric_limits<double>::infinity() : how_.more_is_better ? -mean : mean;
  }

  Result<Trial> trial(const Settings& settings, double share) {
    Trial out{.settings = settings, .share = share};
    const std::size_t at = out_.trials.size();
    if (at < earlier_.size() && earlier_[at].settings == settings && earlier_[at].share == share) {
      out = earlier_[at];
    } else {
      Settings all = fixed_;
      all.insert(settings.begin(), settings.end());
      const Result<Validation> found = cross_validate(
          learner_, task_, all, folds_of(share), deadline_.run(), [this](std::size_t) { tell(); }, how_.decide);
      if (run_.stopped()) return Error{ErrorKind::Interrupted, "interrupted", ""};
      const bool cut_off = deadline_.run().stopped() && !(found && found->predictions.size() == folds_.size());
      if (cut_off && at > 0) return Error{ErrorKind::Interrupted, "the time is over", ""};
      if (!found && !cut_off && settings.empty()) return found.error();
      if (found) out.score = found->of(how_.measure), out.seconds = found->seconds;
      else if (!cut_off && out_.refused.empty()) out_.refused = found.error().message;
      if (at == 0) out_.first_cut_off = cut_off;
    }
    out_.trials.push_back(out);
    judge();
    if (told_) told_(out_);
    tell();
    return out;
  }

  void tell() const {
    if (!run_.progress) return;
    const auto thousandths = [](double seconds) { return static_cast<std::uint64_t>(seconds * 1000); };
    if (how_.trials > 0) run_.progress({"tuning", out_.trials.size(), static_cast<std::uint64_t>(how_.trials)});
    else run_.progress({"tuning", thousandths(std::min(deadline_.spent(), how_.seconds)), thousandths(how_.seconds)});
  }

  void judge() {
    for (std::size_t i = 0; i < out_.trials.size(); ++i)
      if (out_.trials[i].share == 1 && loss_of(out_.trials[i]) < loss_of(out_.trials[out_.best])) out_.best = i;
    const Paired gain = compare_paired(out_.trials[out_.best].score, out_.trials[0].score, held_per_trained(folds_));
    out_.worthwhile = out_.best != 0 && std::fabs(gain.difference) > gain.error;
  }

  // The same folds, learned from this share of their rows.
  std::vector<Fold> folds_of(double share) const {
    std::vector<Fold> out(folds_.begin(), folds_.end());
    const Random random(run_.seed, Purpose::Tune, 1);
    if (share < 1)
      for (Fold& fold : out) {
        const Row first = fold.train[0];
        std::erase_if(fold.train, [&](Row r) { return r != first && random.unit(r) >= share; });
      }
    return out;
  }

  std::string_view learner_;
  const Task& task_;
  const Settings& fixed_;
  std::span<const Fold> folds_;
  const TuneOptions& how_;
  const Run& run_;
  const std::function<void(const Tuned&)>& told_;
  const std::vector<Trial> earlier_;
  std::vector<SearchRange> ranges_;
  Settings defaults_;
  Tuned out_;
  Deadline deadline_;
};

}  // namespace

std::size_t Tuned::compared() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      trials, [](const Trial& t) { return t.share == 1 && !t.settings.empty() && !t.score.empty(); }));
}

Result<Tuned> tune(std::string_view learner, const Task& task, const Settings& fixed, std::span<const Fold> folds,
                   const TuneOptions& how, std::vector<Trial> earlier, const Run& run,
                   const std::function<void(const Tuned&)>& told) {
  return Search(learner, task, fixed, folds, how, std::move(earlier), run, told).tuned();
}

}  // namespace wald
