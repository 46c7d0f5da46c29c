#include "cli/program.h"

int main(int count, char** words) {
  return wald::cli::run_program(std::vector<std::string>(words + (count > 0 ? 1 : 0), words + count));
}
