// From options to a table, for the verbs that read one.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/terminal.h"
#include "wald/model.h"
#include "wald/run.h"
#include "wald/table.h"

namespace wald::cli {

Result<ReadOptions> read_options(const Arguments&);
// Threads and seed as given; progress to the terminal; stops when the user asks.
Result<Run> run_options(const Arguments&, Terminal&);

// Reads and passes the reader's notes on.
Result<Table> read_data(const std::string& name, const ReadOptions&, const Run&, Terminal&);
// The same for a model: with the types its columns had in training.
Result<Table> read_data_for(const Model&, const std::string& name, const Arguments&, const Run&, Terminal&);
// The same in blocks, for tables that may be larger than memory; the notes are those of the first.
Status read_blocks_for(const Model&, const std::string& name, const Arguments&, const Run&, Terminal&,
                       const std::function<Status(const Table&)>& sink);
// --background FILE, read in the same way.
Result<std::optional<Table>> read_background(const Model&, const Arguments&, const Run&, Terminal&);
// As the model's body sees it: give it to without_preparation(model).
Result<Table> read_body_data(const Model&, const std::string& name, const Arguments&, const Run&, Terminal&);
// Warns of levels the model has not seen; returns what it said.
std::vector<std::string> warn_of_levels(const Model&, const Table&, Terminal&);
Result<Model> load_model(const std::string& path, Terminal&);

// The columns an option names. A value that is a column's name as a whole is that column, commas and all.
std::vector<std::string> column_list(const Arguments&, std::string_view option, const Table&);

Error interrupted_error();
Error cut_short_error();  // part of the answer was given

}  // namespace wald::cli
