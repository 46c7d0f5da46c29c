// The options that every learner has: what is done to the table before it looks. Fitted anew with every model, so that
// nothing leaks from rows held out.
#pragma once
#include <optional>
#include <tuple>

#include "learn/options.h"
#include "prepare/prepare.h"
#include "wald/model.h"
#include "wald/rounds.h"
#include "wald/run.h"
#include "wald/task.h"

namespace wald {

inline std::vector<std::string> impute_words() {
  return {"none", "mean", "median", "mode", "draw", "drop-rows", "drop-columns"};
}
inline std::vector<std::string> coding_words() { return {"native", "one-hot", "ordinal", "target", "drop"}; }
inline std::vector<std::string> scaling_words() { return {"none", "standard", "min-max"}; }
inline std::vector<std::string> balance_words() { return {"none", "weights", "over", "under"}; }

struct Preparing : Prepare {
  static constexpr auto table() {
    using P = Preparing;
    return std::tuple{
        ChoiceOption<P, Impute>{
            "impute", &P::impute, impute_words,
            "fill missing cells in, of categories with the commonest level or by draws; none leaves "
            "them to the learner"},
        ChoiceOption<P, bool>{"indicator", &P::indicator, yes_or_no,
                              "add a column that says where a column was missing"},
        NumberOption<P, double>{"rare", &P::rare, 0, kUnlimited,
                                "levels of fewer rows become one, with those unseen in training"},
        ChoiceOption<P, Coding>{
            "categories", &P::categories, coding_words,
            "left to the learner, a column a level, numbered, by the mean of the target, or left out"},
        NumberOption<P, int>{"one-hot-levels", &P::one_hot_levels, 1, 100'000,
                             "most levels of a column that one-hot divides; one of more is coded by the target"},
        NumberOption<P, double>{"level-rows", &P::level_rows, 0, kUnlimited,
                                "rows of the mean of all that a level's mean of the target is taken together with"},
        NumberOption<P, int>{"powers", &P::powers, 1, 10, "add powers of numbers up to this one"},
        ChoiceOption<P, bool>{"products", &P::products, yes_or_no, "add products of each two columns of numbers"},
        NumberOption<P, int>{"regions", &P::regions, 0, 1000,
                             "add a column for each leaf of a tree of the numbers with so many leaves"},
        ChoiceOption<P, Scaling>{"scale", &P::scale, scaling_words,
                                 "numbers to mean 0 and deviation 1, or to the range 0 to 1"},
        ChoiceOption<P, Balance>{"balance", &P::balance, balance_words,
                                 "make classes even: by weights, by drawing rows of small ones again, by leaving out "
                                 "rows of large ones"},
    };
  }
};

// Takes the settings that are of the preparation out of the others.
Result<Preparing> take_preparing(Settings&);
Status check_preparing(const Preparing&, const Task&, bool needs_target);
Result<Prepared> prepare_task(const Task&, const Preparing&, const Run&);

// The task as the model's learner saw it, its preparation fitted again as the model's options say; nothing where it was
// seen as it is.
Result<std::optional<Prepared>> prepared_again(const Model&, const Task&, const Run&);
// From the rows that a preparation left to all of the task: no tree has seen the others.
Result<OutOfBag> of_all_rows(const OutOfBag&, const std::vector<Row>& left, const Model&, const Task&, const Run&);

}  // namespace wald
