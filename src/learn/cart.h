// CART (Breiman, Friedman, Olshen and Stone 1984): one binary tree, for classes or numbers.
#pragma once
#include "learn/prune.h"
#include "learn/tree_options.h"
#include "wald/model.h"
#include "wald/task.h"

namespace wald {

enum class CartCriterion { Auto, Gini, Entropy, Minority, SqrtGini, Variance };
inline std::vector<std::string> cart_criterion_words() {
  return {"auto", "gini", "entropy", "minority", "sqrt-gini", "variance"};
}

struct Cart : TreeOptions, PruneOptions {
  CartCriterion criterion = CartCriterion::Auto;
  double smoothing = 0;

  static constexpr auto table() {
    return std::tuple_cat(
        std::tuple{
            ChoiceOption<Cart, CartCriterion>{"criterion", &Cart::criterion, cart_criterion_words,
                                              "impurity to reduce; auto is gini for classes, variance for numbers"}},
        tree_options<Cart>(), prune_options<Cart>(),
        std::tuple{NumberOption<Cart, double>{"smoothing", &Cart::smoothing, 0, kUnlimited,
                                              "added to each class count in a leaf; 1 is Laplace's rule"}});
  }
};

Result<Model> fit_cart(const Task&, const Cart&, const Run&);

// The tree without pruning, and its table of prices with the cross-validated losses.
Result<PruneTable> cart_prune_table(const Task&, const Cart&, const Run&);

}  // namespace wald
