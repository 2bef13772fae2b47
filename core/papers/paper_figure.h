#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/papers/paper_table.h"

namespace strata {

// One chart of a figure: what is drawn for every series.
struct PaperPanel {
  std::string key, title, yTitle;
  std::string dataset;  // recipe
  std::string set;      // evaluation set that scores, lengths or curves are of; may be empty
  // score, parameters, tokens_per_second (training), words_per_second (decoding)
  std::string measure = "score";
  std::string modules;  // gradients: what stands in front of a layer's number, "decoder.layers."
};

// A point of a series; a series of curves, bins or recordings has one, which says what it is of.
struct PaperPoint {
  double x = 0;
  PaperRow source;
  std::map<std::string, double> printed;  // by panel
};

struct PaperSeries {
  std::string name;
  std::vector<PaperPoint> points;
  std::string scalar;   // curves: what is drawn
  bool dashed = false;  // curves: a second kind of line
  bool level = false;   // points: drawn as a level across the chart
};

struct PaperFigure {
  enum class Kind {
    kCurves,        // scalars over training
    kPoints,        // scores, counts or speeds over a number
    kLengths,       // score by bins of the source length
    kGradients,     // gradient norms by layer
    kHopMap,        // level weights of one sentence, a panel a hop
    kHopClasses,    // mean level weights by class of the word read
    kHistoryArcs,   // the most and second most attended earlier words
    kSourceShares,  // share of the source context by position, class and layer
  };
  std::string id, title;
  Kind kind = Kind::kCurves;
  VocabularySizes vocabulary;
  PaperScorer scorer;
  std::string xTitle;
  std::string xScalar;          // curves: the series whose value is x; empty: the update
  bool xParameters = false;     // points: x is the number of parameters, in millions
  bool accuracy = false;        // curves: 100 (1 - y) is drawn
  bool cutAtAnnealing = false;  // curves end where the rate first falls
  bool markAnnealing = false;   // that place is marked
  std::vector<double> edges;    // lengths: upper ends of the bins, inclusive
  std::string recording;        // recordings: "decoder.fusion.hop_weights", "*" for a layer
  std::vector<PaperPanel> panels;
  std::vector<PaperSeries> series;
  std::vector<std::string> notes;

  std::vector<std::string> presets() const;
};
std::string_view nameOf(PaperFigure::Kind kind);  // "curves", "points", ...

// As parsePaperTables.
std::vector<PaperFigure> parsePaperFigures(std::string_view yaml, std::string_view source);

}  // namespace strata
