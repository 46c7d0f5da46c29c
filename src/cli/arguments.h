// What the user wrote: operands and options, judged against the tables of options.h.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wald/result.h"

namespace wald::cli {

// One row of a table from which parser, help and completion are made.
struct Option {
  std::string name;   // without dashes
  char letter = 0;    // short form
  std::string value;  // the word that stands for its value in help; empty = a switch
  std::string help;   // a sentence without capital and full stop
  bool list = false;  // may be repeated; each value may hold several, separated by commas
  std::vector<std::string> choices = {};
  std::string fallback = {};  // the default, as text, where there is one to tell
  std::string group = {};     // the heading it stands under in help; empty = the verb's own
};

class Arguments {
 public:
  std::vector<std::string> operands;

  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  std::string text(std::string_view name, std::string fallback = {}) const;
  // Each value in the order given, split at commas outside double quotes ("" in them is a quote, as in CSV).
  std::vector<std::string> list(std::string_view name) const;
  const std::vector<std::string>& raw(std::string_view name) const;  // as written, unsplit
  Result<std::uint64_t> whole(std::string_view name, std::uint64_t fallback, std::uint64_t least,
                              std::uint64_t most) const;
  Result<double> number(std::string_view name, double fallback, double least, double most) const;
  void set(const std::string& name, std::string value) { values_[name].push_back(std::move(value)); }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// `verb` is what messages call the command. An option's value is the next word, or what follows '='; "--" ends the
// options; "-" is an operand.
Result<Arguments> parse(std::string_view verb, const std::vector<Option>&, const std::vector<std::string>& words);

std::optional<double> read_number(std::string_view text);
std::vector<std::string> names_of(const std::vector<Option>&);  // "--target", ...

}  // namespace wald::cli
