// Chooses among columns each of which tells beforehand the most that it can gain: one is judged only if that is as much
// as the best so far, the most promising first. The choice is the same as if all had been judged in turn.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "tree/sapling_rows.h"

namespace wald::sapling {

class Promising {
 public:
  // In ascending order.
  void add(const CodeColumn& column, double most) {
    if (count_ == columns_.size()) columns_.emplace_back();  // which keep what their favourites have asked for
    columns_[count_].column = &column, columns_[count_].most = most, columns_[count_].found.any = false;
    const bool first = count_ == 0 || most > most_;  // no branch: nobody could foresee it
    first_ = first ? count_ : first_, most_ = first ? most : most_;
    ++count_;
  }
  // Of those added since the last choice. judge(column, found): the column's favourite, unless it gains no more than
  // found.floor.
  template <class Judge>
  void choose(Choice& choice, Judge judge) {
    if (count_ == 0) return;
    best_ = floor_ = near_ = kNoGain;
    look_at(columns_[first_], choice, judge);
    for (std::size_t i = 0; i < count_; ++i)
      if (i != first_ && !(columns_[i].most <= floor_)) look_at(columns_[i], choice, judge);
    bool between = false;
    for (std::size_t i = 0; i < count_; ++i) between |= counts(columns_[i]) && columns_[i].found.chosen.gain <= near_;
    for (std::size_t i = 0; i < count_; ++i) {
      Column& c = columns_[i];
      if (between) c.found.restart(choice.greedy.min_leaf), judge(*c.column, c.found);
      if (between || counts(c)) choice.greedy.merge(c.found);
    }
    count_ = 0;
  }

 private:
  struct Column {
    const CodeColumn* column = nullptr;
    double most = 0;
    Greedy found;
  };

  template <class Judge>
  void look_at(Column& c, const Choice& choice, Judge judge) {
    c.found.restart(choice.greedy.min_leaf, floor_);
    judge(*c.column, c.found);
    if (!c.found.any || c.found.chosen.gain <= best_) return;
    best_ = c.found.chosen.gain;
    const double noise = Greedy::noise_below(best_, choice.parent);
    near_ = std::nextafter(best_ - noise, kNoGain);  // below the best even where there is no noise
    floor_ = std::min(best_ - 2 * noise, near_);
  }
  // As in each_deciding(): who gains less is not taken, and has no say unless another lies between.
  bool counts(const Column& c) const { return c.found.any && !(c.found.chosen.gain <= floor_); }

  std::vector<Column> columns_;  // of which `count_` are in use
  std::size_t count_ = 0, first_ = 0;
  double most_ = 0;  // of the most promising one
  double best_ = 0, floor_ = 0, near_ = 0;
};

}  // namespace wald::sapling
