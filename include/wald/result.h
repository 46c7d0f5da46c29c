// What a function at the edge gives back: a value, or an error that says what happened and what to do.
#pragma once
#include <string>
#include <utility>
#include <variant>

namespace wald {

// The numbers are the exit codes of the command line.
enum class ErrorKind { Failure = 1, Usage = 2, BadData = 3, BadModel = 4, PrivacyRefusal = 5, Interrupted = 130 };

struct Error {
  ErrorKind kind = ErrorKind::Failure;
  std::string message;  // one sentence that names place and value: "claims.csv:12: 3 fields, expected 5"
  std::string cure;     // what to do about it; may be empty
  bool operator==(const Error&) const = default;
};

inline Error failure(std::string message, std::string cure = {}) {
  return {ErrorKind::Failure, std::move(message), std::move(cure)};
}
inline Error usage(std::string message, std::string cure = {}) {
  return {ErrorKind::Usage, std::move(message), std::move(cure)};
}
inline Error bad_data(std::string message, std::string cure = {}) {
  return {ErrorKind::BadData, std::move(message), std::move(cure)};
}
inline Error bad_model(std::string message, std::string cure = {}) {
  return {ErrorKind::BadModel, std::move(message), std::move(cure)};
}

// The shape of C++23's std::expected<T, Error>.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

struct Done {};  // the value of an effect that succeeded
using Status = Result<Done>;

}  // namespace wald
