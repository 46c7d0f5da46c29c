// Preparation and calibration to and from the head of a model file.
#pragma once
#include <string>
#include <vector>

#include "model_generated.h"
#include "wald/model.h"

namespace wald {

// columns: the schema before the first step, as it was put. Nothing is put, and 0 returned, of what is empty.
flatbuffers::Offset<file::Preparation> put(flatbuffers::FlatBufferBuilder&, const Preparation&,
                                           flatbuffers::Offset<file::Schema> columns);
flatbuffers::Offset<file::Calibration> put(flatbuffers::FlatBufferBuilder&, const Calibration&);

// What contradicts itself; nullptr is sound. Alignment is judged too: see decode.cpp.
std::string steps_mismatch(const file::Preparation*);
std::string curves_mismatch(const file::Calibration*);
std::size_t text_of(const file::Preparation*);  // bytes, without those of its columns

Preparation preparation_of(const file::Preparation&, std::vector<Field> columns);
Calibration calibration_of(const file::Calibration*);

}  // namespace wald
