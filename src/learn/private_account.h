// Keeping account of what private models tell: what a run may ask for, what it will cost, the line in the ledger that
// pays for it. The command line and the Python package go this way, so that neither has an easier one.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "privacy/ledger.h"
#include "wald/learn.h"
#include "wald/model.h"
#include "wald/private_task.h"
#include "wald/table.h"

namespace wald {

// Refuses options that would tell something of the rows that nobody paid for, or that have no meaning here.
Status check_private_options(const std::function<bool(std::string_view option)>& given);

// The column that tells whose a row is; empty = each row is its own. Schema and options must agree on it and on how
// many rows of a party count, which is put into the settings where the schema alone says it.
Result<std::string> contributor_terms(const Declarations&, const PrivateRoles&, Settings&);

// What is protected. contributor: the column; empty = each row is its own.
std::string neighbours_text(const std::string& contributor, int max_rows);

struct PrivateTerms {
  std::string learner;
  std::string contributor;        // empty = each row is its own
  std::string command;            // what was asked for, without paths
  bool accepts_observed = false;  // bounds and levels read off the data are taken
  std::string remark = {};        // a line more for the ledger
};

struct Account {
  std::string path;  // of the ledger; empty = nobody keeps one
  Release release;
};

// Refused before a row is read if the ledger is broken or has no room. A ledger that is not there is made when it is
// paid.
Result<Account> open_account(const PrivateTerms&, const Settings&, const std::string& ledger);

// The line is on the disk before noise is drawn; its hash is given back. Where there is no ledger yet, the budget is
// what this run asks for, and `made` is told so. data: the data set's name.
Result<std::string> pay(const Account&, const std::string& data, const std::function<void(const std::string&)>& made);

// What the model keeps of it.
void keep_account(const Account&, const std::string& entry, bool accepts_observed, Provenance&);
// The options of a model without that.
std::map<std::string, std::string> asked_options(const Provenance&);

// With bounds and levels that were observed taken as declared.
Declarations accept_observed(Declarations);
// For a reader, which shall refuse no row (make_private_task moves what lies outside) and read contributors as words.
Declarations lenient(Declarations, const std::string& contributor);

// Said where the noise left nothing: every row is told the same; else empty.
std::string all_noise(const Model&);
// Said where the declared bounds of a target of numbers are far wider than they need be; else empty.
std::string too_wide(const Model&, const Declarations&);

}  // namespace wald
