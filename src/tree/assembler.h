// From trees as they are grown to the Forest that models keep.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tree/pool.h"
#include "tree/tree.h"
#include "wald/forest.h"

namespace wald {

// Takes trees one after another, in their order, so that a grown tree need not be kept. Equal vectors of leaves are
// stored once, thresholds once a column.
class Assembler {
 public:
  Assembler(std::vector<double> base, std::size_t columns);
  void expect(std::size_t nodes) { expected_ = nodes; }  // of all trees, so that their room is asked for once
  void add(const Tree&);
  Forest finish() &&;

 private:
  // Two parts of the work, which two threads do at once.
  std::vector<std::uint32_t> add_vectors(const Tree&);  // of the leaves, in their order
  void add_nodes(const Tree&, Node* to);                // but for their vectors
  void add_surrogates(const Tree&);
  std::uint32_t vector_of(std::span<const double> values, std::span<const LeafTerm> terms);
  void sort_cuts();

  Forest out_;
  std::size_t width_ = 0, expected_ = 0;
  Pool values_;
  std::vector<Pool> cuts_;  // in the order of their appearance
  std::vector<std::uint64_t> first_{0}, sets_, term_first_{0};
  std::vector<Node> nodes_;
  std::vector<float> gain_;
  std::vector<std::uint32_t> output_;
  std::vector<Term> terms_;
  std::vector<std::uint64_t> surrogate_first_{0};
  std::vector<Surrogate> surrogates_;
};
Forest assemble(std::vector<double> base, std::size_t columns, std::span<const Tree> trees);

}  // namespace wald
