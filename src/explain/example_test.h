// A hand-built model for the tests of this folder: a number, a category set, a level per child; missing both ways.
#pragma once
#include "model/parts_test.h"
#include "wald/model.h"

namespace wald {

//                    age <= 41 (missing left)
//          region in {east, west} (missing right)     smoker: no | yes (missing to yes)
//             no 90 %      yes 60 %                       no | yes
inline Model example_model() {
  Model model;
  model.schema.columns = {{"age", ColumnType::Number, {}},
                          {"region", ColumnType::Category, {"east", "north", "south", "west"}},
                          {"smoker", ColumnType::Category, {"no", "yes"}}};
  model.schema.target = {"claim", ColumnType::Category, {"no", "yes"}};
  model.link = Link::Probabilities;
  model.made.learner = "cart";
  Parts forest;
  forest.outputs = 2;
  forest.base = {0, 0};
  forest.cuts = {{30.25, 41}, {}, {}};
  forest.first = {0, 7};
  forest.sets = {0b1001};
  forest.nodes = {{.column = 0, .child = 1, .ref = 1, .missing = 0, .test = Test::Threshold},
                  {.column = 1, .child = 3, .ref = 0, .missing = 1, .test = Test::Set},
                  {.column = 2, .child = 5, .ref = 2, .missing = 1, .test = Test::EachLevel},
                  {},
                  {},
                  {},
                  {}};
  forest.values = {0.55, 0.45, 0.65, 0.35, 0.4, 0.6, 0.9, 0.1, 0.4, 0.6, 1, 0, 0, 1};
  forest.cover = {100, 60, 40, 30, 30, 16, 24};
  forest.gain = {5, 3, 10, 0, 0, 0, 0};
  model.body = packed(forest);
  return model;
}

inline Model number_model() {
  Model model;
  model.schema.columns = {{"x", ColumnType::Number, {}}};
  model.schema.target = {"price", ColumnType::Number, {}};
  Parts forest;
  forest.base = {100};
  forest.cuts = {{0.1 + 0.2, 2.5}};
  forest.first = {0, 5};
  forest.nodes = {{.column = 0, .child = 1, .ref = 1, .missing = 1, .test = Test::Threshold},
                  {.column = 0, .child = 3, .ref = 0, .missing = 0, .test = Test::Threshold},
                  {},
                  {},
                  {}};
  forest.values = {0, -10, 20, -15, -5};
  forest.cover = {9, 6, 3, 3, 3};
  forest.gain = {4, 1, 0, 0, 0};
  model.body = packed(forest);
  return model;
}

}  // namespace wald
