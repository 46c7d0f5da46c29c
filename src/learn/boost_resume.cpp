#include "learn/boost_resume.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "core/text.h"
#include "learn/assemble.h"
#include "tree/assembler.h"
#include "tree/figures.h"
#include "wald/predict.h"

namespace wald {
namespace {

constexpr const char *kStage = "checkpoint", *kSearching = "searching", *kFitting = "fitting";
constexpr const char *kKept = "kept", *kBest = "best";  // how many of the trees, the last ones; the measure
constexpr const char *kFrom = "continue", *kStopBy = "stop-on";

std::uint32_t copy_set(const Forest& forest, const Field& column, std::uint32_t ref, Tree& into) {
  const auto at = static_cast<std::uint32_t>(into.sets.size());
  for (std::size_t w = 0; w < (column.level.size() + 63) / 64; ++w) into.sets.push_back(forest.sets[ref + w]);
  return at;
}

// The last bin that goes to child 0.
std::uint32_t bin_of(double threshold, const BinnedColumn& column) {
  return static_cast<std::uint32_t>(std::ranges::upper_bound(column.highest, threshold) - column.highest.begin());
}

// inner: nodes of the trees before it that are no leaves.
Tree tree_of(const Model& model, std::size_t t, std::size_t inner, const Binned* x) {
  const Forest& forest = model.forest();
  const TreeView view = forest.tree(t);
  Figures known = figures(forest, t, inner);
  Tree out{.outputs = static_cast<int>(forest.width()),
           .output = view.output,
           .threshold = std::vector<double>(view.nodes.size()),
           .values = std::move(known.value),
           .cover = std::move(known.cover),
           .gain = std::move(known.gain)};
  for (std::size_t n = 0; n < view.nodes.size(); ++n) {
    const Node& node = view.nodes[n];
    TreeNode& grown = out.nodes.emplace_back();
    if (node.is_leaf()) {
      for (const Term& term : forest.terms_of(node)) out.terms.push_back({static_cast<std::uint32_t>(n), term});
      continue;
    }
    grown = {node.column(), node.child, node.ref, static_cast<std::uint16_t>(node.missing()), node.test()};
    if (node.test() == Test::Set) grown.ref = copy_set(forest, model.schema.columns[node.column()], node.ref, out);
    if (node.test() != Test::Threshold) continue;
    out.threshold[n] = forest.cuts[node.column()][node.ref];
    if (x != nullptr) grown.ref = bin_of(out.threshold[n], x->columns[node.column()]);
  }
  return out;
}

}  // namespace

std::vector<Tree> trees_of(const Model& model, const Binned* x) {
  std::vector<Tree> out;
  std::size_t inner = 0;
  for (std::size_t t = 0; t < model.forest().trees(); ++t) {
    const TreeView tree = model.forest().tree(t);
    out.push_back(tree_of(model, t, inner, x));
    inner += tree.nodes.size() - leaves_of(tree);
  }
  return out;
}

Model checkpoint_of(const Halfway& halfway, const std::vector<double>& base, const Model& like) {
  Model out = like;
  Assembler assembler(base, like.schema.columns.size());
  for (const std::vector<Tree>* trees : {&halfway.trees, &halfway.kept})
    for (const Tree& tree : *trees) assembler.add(tree);
  out.body = std::move(assembler).finish();
  out.curve = halfway.curve;
  out.made.options[kStage] = halfway.searching ? kSearching : kFitting;
  out.made.options[kKept] = fmt::format("{}", halfway.kept.size());
  out.made.options[kBest] = exact_text(halfway.best);
  return out;
}

void mark(Model& like, const Task& task, const Rounds& rounds) {
  like.made.fingerprint = fingerprint(task);
  if (rounds.from != nullptr) like.made.options[kFrom] = fingerprint(*rounds.from);
  if (rounds.stop_by != nullptr) like.made.options[kStopBy] = fingerprint(*rounds.stop_by);
}

namespace {

std::string option_of(const Model& model, const char* option) {
  const auto found = model.made.options.find(option);
  return found == model.made.options.end() ? "" : found->second;
}

bool read_whole(const std::string& text, auto& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

// Scores of the first round are those of the model before: with another one, trees would correct what it never said.
Status check_from(const std::string& of_checkpoint, const std::string& now) {
  if (of_checkpoint == now) return Done{};
  if (of_checkpoint.empty())
    return usage("the checkpoint is of a run that goes on from no model", "resume without --continue");
  if (now.empty())
    return usage("the checkpoint is of a run that adds rounds to a model", "name that model: --continue MODEL");
  return usage("the checkpoint is of a run that goes on from another model", "give that model to --continue");
}

}  // namespace

Result<Halfway> halfway_of(const Model& checkpoint, const Model& like, const Binned& x) {
  const auto stage = checkpoint.made.options.find(kStage);
  if (stage == checkpoint.made.options.end())
    return usage("the file to resume from is a finished model, not a checkpoint", "go on from it with --continue");
  Provenance made = checkpoint.made;
  for (const char* own : {kStage, kKept, kBest}) made.options.erase(own);
  if (made.fingerprint != like.made.fingerprint || checkpoint.schema != like.schema)
    return usage("the checkpoint was made from another table", "resume with the table it was made from");
  if (Status same = check_from(option_of(checkpoint, kFrom), option_of(like, kFrom)); !same) return same.error();
  if (option_of(checkpoint, kStopBy) != option_of(like, kStopBy))
    return usage("the checkpoint is of a run that stops by other rows", "give the same --stop-on");
  if (made.seed != like.made.seed || made.options != like.made.options || made.version != like.made.version)
    return usage("the checkpoint was made with other options, another seed or another version of Wald",
                 "resume with the same, or start anew without --resume");
  Halfway out{stage->second == kSearching, checkpoint.curve, trees_of(checkpoint, &x)};
  std::size_t kept = 0;
  if (!read_whole(option_of(checkpoint, kKept), kept) || !read_whole(option_of(checkpoint, kBest), out.best) ||
      kept > out.trees.size())
    return bad_data("the checkpoint does not say what it kept", "start anew without --resume");
  const auto first_kept = out.trees.end() - static_cast<std::ptrdiff_t>(kept);
  out.kept.assign(std::move_iterator(first_kept), std::move_iterator(out.trees.end()));
  out.trees.erase(first_kept, out.trees.end());
  return out;
}

namespace {

// The first thing in which they differ.
Status check_alike(const Schema& from, const Schema& like) {
  constexpr auto kAgain = "give a table like the one it was made from";
  if (from.target.name != like.target.name)
    return usage(fmt::format("the model to go on from predicts '{}', but the target here is '{}'",
                             printable(from.target.name), printable(like.target.name)),
                 "give the same --target, or train anew without --continue");
  if (from.columns.size() != like.columns.size())
    return bad_data(fmt::format("the model to go on from has {}, the table {}", plural(from.columns.size(), "column"),
                                with_commas(like.columns.size())),
                    kAgain);
  const auto check = [&](const Field& a, const Field& b) -> Status {
    if (a == b) return Done{};
    if (a.name != b.name || a.type != b.type)
      return bad_data(fmt::format("the model to go on from has a column '{}' of {}, the table '{}' of {}",
                                  printable(a.name), a.type == ColumnType::Number ? "numbers" : "categories",
                                  printable(b.name), b.type == ColumnType::Number ? "numbers" : "categories"),
                      kAgain);
    return bad_data(fmt::format("column '{}' has other levels than in the model to go on from", printable(a.name)),
                    "make the task by make_task_going_on, which gives it the model's");
  };
  for (std::size_t c = 0; c < from.columns.size(); ++c)
    if (Status same = check(from.columns[c], like.columns[c]); !same) return same;
  return check(from.target, like.target);
}

// What auto stood for.
std::string loss_of(const Model& model, bool ranks) {
  const std::string loss = option_of(model, "loss");
  if (!loss.empty() && loss != "auto") return loss;
  if (model.schema.classifies()) return model.schema.target.level.size() == 2 ? "logistic" : "softmax";
  return ranks ? "ndcg" : "squared";
}

// Scores that were made to lower one loss are not where another would go on.
Status check_loss_alike(const Model& from, const Model& like, bool ranks) {
  const std::string was = loss_of(from, from.curve.measure == "ndcg"), now = loss_of(like, ranks);
  if (from.link != like.link || was != now)
    return usage(fmt::format("the model to go on from was made with --loss {}, not {}", printable(was), now),
                 "give the same --loss");
  for (const char* option : {"quantile", "tweedie-power", "huber-width", "rank-at"})
    if (option_of(from, option) != option_of(like, option))
      return usage(fmt::format("the model to go on from was made with --{} {}, not {}", option,
                               printable(option_of(from, option)), printable(option_of(like, option))),
                   fmt::format("give the same --{}", option));
  return Done{};
}

// What the options promise of the whole model must hold of the rounds before too.
Status check_promises(const Model& from, const Model& like) {
  for (const char* option : {"monotone", "interactions"})
    if (const std::string now = option_of(like, option);
        now != "none" && !now.empty() && now != option_of(from, option))
      return usage(fmt::format("the model to go on from was made without --{} {}, and its trees need not keep to it",
                               option, printable(now)),
                   "train all rounds anew, or leave the option away");
  if (option_of(like, "start") != "auto" && option_of(like, "start") != option_of(from, "start"))
    return usage(fmt::format("--start {}: the model to go on from has its own start", option_of(like, "start")),
                 "leave it away, or train all rounds anew");
  return Done{};
}

}  // namespace

Result<Before> before_of(const Model& from, const Model& like, const Task& task, int trees_a_round, const Run& run) {
  if (from.made.learner != like.made.learner)
    return usage(fmt::format("the model to go on from was made by {}", printable(from.made.learner)),
                 "go on from a model of boost");
  if (Status alike = check_alike(from.schema, like.schema); !alike) return alike.error();
  if (from.schema.quantiles != like.schema.quantiles)
    return usage("the model to go on from has other quantiles", "give the same --quantile");
  if (Status same = check_loss_alike(from, like, !task.query.empty()); !same) return same.error();
  if (Status holds = check_promises(from, like); !holds) return holds.error();
  if (from.forest().trees() > 0 && (from.forest().width() > 1) != (trees_a_round < from.forest().outputs))
    return usage("the model to go on from has other leaves: one tree a round, or one for each class or target",
                 "give the same --vector-leaves");
  auto predictions = predict(from, task.x, run);
  if (!predictions) return predictions.error();
  return Before{from.forest().base, std::move(predictions->score),
                static_cast<int>(from.forest().trees()) / trees_a_round};
}

}  // namespace wald
