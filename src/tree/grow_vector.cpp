#include "tree/grow_tree.h"
#include "tree/vector_newton.h"

namespace wald {

template Tree grow(const Binned&, std::vector<Row>, const VectorNewton&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, GrowSpace&, const VectorNewton&, const GrowOptions&, const Run&);

}  // namespace wald
