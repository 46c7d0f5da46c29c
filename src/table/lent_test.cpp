#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "wald/task.h"

namespace wald {
namespace {

// The columns of a matrix of `width` numbers a row.
template <class T>
Table lent_table(const std::shared_ptr<const std::vector<T>>& matrix, std::size_t width) {
  Table out{.rows = static_cast<Row>(matrix->size() / width), .source = "matrix"};
  for (std::size_t c = 0; c < width; ++c)
    out.columns.push_back({std::string(1, static_cast<char>('a' + c)),
                           Lent{.owner = matrix,
                                .first = reinterpret_cast<const std::byte*>(matrix->data() + c),
                                .step = static_cast<std::ptrdiff_t>(width * sizeof(T)),
                                .size = out.rows,
                                .single = sizeof(T) == sizeof(float)}});
  return out;
}

template <class T>
class LentTest : public testing::Test {};
using Kinds = testing::Types<float, double>;
TYPED_TEST_SUITE(LentTest, Kinds);

TYPED_TEST(LentTest, ColumnsOfAMatrixAreTheirNumbers) {
  const auto matrix = std::make_shared<const std::vector<TypeParam>>(
      std::vector<TypeParam>{1, 10, 2, std::numeric_limits<TypeParam>::quiet_NaN(), 4, 30});
  const Table table = lent_table<TypeParam>(matrix, 2);
  EXPECT_EQ(table.columns[0].numbers(), Numbers({1, 2, 4}));
  EXPECT_EQ(table.columns[1].numbers(), Numbers({10, kMissing, 30}));
  EXPECT_EQ(table.columns[1].numbers().to_doubles()[2], 30);
  const Row rows[] = {2, 0};
  EXPECT_EQ(take_rows(table, rows).columns[1].numbers(), Numbers({30, 10}));
}

TYPED_TEST(LentTest, TheMatrixLivesAsLongAsATaskOfIt) {
  auto matrix = std::make_shared<const std::vector<TypeParam>>(std::vector<TypeParam>{1, 5, 2, 6, 3, 7});
  const std::weak_ptr<const std::vector<TypeParam>> watched = matrix;
  {
    const Result<Task> task = make_task(lent_table<TypeParam>(matrix, 2), {.target = "b", .kind = TaskKind::Numbers});
    matrix.reset();
    ASSERT_TRUE(task);
    EXPECT_FALSE(watched.expired());
    EXPECT_EQ(task->x.columns[0].numbers(), Numbers({1, 2, 3}));
    EXPECT_EQ(task->numbers(), (std::vector<double>{5, 6, 7}));
  }
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace wald
