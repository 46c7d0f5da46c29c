// An immutable array that either owns its elements or looks into memory kept alive elsewhere (a mapped file).
// Copies share the elements, so a large model is copied in constant time.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace wald {

template <class T>
class Array {
 public:
  Array() = default;
  Array(std::vector<T> elements) {
    auto owned = std::make_shared<const std::vector<T>>(std::move(elements));
    view_ = *owned;
    keep_ = std::move(owned);
  }
  Array(std::span<const T> view, std::shared_ptr<const void> keep) : view_(view), keep_(std::move(keep)) {}

  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  const T& operator[](std::size_t i) const { return view_[i]; }
  const T* data() const { return view_.data(); }
  auto begin() const { return view_.begin(); }
  auto end() const { return view_.end(); }
  operator std::span<const T>() const { return view_; }
  bool operator==(const Array& other) const { return std::ranges::equal(view_, other.view_); }

 private:
  std::span<const T> view_;
  std::shared_ptr<const void> keep_;
};

}  // namespace wald
