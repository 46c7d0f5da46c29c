#include <cstdio>

#include "wald/wald.h"

int main(int, char** argv) {
  auto table = wald::read_table(argv[1]);
  if (!table) return std::fprintf(stderr, "%s\n", table.error().message.c_str()), 1;
  auto task = wald::make_task(*table, {.target = "class"});
  auto model = wald::fit("cart", *task, {{"max-depth", "3"}});
  auto predictions = wald::predict(*model, *table);
  auto measures = wald::measure(model->schema, *predictions, task->y);
  std::printf("accuracy %.4f\n", measures.find("accuracy")->value);
}
