// The ledger of a data set: what may be told of it, and what was. A text file of one JSON object a line, each of which
// carries the hash of the one before (docs/formats/ledger.md). Lines are only ever added, under a lock, and are on the
// disk before what they pay for is released: a crash may waste budget but never hides a release.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "wald/result.h"

namespace wald {

// What one release costs. Gaussian noise is accounted by mu, other delta by delta, pure epsilon by epsilon.
struct Cost {
  double epsilon = 0, delta = 0;  // as claimed, for people
  double mu = 0;                  // of Gaussian differential privacy
  double pure = 0;                // epsilon of what is not Gaussian
  double more_delta = 0;          // beside that of mu
};

struct Release {
  Cost cost;
  std::string neighbours;  // what is added or removed: "1 row", "3 rows of one contributor in column 'company'"
  std::string mechanism;   // "discrete Gaussian"
  std::string command;     // options without paths
  std::string model;       // the model's identity
  std::vector<std::string> remarks;
};

struct LedgerLine {
  std::string time;  // UTC
  std::string hash;
  double budget_epsilon = 0, budget_delta = 0;  // of a line that sets the budget
  Release release;                              // of the others
  bool sets_budget() const { return budget_epsilon > 0; }
};

struct Ledger {
  std::string path, data;         // the data set's name
  std::string identity;           // of the data set: drawn once
  double epsilon = 0, delta = 0;  // the budget now
  std::vector<LedgerLine> lines;

  // The least epsilon, at the budget's delta, of all releases and of one more.
  double spent() const;
  double spent_with(const Cost&) const;
  double left() const;  // 0 where rounding alone is left
};

// Reads and verifies; a line that was changed, left out or put in is an error that names it.
Result<Ledger> read_ledger(const std::string& path);

// For those who ask what is wrong with it: the lines that still hold, and the first that does not.
struct LedgerState {
  Ledger ledger;
  std::size_t broken_line = 0;  // 0: intact
  std::string what;             // is wrong there
};
Result<LedgerState> inspect_ledger(const std::string& path);

// How such a ledger is mended.
std::string cure_of(const LedgerState&);

// Whether there is one. What is there and no file, or where nobody may look, is an error.
Result<bool> ledger_exists(const std::string& path);

// Refused if the release would take more than is left, or protects others than the releases before it: what protects
// one row each and what protects all rows of a party do not add up to anything that could be claimed.
Status check_room(const Ledger&, const Release&);

// A new ledger; an existing file is refused. Budgets: epsilon above 0, delta from 0 to below 1.
Status create_ledger(const std::string& path, const std::string& data, double epsilon, double delta);
// Another budget from now on.
Status set_budget(const std::string& path, double epsilon, double delta);
// Adds a release, checked again under the lock: of two runs at once that both want the last of it, one is refused.
// Returns the hash of the line, which a model keeps.
Result<std::string> spend(const std::string& path, const Release&);

std::string random_identity();  // 32 hexadecimal digits

}  // namespace wald
