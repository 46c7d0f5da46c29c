#include "tree/grow_tree.h"
#include "tree/newton.h"

namespace wald {

template Tree grow(const Binned&, std::vector<Row>, const FineNewton&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, GrowSpace&, const FineNewton&, const GrowOptions&, const Run&);

}  // namespace wald
