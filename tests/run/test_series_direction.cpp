// Which values of a series are better, as far as its name tells.
#include <QtTest>

#include "core/run/experiment.h"
#include "core/run/series_direction.h"
#include "tests/program.h"

using namespace strata;

class TestSeriesDirection : public QObject {
  Q_OBJECT
 private slots:
  void moreIsBetter() {
    for (const char* name : {"chrf",
                             "f1",
                             "Valid/BLEU-4",
                             "metrics-translate/approx_bleu_score",
                             "dev/comet",
                             "eval_bleu",
                             "accuracy",
                             "chrF++",
                             "chrF2",
                             "sacrebleu",
                             "wmt22-comet-da",
                             "BLEUScore",
                             "F1Score",
                             "f-score",
                             "macro_f1",
                             "rouge/rougeL",
                             "eval/bleurt",
                             "BERTScore",
                             "val_acc",
                             "testAccuracy",
                             "bleu/valid",
                             "exact_match",
                             "neg_loss",
                             "NDCG@10",
                             "R2",
                             "bleu_loss/acc",
                             "log_likelihood",
                             "epoch_accuracy",
                             "valid/multi-bleu",
                             "valid/token-accuracy"})
      QVERIFY2(directionOf(name) == SeriesDirection::kHigher, name);
  }

  void lessIsBetter() {
    for (const char* name : {"loss",
                             "Loss",
                             "valid/nll",
                             "ppl",
                             "Perplexity",
                             "valLoss",
                             "val_loss",
                             "validloss",
                             "train_loss_epoch",
                             "loss/train",
                             "token-error",
                             "WER",
                             "dev/ter",
                             "word_error_rate",
                             "bleu_loss",
                             "cross_entropy",
                             "CrossEntropy",
                             "valid/ce-mean",
                             "rmse",
                             "metricx",
                             "fairseq/valid/best_loss",
                             "joeynmt/train/batch_loss",
                             "negative_log_likelihood",
                             "neg_bleu",
                             "accuracy/loss",
                             "bpb",
                             "aer"})
      QVERIFY2(directionOf(name) == SeriesDirection::kLower, name);
  }

  void nobodyKnows() {
    for (const char* name :
         {"", "/", "lr", "learning_rate", "fairseq/train/loss_scale", "bleu_time", "valid/bleu/bp",
          "score", "reads", "glossary", "value", "grad_norm/all", "train/tokens_per_second", "wps",
          "epoch", "filter", "trainer", "MQM", "attention/entropy"})
      QVERIFY2(directionOf(name) == SeriesDirection::kUnknown, name);
  }

  // What training steers by has a direction in any case.
  void trainedSeriesKeepTheirs() {
    for (const char* name : {"valid/multi-bleu", "valid/ema-multi-bleu", "valid/bleu"})
      QVERIFY2(higherIsBetter(name), name);
    for (const char* name :
         {"valid/nll", "valid/perplexity", "valid/token-error", "train/loss", "valid/unheard-of"})
      QVERIFY2(!higherIsBetter(name), name);
  }

  void contradictionsAreUnknown() {
    QCOMPARE(agreed(SeriesDirection::kHigher, SeriesDirection::kUnknown), SeriesDirection::kHigher);
    QCOMPARE(agreed(SeriesDirection::kUnknown, SeriesDirection::kLower), SeriesDirection::kLower);
    QCOMPARE(agreed(SeriesDirection::kLower, SeriesDirection::kLower), SeriesDirection::kLower);
    QCOMPARE(agreed(SeriesDirection::kLower, SeriesDirection::kHigher), SeriesDirection::kUnknown);
  }
};

STRATA_APPLESS_TEST(TestSeriesDirection)
#include "test_series_direction.moc"
