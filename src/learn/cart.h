// CART (Breiman, Friedman, Olshen and Stone 1984): one binary tree, for classes or numbers.
#pragma once
#include "learn/prune.h"
#include "learn/tree_options.h"
#include "wald/model.h"
#include "wald/task.h"

namespace wald {

enum class CartCriterion { Auto, Gini, Entropy, Minority, SqrtGini, ChiSquare, Variance, Absolute };
inline std::vector<std::string> cart_criterion_words() {
  return {"auto", "gini", "entropy", "minority", "sqrt-gini", "chi-square", "variance", "absolute"};
}

enum class CartLeaf { Auto, Mean, Median, Quantile, Linear, Logistic };
inline std::vector<std::string> cart_leaf_words() {
  return {"auto", "mean", "median", "quantile", "linear", "logistic"};
}

inline std::vector<std::string> cart_missing_words() { return {"learn", "majority", "surrogates"}; }

struct Cart : TreeOptions, PruneOptions {
  CartCriterion criterion = CartCriterion::Auto;
  double max_p = 1;
  CartLeaf leaf = CartLeaf::Auto;
  double quantile = 0.5;
  double ridge = 1;
  int leaf_terms = 20;
  bool extrapolate = false;
  double smoothing = 0;

  static std::vector<SearchRange> searched() {
    return {{"max-depth", 2, 24, true, true}, {"min-leaf", 1, 100, true, true}, {"smoothing", 0.01, 10, true}};
  }
  static constexpr auto table() {
    return std::tuple_cat(
        std::tuple{
            ChoiceOption<Cart, CartCriterion>{"criterion", &Cart::criterion, cart_criterion_words,
                                              "impurity to reduce; auto is gini for classes, variance for numbers"},
            NumberOption<Cart, double>{"max-p", &Cart::max_p, 0, 1,
                                       "largest p-value of a split by --criterion chi-square; 1 takes any"}},
        tree_options<Cart>(
            cart_missing_words,
            "missing values go where they gain most, with the heavier child, or where other columns send them"),
        std::tuple{NumberOption<Cart, int>{"surrogates", &Cart::surrogates, 1, 1000,
                                           "most columns that stand in for a missing one, for --missing surrogates"}},
        prune_options<Cart>(),
        std::tuple{ChoiceOption<Cart, CartLeaf>{"leaf", &Cart::leaf, cart_leaf_words,
                                                "what a leaf says: of numbers the mean, the median (auto with "
                                                "--criterion absolute), a quantile or a linear model; of two classes "
                                                "shares or a logistic model"},
                   NumberOption<Cart, double>{"quantile", &Cart::quantile, 0, 1, "which one, for --leaf quantile"},
                   NumberOption<Cart, double>{"ridge", &Cart::ridge, 0, kUnlimited,
                                              "penalty on the slopes of a leaf's model, in rows"},
                   NumberOption<Cart, int>{"leaf-terms", &Cart::leaf_terms, 0, 1000,
                                           "most columns in a leaf's model: those of the largest correlation"},
                   ChoiceOption<Cart, bool>{"extrapolate", &Cart::extrapolate, yes_or_no,
                                            "let a leaf's model leave the range of its training rows"},
                   NumberOption<Cart, double>{"smoothing", &Cart::smoothing, 0, kMostSmoothing,
                                              "added to each class count in a leaf; 1 is Laplace's rule"}});
  }
};

Result<Model> fit_cart(const Task&, const Cart&, const Run&);

// The tree without pruning, and its table of prices with the cross-validated losses.
Result<PruneTable> cart_prune_table(const Task&, const Cart&, const Run&);

}  // namespace wald
