#include "cli/json.h"

#include <nlohmann/json.hpp>

namespace wald::cli {

void print_json(const nlohmann::ordered_json& object, Terminal& terminal) {
  terminal.print(object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  terminal.print("\n");
  terminal.answered = true;
}

}  // namespace wald::cli
