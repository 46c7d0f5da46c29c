// The steps of a preparation: what each makes of columns. How they are fitted is in prepare.h.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "wald/preparation.h"
#include "wald/table.h"

namespace wald {

// Columns or fields, found by name. New ones come last.
template <class T>
class Named {
 public:
  explicit Named(std::vector<T> items) {
    for (T& item : items) add(std::move(item));
  }
  T* find(const std::string& name) {
    const auto found = at_.find(name);
    return found == at_.end() ? nullptr : &*items_[found->second];
  }
  bool add(T item) {  // false: there is one of that name
    if (!at_.emplace(item.name, items_.size()).second) return false;
    items_.push_back(std::move(item));
    return true;
  }
  void remove(const std::string& name) {
    items_[at_.at(name)].reset();
    at_.erase(name);
  }
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& item : items_)
      if (item) visit(*item);
  }
  std::vector<T> take() {
    std::vector<T> out;
    for (auto& item : items_)
      if (item) out.push_back(std::move(*item));
    return out;
  }

 private:
  std::vector<std::optional<T>> items_;
  std::unordered_map<std::string, std::size_t> at_;
};

struct PrepareRows {
  Row rows = 0;
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> key;  // a hash of each row's cells before the first step; where something is drawn
};

// A plug. retype says what is wrong with a step, or changes the fields as apply changes the columns; apply may then
// take everything for granted.
struct StepPlug {
  StepKind kind;
  std::string_view name;
  std::string (*retype)(const PreparationStep&, Named<Field>&);
  void (*apply)(const PreparationStep&, Named<Column>&, const PrepareRows&);
  std::string_view unseen = {};  // what a level unseen in training is then; empty = it stays what it was
};
const StepPlug& plug_of(StepKind);
inline constexpr StepKind kLastStep = StepKind::Region;

// The fields after the last step; what is wrong with one is put into `flaw`.
std::vector<Field> fields_after(const Preparation&, std::string& flaw);
// columns: of preparation.columns, in their order and of their types; levels may be more.
std::vector<Column> columns_after(const Preparation&, std::vector<Column> columns, Row rows);
// For each column made the places of the columns it is made of, ascending.
std::vector<std::vector<std::size_t>> sources_of(const Preparation&, const std::vector<Field>& made);
// Whether columns were made by the targets of the very rows that have them: no such row is ever new to a model, however
// a learner leaves it out. (Levels coded by the target are coded by other rows.) Null: columns are as they were.
bool knows_targets(const Preparation*);
std::vector<std::uint64_t> row_keys(const std::vector<Column>&, Row rows);

// "filled in: age, premium", one for steps of a kind that follow each other.
std::vector<std::string> step_words(const Preparation&);
// What of a column is no value for the model: rows that miss it, levels that training did not know.
struct Gaps {
  bool missing = true, unseen = true;
};
Gaps gaps_of(const Preparation&, const std::string& made);  // after the last step

StepPlug drop_plug();
StepPlug mark_plug();
StepPlug fill_plug();
StepPlug draw_plug();
StepPlug rare_plug();
StepPlug one_hot_plug();
StepPlug ordinal_plug();
StepPlug encode_plug();
StepPlug scale_plug();
StepPlug product_plug();
StepPlug region_plug();

// For plugs.
Field* field_of(const PreparationStep&, Named<Field>&, std::optional<ColumnType>, std::string& flaw);
std::vector<double> cells_of(const Column&);                                                // of numbers
std::vector<std::int32_t> places_of(const Column&, const std::vector<std::string>& level);  // per own level; -1 = none
std::string known_levels(const PreparationStep&, const Field&);  // a flaw if some are not the field's

}  // namespace wald
