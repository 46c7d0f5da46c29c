// What both readers of the file's head ask of its vectors.
#pragma once
#include <cstddef>
#include <cstdint>

#include "model_generated.h"

namespace wald {

// The verifier of FlatBuffers 2.0 looks at the alignment of a vector's length only, not of its elements.
template <class T>
bool aligned(const flatbuffers::Vector<T>& vector) {
  // One without elements is put anywhere, and has none to be misread.
  return vector.size() == 0 || reinterpret_cast<std::uintptr_t>(vector.Data()) % alignof(T) == 0;
}

inline std::size_t length_of(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>& all) {
  std::size_t sum = 0;
  for (const flatbuffers::String* text : all) sum += text->size();
  return sum;
}

}  // namespace wald
