// Curves as a plot of characters or as a picture.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/json.h"
#include "cli/terminal.h"

namespace wald::cli {

struct Series {
  std::string name;
  std::string sign;  // of its points among characters
  std::vector<std::pair<double, double>> points;
  std::vector<double> spread = {};  // of each point up and down; empty = none
  bool joined = false;              // among characters too; a picture always joins them
};

struct Chart {
  std::string title, x, y;
  std::vector<Series> series;
  bool square = false;                  // both axes from 0 to 1
  bool logarithmic = false;             // the x axis
  bool diagonal = false;                // drawn for comparison
  std::vector<std::string> words = {};  // what 1, 2, ... on the x axis stand for; empty = numbers
};

std::vector<std::string> chart_lines(const Chart&, std::size_t width = 60, std::size_t height = 15);
std::string chart_svg(const Chart&);
std::string chart_csv(const Chart&);  // series, x, y, spread
nlohmann::ordered_json chart_json(const Chart&);

// By the name of the file: .svg a picture, .json, else CSV.
Status write_chart(const Chart&, const std::string& path, const Arguments&);
void print_chart(const Chart&, Terminal&);

}  // namespace wald::cli
