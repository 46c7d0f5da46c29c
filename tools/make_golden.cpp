// Writes the golden model files that are not there, after a new version of the format; never changes one.
//   make_golden tests/data/golden
#include <cstdio>
#include <filesystem>
#include <string>

#include "model/prepared_test.h"
#include "wald/model.h"

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("usage: make_golden FOLDER\n", stderr);
    return 2;
  }
  const struct {
    const char* name;
    wald::Model model;
  } files[] = {{"v1_cart_classes.wald", wald::sample::classes()},
               {"v1_numbers.wald", wald::sample::numbers()},
               {"v1_linear_scores.wald", wald::sample::scores()},
               {"v1_surrogates.wald", wald::sample::surrogates()},
               {"v1_prepared.wald", wald::sample::prepared()}};
  for (const auto& [name, model] : files) {
    const std::filesystem::path path = std::filesystem::path(words[1]) / name;
    if (std::filesystem::exists(path)) continue;
    if (const wald::Status saved = wald::save(model, path.string()); !saved) {
      std::fprintf(stderr, "error: %s\n", saved.error().message.c_str());
      return 1;
    }
    std::printf("wrote %s\n", path.c_str());
  }
}
