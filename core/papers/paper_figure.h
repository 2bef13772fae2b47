#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/papers/paper_table.h"

namespace strata {

// One chart of a figure, with every series.
struct PaperPanel {
  std::string key, title, yTitle;
  std::string dataset;  // recipe
  std::string set;      // evaluation set of scores, lengths or curves; may be empty
  // score, parameters, tokens_per_second (training), words_per_second (decoding)
  std::string measure = "score";
  std::string modules;  // gradients: module name up to the layer number, "decoder.layers."
};

// A point of a series. A series of curves, bins or recordings has one, which gives its source.
struct PaperPoint {
  double x = 0;
  PaperRow source;
  std::map<std::string, double> printed;  // by panel
};

struct PaperSeries {
  std::string name;
  std::vector<PaperPoint> points;
  std::string scalar;   // curves: the scalar drawn
  bool dashed = false;  // curves: drawn dashed
  bool level = false;   // points: drawn as a horizontal line across the chart
};

struct PaperFigure {
  enum class Kind {
    kCurves,        // scalars over training
    kPoints,        // scores, parameter counts or speeds over a number
    kLengths,       // score by bins of the source length
    kGradients,     // gradient norms by layer
    kHopMap,        // level weights of one sentence, one panel per hop
    kHopClasses,    // mean level weights by class of the word read
    kHistoryArcs,   // the most and second most attended earlier words
    kSourceShares,  // share of the source context by position, class and layer
  };
  std::string id, title;
  Kind kind = Kind::kCurves;
  VocabularySizes vocabulary;
  PaperScorer scorer;
  std::string xTitle;
  std::string xScalar;          // curves: the scalar used as x; empty: the update
  bool xParameters = false;     // points: x is the number of parameters, in millions
  bool accuracy = false;        // curves: 100 (1 - y) is drawn
  bool cutAtAnnealing = false;  // curves end at the first drop of the learning rate
  bool markAnnealing = false;   // marks the epoch of that drop
  std::vector<double> edges;    // lengths: upper ends of the bins, inclusive
  std::string recording;        // recordings: "decoder.fusion.hop_weights"; "*": any layer
  std::vector<PaperPanel> panels;
  std::vector<PaperSeries> series;
  std::vector<std::string> notes;

  std::vector<std::string> presets() const;
};
std::string_view nameOf(PaperFigure::Kind kind);  // "curves", "points", ...

// Like parsePaperTables.
std::vector<PaperFigure> parsePaperFigures(std::string_view yaml, std::string_view source);

}  // namespace strata
