#pragma once
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QVector>
#include <optional>

namespace strata::ui {

// What the window shows: runs, a point of their training, a sentence. The same type is a choice of
// the user, in which only the chosen fields have a value.
struct Selection {
  std::optional<QVector<qint64>> drawn = {};  // runs whose curves are drawn
  std::optional<qint64> run = {};             // the current one
  std::optional<QString> system = {};         // in the place of a run: an imported system's name
  std::optional<qint64> other = {};           // the run it is compared with; 0: none
  std::optional<qint64> step = {};            // of the run's recordings and checkpoints
  std::optional<QString> checkpoint = {};     // "best" or "last"
  std::optional<QString> testSet = {};        // id of stored translations' set
  std::optional<QString> sentence = {};       // source text
  std::optional<int> hypothesis = {};         // index in the n-best list of the sentence
  std::optional<int> word = {};               // index in the hypothesis

  bool operator==(const Selection&) const = default;

  // This selection after a choice. Another run has its own steps and hypotheses, another sentence
  // its own hypotheses and words, another hypothesis its own words: what the choice does not name
  // of these is unset. A step takes the place of a checkpoint; of both the checkpoint was chosen
  // last.
  Selection after(const Selection& choice) const;
};

// What can be chosen of a selection, as far as it is known.
struct SelectionChoices {
  QStringList sentences = {};   // source texts
  QStringList hypotheses = {};  // translations of the current sentence, best first
  QStringList words = {};       // of the current hypothesis
};

}  // namespace strata::ui

Q_DECLARE_METATYPE(strata::ui::Selection)
