#include "model/steps_codec.h"

#include <fmt/format.h>

#include <cstdint>

#include "model/flat.h"

namespace wald {
namespace {

namespace fb = flatbuffers;
using Strings = fb::Vector<fb::Offset<fb::String>>;
using Counts = fb::Vector<std::uint32_t>;

// One list of all steps' lists, and how long each is.
template <class T>
struct Joined {
  std::vector<std::uint32_t> counts;
  std::vector<T> all;
  void add(const std::vector<T>& part) {
    counts.push_back(static_cast<std::uint32_t>(part.size()));
    all.insert(all.end(), part.begin(), part.end());
  }
};

std::uint64_t total(const Counts& counts) {
  std::uint64_t sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  return sum;
}

std::vector<std::string> next_words(const Strings& all, fb::uoffset_t& at, std::uint32_t count) {
  std::vector<std::string> out;
  out.reserve(count);
  for (; count > 0; --count) out.push_back(all.Get(at++)->str());
  return out;
}
std::vector<double> next_numbers(const fb::Vector<double>& all, fb::uoffset_t& at, std::uint32_t count) {
  std::vector<double> out(all.begin() + at, all.begin() + at + count);
  at += count;
  return out;
}

}  // namespace

fb::Offset<file::Preparation> put(fb::FlatBufferBuilder& into, const Preparation& preparation,
                                  fb::Offset<file::Schema> columns) {
  std::vector<std::uint8_t> kinds;
  Joined<std::string> from, to, levels;
  Joined<double> numbers;
  for (const PreparationStep& step : preparation.steps) {
    kinds.push_back(static_cast<std::uint8_t>(step.kind));
    from.add(step.from), to.add(step.to), numbers.add(step.number), levels.add(step.level);
  }
  const auto kind_vector = into.CreateVector(kinds);
  const auto from_counts = into.CreateVector(from.counts);
  const auto from_all = into.CreateVectorOfStrings(from.all);
  const auto to_counts = into.CreateVector(to.counts);
  const auto to_all = into.CreateVectorOfStrings(to.all);
  const auto number_counts = into.CreateVector(numbers.counts);
  const auto number_all = into.CreateVector(numbers.all);
  const auto level_counts = into.CreateVector(levels.counts);
  const auto level_all = into.CreateVectorOfStrings(levels.all);
  return file::CreatePreparation(into, columns, kind_vector, from_counts, from_all, to_counts, to_all, number_counts,
                                 number_all, level_counts, level_all, preparation.seed);
}

fb::Offset<file::Calibration> put(fb::FlatBufferBuilder& into, const Calibration& calibration) {
  if (calibration.kind == Calibration::Kind::None) return 0;
  Joined<double> at, to;
  for (const Calibration::Curve& curve : calibration.curves) at.add(curve.at), to.add(curve.to);
  const auto counts = into.CreateVector(at.counts);
  const auto at_all = into.CreateVector(at.all), to_all = into.CreateVector(to.all);
  return file::CreateCalibration(into, static_cast<std::uint8_t>(calibration.kind), counts, at_all, to_all);
}

std::string steps_mismatch(const file::Preparation* p) {
  if (p == nullptr) return {};
  const auto steps = p->kinds()->size();
  for (const Counts* counts : {p->from_counts(), p->to_counts(), p->number_counts(), p->level_counts()})
    if (counts->size() != steps)
      return fmt::format("its preparation has {} steps and {} counts", steps, counts->size());
  if (total(*p->from_counts()) != p->from()->size() || total(*p->to_counts()) != p->to()->size() ||
      total(*p->number_counts()) != p->numbers()->size() || total(*p->level_counts()) != p->levels()->size())
    return "the steps of its preparation are counted wrong";
  return aligned(*p->numbers()) ? "" : "its head is not well formed";
}

std::string curves_mismatch(const file::Calibration* c) {
  if (c == nullptr) return {};
  if (total(*c->counts()) != c->at()->size() || c->at()->size() != c->to()->size())
    return "the knots of its calibration are counted wrong";
  return aligned(*c->at()) && aligned(*c->to()) ? "" : "its head is not well formed";
}

std::size_t text_of(const file::Preparation* p) {
  return p == nullptr ? 0 : length_of(*p->from()) + length_of(*p->to()) + length_of(*p->levels());
}

Preparation preparation_of(const file::Preparation& p, std::vector<Field> columns) {
  Preparation out{.columns = std::move(columns), .seed = p.seed()};
  fb::uoffset_t from = 0, to = 0, number = 0, level = 0;
  for (fb::uoffset_t i = 0; i < p.kinds()->size(); ++i)
    out.steps.push_back({static_cast<StepKind>(p.kinds()->Get(i)), next_words(*p.from(), from, p.from_counts()->Get(i)),
                         next_words(*p.to(), to, p.to_counts()->Get(i)),
                         next_numbers(*p.numbers(), number, p.number_counts()->Get(i)),
                         next_words(*p.levels(), level, p.level_counts()->Get(i))});
  return out;
}

Calibration calibration_of(const file::Calibration* c) {
  if (c == nullptr) return {};
  Calibration out{.kind = static_cast<Calibration::Kind>(c->kind()), .curves = {}};
  fb::uoffset_t at = 0, to = 0;
  for (const std::uint32_t count : *c->counts())
    out.curves.push_back({next_numbers(*c->at(), at, count), next_numbers(*c->to(), to, count)});
  return out;
}

}  // namespace wald
