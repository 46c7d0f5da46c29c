#include "tree/chi_square.h"
#include "tree/criterion.h"
#include "tree/grow_tree.h"

namespace wald {

template Tree grow(const Binned&, std::vector<Row>, const Gini&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const Shannon&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const Minority&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const SqrtGini&, const GrowOptions&, const Run&);
template Tree grow(const Binned&, std::vector<Row>, const ChiSquare&, const GrowOptions&, const Run&);

}  // namespace wald
