#include "learn/boost_loss.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include "learn/boost_quantiles.h"
#include "learn/boost_weights.h"
#include "loss/absolute.h"
#include "loss/cox.h"
#include "loss/exponential.h"
#include "loss/gamma.h"
#include "loss/huber.h"
#include "loss/logistic.h"
#include "loss/poisson.h"
#include "loss/rank.h"
#include "loss/softmax.h"
#include "loss/squared.h"
#include "loss/tweedie.h"

namespace wald {

const std::string& word_of(LossName loss) {
  static const std::vector<std::string> words = loss_words();
  return words[static_cast<std::size_t>(loss)];
}

namespace {

// Their squares, sums and differences must be numbers.
constexpr double kMostNumber = 1e150;

bool for_classes(LossName loss) {
  return loss == LossName::Logistic || loss == LossName::Softmax || loss == LossName::Exponential;
}

bool ranks(LossName loss) { return loss == LossName::Ndcg || loss == LossName::Map; }

int classes_of(const Task& task) { return static_cast<int>(task.classes().name.size()); }

bool is_number(const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size();
}

Status check_classes(const Task& task, LossName loss) {
  const bool numbers = std::ranges::all_of(task.classes().name, is_number);
  if (!for_classes(loss))
    return usage(
        fmt::format("--loss {} is for numbers, but the target '{}' has classes", word_of(loss), printable(task.target)),
        numbers ? "choose logistic or softmax, or give --task numbers"
                : "choose logistic or softmax; its values are words");
  if (loss != LossName::Softmax && classes_of(task) > 2)
    return usage(fmt::format("--loss {} is for two classes, but the target '{}' has {}", word_of(loss),
                             printable(task.target), classes_of(task)),
                 "choose softmax");
  return Done{};
}

const std::vector<double>& values_of(const Task& task, std::size_t t) {
  return t == 0 ? task.numbers() : task.more_y[t - 1];
}
std::string name_of(const Task& task, std::size_t t) {
  return printable(t == 0 ? task.target : task.more_targets[t - 1]);
}

Status check_size(const Task& task) {
  const auto too_large = [](double v) { return std::fabs(v) > kMostNumber; };
  for (std::size_t t = 0; t <= task.more_y.size(); ++t) {
    const std::vector<double>& y = values_of(task, t);
    if (const auto bad = std::ranges::find_if(y, too_large); bad != y.end())
      return bad_data(fmt::format("boosting squares its targets, and row {} of {} has '{}' = {}", bad - y.begin() + 1,
                                  printable(task.x.source, 300), name_of(task, t), *bad),
                      "divide the column by a power of ten, or choose --learner cart");
  }
  return Done{};
}

Status check_relevance(const Task& task) {
  const auto& y = task.numbers();
  const auto bad = std::ranges::find_if(y, [](double v) { return v > kMostRelevance; });
  if (bad == y.end()) return Done{};
  return bad_data(fmt::format("--loss ndcg takes 2 to the power of the relevance, and row {} of {} has '{}' = {}",
                              bad - y.begin() + 1, printable(task.x.source, 300), printable(task.target), *bad),
                  fmt::format("give relevance of {} at most (0 to 4 is usual), or choose --loss map", kMostRelevance));
}

// The least target that the loss is defined for, itself excluded or not.
Status check_numbers(const Task& task, LossName loss) {
  if (for_classes(loss))
    return usage(
        fmt::format("--loss {} is for classes, but the target '{}' has numbers", word_of(loss), printable(task.target)),
        "choose squared, or give --task classes");
  if (!task.more_targets.empty() && (link_of(loss) != Link::Identity || ranks(loss)))
    return usage(
        fmt::format("--loss {} is for one target, but there are {}", word_of(loss), 1 + task.more_targets.size()),
        "choose squared, absolute, huber or quantile, or train one model a target");
  if (ranks(loss) && task.query.empty())
    return usage(fmt::format("--loss {} ranks rows within queries, but none are named", word_of(loss)),
                 "name the column that tells the queries: --query COLUMN");
  if (Status fits = check_size(task); !fits) return fits;
  if (loss == LossName::Ndcg)
    if (Status fits = check_relevance(task); !fits) return fits;
  const bool positive = loss == LossName::Gamma;
  if (!positive && !ranks(loss) && loss != LossName::Poisson && loss != LossName::Tweedie) return Done{};
  const auto& y = task.numbers();
  const auto bad = std::ranges::find_if(y, [&](double v) { return positive ? !(v > 0) : v < 0; });
  if (bad == y.end()) return Done{};
  return bad_data(fmt::format("--loss {} needs targets {}, but row {} of {} has '{}' = {}", word_of(loss),
                              positive ? "above 0" : "of 0 or more", bad - y.begin() + 1, printable(task.x.source, 300),
                              printable(task.target), *bad),
                  ranks(loss) ? "add a constant, so that the least relevance is 0, or leave such rows out"
                              : "choose squared, absolute or huber, or leave such rows out");
}

bool several_quantiles(const Boost& how) { return how.quantile.find(',') != std::string::npos; }

// What is said of one loss while another is minimised would be ignored.
Status check_belonging(std::string_view in_force, const Boost& how) {
  const Result<std::vector<double>> quantiles = read_quantiles(how.quantile);
  if (!quantiles) return quantiles.error();
  const Boost usual;
  struct Shape {
    std::string_view option;
    LossName of;
    bool given;
  };
  for (const auto& [option, of, given] :
       {Shape{"quantile", LossName::Quantile, *quantiles != *read_quantiles(usual.quantile)},
        Shape{"huber-width", LossName::Huber, how.huber_width != usual.huber_width},
        Shape{"tweedie-power", LossName::Tweedie, how.tweedie_power != usual.tweedie_power},
        Shape{"rank-at", LossName::Ndcg, how.rank_at != usual.rank_at}})
    if (given && in_force != word_of(of))
      return usage(fmt::format("--{} belongs to --loss {}, but the loss is {}", option, word_of(of), in_force),
                   fmt::format("give --loss {}, or leave --{} away", word_of(of), option));
  return Done{};
}

Status check_quantiles(const Task& task) {
  if (!task.more_targets.empty())
    return usage(fmt::format("several quantiles are for one target, but there are {}", 1 + task.more_targets.size()),
                 "train one model a target, or name one quantile");
  return Done{};
}

Status check_start(const Task& task, LossName loss, const Boost& how) {
  const double start = how.start;
  if (several_quantiles(how)) return usage("--start says nothing to several quantiles", "leave it away");
  if (!task.more_targets.empty() || loss == LossName::Softmax || loss == LossName::Cox || ranks(loss))
    return usage(fmt::format("--start says nothing to {}",
                             task.more_targets.empty() ? "--loss " + word_of(loss) : "several targets"),
                 "leave it away");
  if (task.classifies() && !(start > 0 && start < 1))
    return usage(fmt::format("--start {} is not a probability", start), "give a number between 0 and 1");
  const bool positive = link_of(loss) == Link::Exponential;
  if (positive && !(start > 0))
    return usage(fmt::format("--start {}: --loss {} predicts numbers above 0", start, word_of(loss)),
                 "give a number above 0");
  if (std::fabs(start) > kMostNumber || (positive && start < 1 / kMostNumber))
    return usage(fmt::format("--start {} lies so far out that --loss {} has no number there", start, word_of(loss)),
                 "give the size of a number that the target may have, or leave it away");
  return Done{};
}

double score_of(double prediction, ScoreIs score) {
  switch (score) {
    case ScoreIs::LogOdds:
      return Logistic::start(prediction);
    case ScoreIs::Log:
      return log_exact(prediction);
    default:
      return prediction;
  }
}

double huber_width(const Boost& how, const Targets& learned, std::size_t output) {
  if (how.huber_width > 0) return how.huber_width;
  std::vector<Weighted> distance;
  for (Row r = 0; r < learned.y.size(); ++r) distance.push_back({learned.at(r, output), learned.of(r)});
  const double median = quantile(distance, 0.5);
  for (Weighted& d : distance) d.value = std::fabs(d.value - median);
  const double width = quantile(distance, 0.9);
  return width > 0 ? width : 1;
}

}  // namespace

TaskKind kind_said_by(std::string_view loss, const Column* target) {
  const std::vector<std::string> words = loss_words();
  const auto found = std::ranges::find(words, loss);
  if (target == nullptr || target->type() != ColumnType::Number || found == words.end()) return TaskKind::Infer;
  const auto name = static_cast<LossName>(found - words.begin());
  return name == LossName::Auto || for_classes(name) ? TaskKind::Infer : TaskKind::Numbers;
}

LossName loss_for(const Task& task, const Boost& how) {
  if (how.loss != LossName::Auto) return how.loss;
  if (!task.classifies()) return task.query.empty() ? LossName::Squared : LossName::Ndcg;
  return classes_of(task) == 2 ? LossName::Logistic : LossName::Softmax;
}

std::string size_words(const Task& task) {
  if (task.classifies()) return "";
  for (std::size_t t = 0; t <= task.more_y.size(); ++t) {
    double most = 0;
    for (const double v : values_of(task, t)) most = std::max(most, std::fabs(v));
    if (most > 0 && most < 1 / kMostNumber)
      return fmt::format(
          "'{}' is at most {}, so small that its square is nothing: multiply the column by a power of ten",
          name_of(task, t), most);
  }
  return "";
}

Status check_loss(const Task& task, const Boost& how) {
  const LossName loss = loss_for(task, how);
  if (Status fits = task.classifies() ? check_classes(task, loss) : check_numbers(task, loss); !fits) return fits;
  if (Status fits = check_belonging(word_of(loss), how); !fits) return fits;
  if (several_quantiles(how))
    if (Status fits = check_quantiles(task); !fits) return fits;
  return how.start == kUnlimited ? Status(Done{}) : check_start(task, loss, how);
}

Status check_judge(const Task& other, LossName loss) {
  if (!ranks(loss) && loss != LossName::Cox) return Done{};
  for (Row r = 0; r < other.x.rows; ++r)
    if ((other.weight.empty() || other.weight[r] > 0) &&
        (ranks(loss) ? other.numbers()[r] > 0 : other.numbers()[r] >= 0))
      return Done{};
  return bad_data(
      fmt::format("{} has no {}, so that no round is better than another there", printable(other.x.source, 300),
                  ranks(loss) ? "row of a relevance above 0" : "event, all its times are below 0"),
      "stop on rows that have some, or leave it away: part of DATA is then held out by itself");
}

Status check_own_loss(const Boost& how) {
  if (how.loss != LossName::Auto || how.start != kUnlimited)
    return usage(fmt::format("--{} says nothing to a loss of one's own", how.start != kUnlimited ? "start" : "loss"),
                 "leave it away");
  return check_belonging("one of one's own", how);
}

Result<Targets> targets_of(const Task& task, const Boost& how) {
  Targets out;
  if (task.classifies()) {
    out.label.assign(task.classes().code.begin(), task.classes().code.end());
    out.y.assign(out.label.begin(), out.label.end());
  } else {
    out.y = task.numbers();
  }
  out.more_y = task.more_y;
  out.query = task.query;
  out.row_weight = task.weight;
  Result<std::vector<double>> weight = class_weighted(task, how.class_weights);
  if (!weight) return weight.error();
  out.weight = std::move(*weight);
  return out;
}

Link link_of(LossName loss) {
  switch (loss) {
    case LossName::Logistic:
    case LossName::Exponential:
      return Link::Logistic;
    case LossName::Softmax:
      return Link::Softmax;
    case LossName::Poisson:
    case LossName::Gamma:
    case LossName::Tweedie:
    case LossName::Cox:
      return Link::Exponential;
    default:
      return Link::Identity;
  }
}

namespace {

Objective from_data(LossName loss, const Task& task, const Boost& how, const Targets& targets, double width) {
  switch (loss) {
    case LossName::Absolute:
      return objective_of(Absolute{}, targets);
    case LossName::Huber:
      return objective_of(Huber{width}, targets);
    case LossName::Quantile:
      return objective_of_quantiles(*read_quantiles(how.quantile), targets);
    case LossName::Logistic:
      return objective_of(Logistic{}, targets);
    case LossName::Softmax:
      return objective_of(Softmax{}, targets, classes_of(task));
    case LossName::Exponential:
      return objective_of(Exponential{}, targets);
    case LossName::Poisson:
      return objective_of(Poisson{}, targets);
    case LossName::Gamma:
      return objective_of(Gamma{}, targets);
    case LossName::Tweedie:
      return objective_of(Tweedie{how.tweedie_power}, targets);
    case LossName::Ndcg:
      return objective_of(Rank{RankMeasure::Ndcg, static_cast<std::size_t>(how.rank_at)}, targets);
    case LossName::Map:
      return objective_of(Rank{RankMeasure::Map}, targets);
    case LossName::Cox:
      return objective_of(Cox{}, targets);
    default:
      return objective_of(Squared{}, targets);
  }
}

}  // namespace

// The targets of one of several, kept alive by the objective.
Objective of_one(LossName loss, const Task& task, const Boost& how, const Targets& all, std::size_t output,
                 double width) {
  const auto own = std::make_shared<Targets>(all);
  own->y.swap(own->more_y[output - 1]);
  own->more_y.clear();
  Objective out = from_data(loss, task, how, *own, width);
  out.start = [own, start = out.start](Objective::Rows rows) { return start(rows); };
  return out;
}

Objective objective_for(LossName loss, const Task& task, const Boost& how, const Targets& targets,
                        const Targets& learned) {
  const auto width = [&](std::size_t output) {
    return loss == LossName::Huber ? huber_width(how, learned, output) : 0;
  };
  Objective out = from_data(loss, task, how, targets, width(0));
  if (!targets.more_y.empty()) {
    std::vector<Objective> each{out};
    for (std::size_t k = 1; k <= targets.more_y.size(); ++k)
      each.push_back(of_one(loss, task, how, targets, k, width(k)));
    return objective_of_each(std::move(each), targets, true);
  }
  if (how.start != kUnlimited)
    out.start = [from = out.start, start = score_of(how.start, out.score)](Objective::Rows rows) {
      return Start{{start}, from(rows).spread};
    };
  return out;
}

}  // namespace wald
