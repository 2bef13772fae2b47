#pragma once
#include <map>
#include <optional>
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
  std::optional<VocabularySizes> vocabulary;  // if it differs from the figure's
};

// A point of a series. A series of curves, bins or recordings has one, which gives its source.
struct PaperPoint {
  double x = 0;
  PaperRow source;
  std::map<std::string, PrintedNumber> printed;  // by panel
};

struct PaperSeries {
  std::string name;
  std::vector<PaperPoint> points;
  std::string scalar;   // curves: the scalar drawn
  bool dashed = false;  // curves: drawn dashed
  bool level = false;   // points: drawn as a horizontal line across the chart
};

// One column of a table of properties: what is counted in the network of each series' preset, next
// to what the paper states. One of `parameters`, `into` and `setting` is given.
struct PaperCount {
  std::string title;
  std::string parameters;  // those of the part with this name
  std::string into, from;  // connections into the part with this name, of parts named FROM...
  std::string setting;     // a number of the model's configuration: "decoder_fusion.hops"
  // Of a setting: the key and value by which a model uses it, "decoder_fusion.type", "sa".
  std::string where, is;
};

struct PaperFigure {
  enum class Kind {
    kCurves,        // scalars over training
    kPoints,        // scores, parameter counts or speeds over a number
    kLengths,       // score by bins of the source length
    kGradients,     // gradient norms by layer
    kStructure,     // drawings of the models
    kProperties,    // a table of what the models can do
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
  int sentences = 1;            // recordings: of the first so many sentences of the panel's set
  std::vector<PaperPanel> panels;
  std::vector<PaperSeries> series;
  std::vector<std::string> notes;
  std::vector<PaperCount> counted;  // properties

  // Shows the models themselves: nothing is trained or scored for it, and there are no panels.
  bool describesModels() const { return kind == Kind::kStructure || kind == Kind::kProperties; }
  // As PaperTable::vocabularyOf: of the point, the panel or the figure.
  const VocabularySizes& vocabularyOf(const PaperPoint& point, const PaperPanel& panel) const;
  std::vector<std::string> presets() const;
  bool isPrinted() const;  // the paper prints numbers of some points
  // Curves: the series that every run must have measured, each once.
  std::vector<std::string> drawnSeries() const;
  bool drawsRecordings() const { return kind >= Kind::kHopMap; }
};
std::string_view nameOf(PaperFigure::Kind kind);  // "curves", "points", ...

// Like parsePaperTables.
std::vector<PaperFigure> parsePaperFigures(std::string_view yaml, std::string_view source);

}  // namespace strata
