#include "privacy/ledger.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "core/check.h"
#include "core/file.h"
#include "core/shell.h"
#include "core/text.h"
#include "privacy/accountant.h"
#include "privacy/domain.h"

namespace wald {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kTorn = "the last line is not whole";
constexpr double kTolerance = 1e-6;  // relative, for budgets that are spent to the last

bool is_budget(double epsilon, double delta) {
  return epsilon > 0 && std::isfinite(epsilon) && delta >= 0 && delta < 1;
}

std::string hex(std::span<const unsigned char> bytes) {
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

// BLAKE2b of the line before's hash and this line's text without its own.
std::string chained(const std::string& before, const std::string& text) {
  std::array<unsigned char, 32> out{};
  const std::string all = before + "\n" + text;
  crypto_generichash(out.data(), out.size(), reinterpret_cast<const unsigned char*>(all.data()), all.size(), nullptr,
                     0);
  return hex(out);
}

std::string now() {
  const std::time_t at = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&at, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// The line as it stands in the file; returns its hash too.
std::pair<std::string, std::string> sealed(Json json, const std::string& before) {
  const std::string hash = chained(before, dumped(json));
  json["hash"] = hash;
  return {dumped(json) + "\n", hash};
}

Json release_json(const Release& release) {
  const Cost& cost = release.cost;
  return {{"what", "release"},
          {"time", now()},
          {"model", release.model},
          {"epsilon", cost.epsilon},
          {"delta", cost.delta},
          {"mu", cost.mu},
          {"pure_epsilon", cost.pure},
          {"more_delta", cost.more_delta},
          {"neighbours", release.neighbours},
          {"mechanism", release.mechanism},
          {"command", release.command},
          {"remarks", release.remarks}};
}

Json budget_json(double epsilon, double delta) {
  return {{"what", "budget"}, {"time", now()}, {"epsilon", epsilon}, {"delta", delta}};
}

// What costs less than nothing would give budget back.
struct NotANumberOfALedger {};
double cost_of(const Json& json, const char* key) {
  const double out = json.at(key);
  if (!(out >= 0 && std::isfinite(out))) throw NotANumberOfALedger();
  return out;
}

LedgerLine line_of(const Json& json) {
  LedgerLine out{.time = json.at("time"), .hash = json.at("hash")};
  if (json.at("what") == "budget") {
    out.budget_epsilon = cost_of(json, "epsilon"), out.budget_delta = cost_of(json, "delta");
    if (!is_budget(out.budget_epsilon, out.budget_delta)) throw NotANumberOfALedger();
    return out;
  }
  out.release = {.cost = {.epsilon = cost_of(json, "epsilon"),
                          .delta = cost_of(json, "delta"),
                          .mu = cost_of(json, "mu"),
                          .pure = cost_of(json, "pure_epsilon"),
                          .more_delta = cost_of(json, "more_delta")},
                 .neighbours = json.at("neighbours"),
                 .mechanism = json.at("mechanism"),
                 .command = json.at("command"),
                 .model = json.at("model"),
                 .remarks = json.at("remarks")};
  return out;
}

// What is wrong with the line; nothing if it holds, and then it is added.
std::string read_line(Ledger& ledger, std::string_view text, std::size_t number) {
  try {
    Json json = Json::parse(text);
    const std::string hash = json.at("hash");
    Json rest = json;
    rest.erase("hash");
    const std::string before = ledger.lines.empty() ? "" : ledger.lines.back().hash;
    if (chained(before, dumped(rest)) != hash || dumped(json) != text)
      return "this line or one before it was changed, left out or put in";
    if (number == 1 && json.at("wald_ledger") != 1) return "not a ledger of version 1";
    const LedgerLine line = line_of(json);
    if (number == 1) ledger.data = json.at("data"), ledger.identity = json.at("identity");
    if (line.sets_budget()) ledger.epsilon = line.budget_epsilon, ledger.delta = line.budget_delta;
    else if (number == 1) return "the first line sets no budget";
    ledger.lines.push_back(line);
  } catch (const Json::exception&) { return "not a line of a ledger"; } catch (const NotANumberOfALedger&) {
    return "a budget or a cost that cannot be";
  }
  return "";
}

LedgerState parse(std::string_view text, const std::string& path) {
  WALD_CHECK(sodium_init() >= 0);
  LedgerState out{.ledger = {.path = path}};
  std::size_t number = 0;
  while (!text.empty() && out.what.empty()) {
    const std::size_t end = text.find('\n');
    ++number;
    // A crash while a line was written leaves a piece without an end; what it should have paid for was never released.
    if (end == std::string_view::npos) out.what = kTorn;
    else out.what = read_line(out.ledger, text.substr(0, end), number), text.remove_prefix(end + 1);
  }
  if (number == 0) out.what = "the ledger is empty", number = 1;
  if (!out.what.empty()) out.broken_line = number;
  return out;
}

// Never the advice to take another ledger: that would forget what was spent.
Error cannot(std::string_view verb, const std::string& path) {
  std::string cure = "without its line in the ledger nothing is released";
  if (errno == EACCES || errno == EROFS || errno == EPERM)
    cure = "whoever answers for the data must let you add lines to it; " + cure;
  if (errno == ENOSPC || errno == EDQUOT) cure = "free some space there; " + cure;
  return failure(fmt::format("cannot {} {}: {}", verb, printable(path, 300), std::strerror(errno)), cure);
}

// The file, open and locked until it goes out of scope.
struct Locked {
  int descriptor = -1;
  explicit Locked(int number) : descriptor(number) {}
  Locked(Locked&& other) noexcept : descriptor(std::exchange(other.descriptor, -1)) {}
  Locked& operator=(Locked&&) = delete;
  ~Locked() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

// Whether the path still leads to the file that is open: it may have been put in place of another meanwhile.
bool is_at(const Locked& file, const std::string& path) {
  struct stat open{}, there{};
  return ::fstat(file.descriptor, &open) == 0 && ::stat(path.c_str(), &there) == 0 && open.st_dev == there.st_dev &&
         open.st_ino == there.st_ino;
}

Result<Locked> locked(const std::string& path) {
  for (;;) {
    Locked file(::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
    if (file.descriptor < 0) return cannot("open", path);
    while (::flock(file.descriptor, LOCK_EX) != 0)
      if (errno != EINTR) return cannot("lock", path);
    if (is_at(file, path)) return file;
  }
}

Status append(const Locked& file, std::string_view line, const std::string& path) {
  const off_t size = ::lseek(file.descriptor, 0, SEEK_END);
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t put = ::write(file.descriptor, left.data(), left.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      const Error error = cannot("write", path);
      if (::ftruncate(file.descriptor, size) != 0) return cannot("mend", path);
      return error;
    }
    left.remove_prefix(static_cast<std::size_t>(put));
  }
  return ::fsync(file.descriptor) == 0 ? Status(Done{}) : Status(cannot("sync", path));
}

}  // namespace

double Ledger::spent_with(const Cost& more) const {
  double square = more.mu * more.mu, pure = more.pure, other = more.more_delta;
  for (const LedgerLine& line : lines) {
    if (line.sets_budget()) continue;
    square += line.release.cost.mu * line.release.cost.mu;
    pure += line.release.cost.pure, other += line.release.cost.more_delta;
  }
  if (square == 0) return other <= delta * (1 + kTolerance) ? pure : INFINITY;
  if (other >= delta) return INFINITY;
  return pure + gaussian_epsilon(std::sqrt(square), delta - other);
}

double Ledger::spent() const { return spent_with({}); }

double Ledger::left() const {
  const double rest = epsilon - spent();
  return rest > kTolerance * epsilon ? rest : 0;
}

namespace {

// Whom a release protects: each row, or each party of a column, however many of its rows count.
std::string_view protects(const Release& release) {
  const std::string_view text = release.neighbours;
  const std::size_t at = text.find("of one contributor");
  return at == std::string_view::npos ? text : text.substr(at);
}

Status check_alike(const Ledger& ledger, const Release& release) {
  for (const LedgerLine& line : ledger.lines) {
    if (line.sets_budget() || protects(line.release) == protects(release)) continue;
    return privacy_refusal(
        fmt::format("{}: what was told before is accounted by \"{}\", this run by \"{}\": the two do not add up",
                    printable(ledger.path, 200), printable(line.release.neighbours, 200),
                    printable(release.neighbours, 200)),
        "name the contributor as before, in the schema or by --contributor; or whoever answers for the data keeps "
        "another ledger for such runs, and for what both tell together");
  }
  return Done{};
}

}  // namespace

Status check_room(const Ledger& ledger, const Release& release) {
  if (Status alike = check_alike(ledger, release); !alike) return alike;
  const double after = ledger.spent_with(release.cost);
  if (after <= ledger.epsilon * (1 + kTolerance)) return Done{};
  const std::string message = fmt::format(
      "{}: the budget of {} is epsilon {} at delta {}, {} is spent, and this run would ", printable(ledger.path, 200),
      printable(ledger.data, 100), short_text(ledger.epsilon), short_text(ledger.delta), short_text(ledger.spent()));
  if (!std::isfinite(after))
    return privacy_refusal(message + "need more delta than there is",
                           fmt::format("ask for a smaller delta; or whoever answers for the data raises it: wald "
                                       "privacy {} --budget E --budget-delta D",
                                       shell_word(ledger.path)));
  return privacy_refusal(
      message + "make it " + short_text(after),
      fmt::format(
          "ask for a smaller epsilon; or whoever answers for the data raises the budget: wald privacy {} --budget E",
          shell_word(ledger.path)));
}

std::string cure_of(const LedgerState& state) {
  if (state.what == kTorn && state.broken_line > 1)
    return "if a run was stopped while it paid, nothing was released: take the piece of a line away; else restore the "
           "ledger from a copy";
  return "the ledger is not as it was written: find out who changed it, and restore it from a copy";
}

Result<bool> ledger_exists(const std::string& path) {
  struct stat there{};
  if (::stat(path.c_str(), &there) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return cannot("look for", path);
  }
  if (S_ISREG(there.st_mode)) return true;
  return usage(fmt::format("{} is no file, so it cannot be a ledger", printable(path, 300)),
               "name a file: --ledger FILE");
}

Result<LedgerState> inspect_ledger(const std::string& path) {
  if (const Result<bool> there = ledger_exists(path); !there) return there.error();
  const Result<Bytes> bytes = map_file(path);
  if (!bytes) return bytes.error();
  return parse(bytes->text(), path);
}

Result<Ledger> read_ledger(const std::string& path) {
  Result<LedgerState> state = inspect_ledger(path);
  if (!state) return state.error();
  if (state->broken_line == 0) return std::move(state->ledger);
  return bad_data(fmt::format("{}:{}: {}", printable(path, 300), state->broken_line, state->what), cure_of(*state));
}

namespace {

Status check_budget(double epsilon, double delta) {
  if (is_budget(epsilon, delta)) return Done{};
  return usage(fmt::format("epsilon {} at delta {} is no budget", short_text(epsilon), short_text(delta)),
               "give an epsilon above 0, and a delta from 0 to below 1");
}

}  // namespace

Status create_ledger(const std::string& path, const std::string& data, double epsilon, double delta) {
  if (Status sound = check_budget(epsilon, delta); !sound) return sound;
  WALD_CHECK(sodium_init() >= 0);
  Json first = {{"wald_ledger", 1}, {"data", data}, {"identity", random_identity()}};
  first.update(budget_json(epsilon, delta));
  return replace_file(path, sealed(std::move(first), "").first, false);
}

Status set_budget(const std::string& path, double epsilon, double delta) {
  if (Status sound = check_budget(epsilon, delta); !sound) return sound;
  Result<Locked> file = locked(path);
  if (!file) return file.error();
  const Result<Ledger> ledger = read_ledger(path);
  if (!ledger) return ledger.error();
  return append(*file, sealed(budget_json(epsilon, delta), ledger->lines.back().hash).first, path);
}

Result<std::string> spend(const std::string& path, const Release& release) {
  Result<Locked> file = locked(path);
  if (!file) return file.error();
  const Result<Ledger> ledger = read_ledger(path);
  if (!ledger) return ledger.error();
  if (Status room = check_room(*ledger, release); !room) return room.error();
  const auto [line, hash] = sealed(release_json(release), ledger->lines.back().hash);
  if (Status written = append(*file, line, path); !written) return written.error();
  if (!is_at(*file, path))
    return failure(fmt::format("{} was replaced while it was paid from", printable(path, 300)),
                   "the line is in the file that was there; nothing was released");
  return hash;
}

std::string random_identity() {
  WALD_CHECK(sodium_init() >= 0);
  std::array<unsigned char, 16> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  return hex(bytes);
}

}  // namespace wald
