#include <gtest/gtest.h>

#include <algorithm>

#include "explain/rules.h"
#include "wald/wald.h"

namespace wald {
namespace {

TEST(Rules, OfC45DecideAsTheTreeDoesWhereNothingIsMissing) {
  for (const auto& [table, target] : {std::pair{"tic_tac_toe", "Class"}, {"glass", "Type"}, {"golf", "play"}}) {
    auto read = read_table(std::string(WALD_DATA) + "/" + table + ".csv");
    const Task task = *make_task(std::move(*read), {.target = target, .kind = TaskKind::Classes});
    const Model model = *fit("c45", task, {});
    const auto p = predict(model, task.x);
    const TreeView tree = model.forest().tree(0);
    const std::vector<Rule> rules = tree_rules(model, 0);
    const auto outputs = static_cast<std::size_t>(model.forest().outputs);
    for (Row r = 0; r < task.x.rows; ++r) {
      int matches = 0;
      for (const Rule& rule : rules) {
        const bool holds = std::ranges::all_of(rule.when, [&](const Condition& c) {
          const Column& column = task.x.columns[c.column];
          return column.type() == ColumnType::Number ? c.holds(column.numbers()[r])
                                                     : c.holds(column.categories().code[r]);
        });
        if (!holds) continue;
        ++matches;
        EXPECT_EQ(model.forest().values_of(tree.nodes[rule.leaf])[0], p->value[r * outputs]);
      }
      EXPECT_EQ(matches, 1) << table << " row " << r;
    }
  }
}

}  // namespace
}  // namespace wald
