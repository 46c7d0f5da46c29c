#include "tree/deviation.h"
#include "tree/grow_tree.h"
#include "tree/many_targets.h"

namespace wald {

template Tree grow(const Binned&, std::vector<Row>, const Variance&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const Deviation&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const ManyTargets&, const GrowOptions&, const Run&);

}  // namespace wald
