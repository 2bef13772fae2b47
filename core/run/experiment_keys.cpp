// The keys of an experiment, with defaults, ranges and help: one table per section.
#include "core/run/config.h"

namespace strata {
namespace {

using Type = ConfigKey::Type;

class KeyTable {
 public:
  explicit KeyTable(std::vector<ConfigKey>& keys) : keys_(keys) {}
  void section(std::string prefix) { prefix_ = std::move(prefix); }

  ConfigKey& add(const std::string& name, Type type, Json value, std::string help) {
    keys_.push_back({.path = prefix_ + name,
                     .type = type,
                     .defaultValue = std::move(value),
                     .help = std::move(help)});
    return keys_.back();
  }
  ConfigKey& integer(const std::string& name, std::int64_t value, std::int64_t minimum,
                     const std::string& unit, std::string help) {
    ConfigKey& key = add(name, Type::kInt, value, std::move(help));
    key.minimum = static_cast<double>(minimum);
    key.unit = unit;
    return key;
  }
  ConfigKey& number(const std::string& name, double value, double minimum, std::string help) {
    ConfigKey& key = add(name, Type::kNumber, value, std::move(help));
    key.minimum = minimum;
    return key;
  }
  // A rate, such as of dropout or smoothing: 0 <= value < 1.
  ConfigKey& share(const std::string& name, double value, std::string help) {
    ConfigKey& key = number(name, value, 0, std::move(help));
    key.maximum = 0.999999;
    return key;
  }
  ConfigKey& choice(const std::string& name, const std::string& value,
                    std::vector<std::string> choices, std::string help) {
    ConfigKey& key = add(name, Type::kChoice, value, std::move(help));
    key.choices = std::move(choices);
    return key;
  }
  ConfigKey& text(const std::string& name, const std::string& value, const std::string& format,
                  std::string help) {
    ConfigKey& key = add(name, Type::kString, value, std::move(help));
    key.format = format;
    return key;
  }
  ConfigKey& strings(const std::string& name, Json value, const std::string& format,
                     std::string help) {
    ConfigKey& key = add(name, Type::kStringList, std::move(value), std::move(help));
    key.format = format;
    return key;
  }

 private:
  std::vector<ConfigKey>& keys_;
  std::string prefix_;
};

void addBatchKeys(KeyTable& table, const std::string& prefix) {
  table.section(prefix + "batch.");
  table.choice(
      "unit", "tokens", {"tokens", "sentences"},
      "What size counts; tokens: sentences x the longest sentence of either side, with padding.");
  table.integer("size", 4096, 1, "tokens or sentences", "Maximum size of a batch.");
}

std::vector<ConfigKey> groupKeys() {
  std::vector<ConfigKey> keys;
  KeyTable table(keys);
  table.strings(
      "match", Json::array(), "",
      "Substrings of parameter names; a parameter belongs to the first group that matches.");
  table.number("lr", 0, 0, "Learning rate of the group, instead of the schedule's peak rate.");
  table.number("weight_decay", 0, 0, "Weight decay of the group.");
  return keys;
}

void addOptimizerKeys(KeyTable& table, const std::string& prefix) {
  table.section(prefix + "optimizer.");
  table.choice("name", "adam", {"adam", "nag"}, "The update rule.");
  table.number("lr", 5e-4, 0, "Peak learning rate; the noam schedule ignores it.");
  ConfigKey& betas = table.add("betas", Type::kNumberList, Json::array({0.9, 0.98}),
                               "Adam's decay rates of both moments.");
  betas.length = 2;
  betas.minimum = 0;
  betas.maximum = 0.9999999;
  ConfigKey& eps = table.number("eps", 1e-9, 0, "Adam's epsilon.");
  eps.exclusive = true;
  table.share("momentum", 0, "Momentum (nag).");
  table.number("weight_decay", 0, 0, "Weight decay; 0: off.");
  table.choice("decay_kind", "decoupled", {"decoupled", "coupled"},
               "decoupled: applied to the parameters (AdamW); coupled: added to the gradient.");
  table.strings("decay_skip", Json::array(), "",
                "Substrings of names of parameters without weight decay.");
  table
      .add("groups", Type::kList, Json::array(),
           "Parameter groups with their own learning rate or weight decay.")
      .items = groupKeys();
}

void addScheduleKeys(KeyTable& table, const std::string& prefix) {
  table.section(prefix + "schedule.");
  table.choice("name", "noam", {"constant", "inverse_sqrt", "noam", "plateau", "force_anneal"},
               "The learning-rate schedule.");
  table.integer("warmup", 16000, 1, "updates", "Warm-up updates (inverse_sqrt, noam).");
  table.number("init_lr", 0, 0, "Learning rate at the start of warm-up (inverse_sqrt).");
  table.integer("dim", 256, 1, "", "Model width in noam's factor dim^-1/2.");
  ConfigKey& shrink = table.number(
      "shrink", 10, 0, "plateau divides the learning rate by it, force_anneal multiplies by it.");
  shrink.exclusive = true;
  table.choice("mode", "each", {"each", "latch"},
               "plateau: shrink at each epoch without improvement (each), or at every epoch from "
               "the first such one (latch).");
  table.integer("min_epoch", 1, 1, "epochs", "plateau: first epoch that may shrink the rate.");
  table.integer("after", 0, 0, "epochs", "force_anneal: epoch at which shrinking starts.");
  table.text("metric", "valid/nll", "", "plateau: the series to watch.");
}

std::vector<ConfigKey> phaseKeys() {
  std::vector<ConfigKey> keys;
  KeyTable table(keys);
  table.integer("epochs", 0, 0, "epochs",
                "Length of the phase; 0 (last phase only): until a limit.");
  table.add("restart", Type::kBool, false,
            "Reset the optimizer's moments at the start of the phase.");
  addOptimizerKeys(table, "");
  addScheduleKeys(table, "");
  addBatchKeys(table, "");
  return keys;
}

void addTrainingKeys(KeyTable& table) {
  table.section("training.");
  table.text("device", "auto", "device", "Where to train: auto, cpu, cuda or cuda:N.").resumable =
      true;
  table.choice("precision", "auto", {"auto", "fp32", "bf16"},
               "Precision of matrix products; auto: bf16 on a GPU that supports it, else fp32.");
  table
      .add("deterministic", Type::kBool, false,
           "Use bit-reproducible GPU operators, which are slower; the CPU's always are.")
      .resumable = true;
  ConfigKey& threads = table.integer("threads", 0, 0, "threads", "CPU threads; 0: one per core.");
  threads.maximum = 4096;
  threads.resumable = true;
  table
      .integer("max_updates", 0, 0, "updates",
               "Training ends after this many updates; 0: no limit.")
      .resumable = true;
  table.integer("max_epochs", 0, 0, "epochs", "Training ends after this many epochs; 0: no limit.")
      .resumable = true;
  table
      .integer("stop_after_tokens", 0, 0, "target tokens",
               "Training ends after this many tokens; 0: no limit.")
      .resumable = true;
  ConfigKey& hours = table.number("max_hours", 0, 0, "Training ends after this time; 0: no limit.");
  hours.unit = "hours";
  hours.resumable = true;
  table.number("min_lr", 0, 0, "Training ends when the learning rate falls below it; 0: never.")
      .resumable = true;
  table.integer("log_every", 50, 1, "updates", "Updates between two points of a training series.");
  table.share("dropout", 0.1, "Dropout of embeddings and sublayer outputs.");
  table.share("attention_dropout", 0, "Dropout of attention weights.");
  table.share("activation_dropout", 0, "Dropout inside feed-forward networks.");
  table.choice("init", "default", {"default", "iwslt", "xavier"},
               "Parameter initialisation: the paper's, that of the public IWSLT recipe "
               "(transformer), or Xavier (deepatt, dhea).");
  table.text("from", "", "",
             "A run (NAME, NAME@best), checkpoint or model to take the initial parameters from.");
  table.share("ema", 0,
              "Decay of a moving average of the parameters, which is evaluated too; 0: none.");
  table.integer("accumulate", 1, 1, "batches", "Batches per update (gradient accumulation).");
  table.number("clip_norm", 0, 0, "Maximum norm of the gradient over all parameters; 0: off.");
  table.choice("on_nonfinite", "stop", {"stop", "skip", "rollback"},
               "What to do at a non-finite loss or gradient: end the run, skip the update, or "
               "return to the last checkpoint.");
  addBatchKeys(table, "training.");
  addOptimizerKeys(table, "training.");
  addScheduleKeys(table, "training.");
  table.section("training.");
  table
      .add("phases", Type::kList, Json::array(),
           "Training phases, one after another; keys that a phase omits are those of training.")
      .items = phaseKeys();
}

void addValidationKeys(KeyTable& table, std::vector<ConfigKey>& keys) {
  const std::size_t first = keys.size();
  table.section("validation.");
  table.integer("every_updates", 0, 0, "updates", "Updates between validations; 0: off.");
  table.integer("every_epochs", 1, 0, "epochs", "Epochs between validations; 0: off.");
  table.strings("sets", Json::array({"valid"}), "set-name",
                "Evaluation sets that early stopping, schedules and checkpoint selection may use.");
  table.strings(
      "monitor", Json::array({"train-sample:2000"}), "monitor",
      "Sets that are only plotted, test sets too: a name, or NAME:N for N of its sentences.");
  table.strings("metrics", Json::array({"nll", "perplexity", "token-error", "multi-bleu"}),
                "metric", "Metrics measured on each set.");
  table
      .integer("beam", 1, 1, "hypotheses",
               "Beam size of the translations that multi-bleu needs; 1: greedy.")
      .maximum = 100;
  table.integer("samples", 16, 0, "sentences",
                "Translations per set that are shown as they change.");
  for (std::size_t i = first; i < keys.size(); ++i) keys[i].resumable = true;
}

void addKeepingKeys(KeyTable& table, std::vector<ConfigKey>& keys) {
  table.section("early_stopping.");
  table.text("metric", "", "", "The series that must improve for training to go on; empty: off.");
  table.integer("patience", 0, 0, "validations",
                "Validations without improvement before training ends.");
  table.number("min_delta", 0, 0, "Minimum change that counts as improvement.");
  const std::size_t first = keys.size();
  table.section("checkpoint.");
  table.integer("every_updates", 0, 0, "updates", "Updates between checkpoints; 0: off.");
  table.integer("every_epochs", 1, 0, "epochs", "Epochs between checkpoints; 0: off.");
  table.number("every_minutes", 0, 0, "Time between checkpoints; 0: off.").unit = "minutes";
  table.integer("keep_last", 5, 1, "checkpoints", "Number of newest checkpoints to keep.");
  table.integer("keep_best", 1, 0, "checkpoints", "Number of best checkpoints to keep.");
  table.text("metric", "valid/nll", "", "The series that decides which checkpoint is best.");
  table.section("recording.");
  table.integer("sentences", 8, 0, "sentences",
                "Sentences whose internals are recorded at each validation; 0: off.");
  table.strings("names", Json::array(), "",
                "Names of internals, or 'prefix*'; empty: all that the model offers.");
  for (std::size_t i = first; i < keys.size(); ++i) keys[i].resumable = true;
}

void addDecodingKeys(KeyTable& table) {
  table.section("decoding.");
  table.integer("beam", 5, 1, "hypotheses", "Beam size.").maximum = 100;
  table.text("length_penalty", "mean", "length-rule",
             "How hypotheses are ranked: none, mean, gnmt:A, power:A or marian:A,W.");
  ConfigKey& length =
      table.add("max_length", Type::kNumberList, Json::array({1.2, 10}),
                "A, B: at most A x source length + B tokens, </s> counted on both sides.");
  length.length = 2;
  length.minimum = 0;
  table.integer("batch_sentences", 64, 1, "sentences", "Sentences per decoding batch.");
}

}  // namespace

std::vector<ConfigKey> experimentKeys() {
  std::vector<ConfigKey> keys;
  KeyTable table(keys);
  ConfigKey& seed = table.integer("seed", 1, 0, "", "Seed of all random numbers.");
  seed.maximum = 9007199254740992.0;  // what a JSON number can hold exactly
  table.section("data.");
  table.text("dataset", "", "", "Name of the prepared dataset.");
  table.integer("max_length", 100, 1, "tokens", "Longer training pairs are left out and counted.");
  table.add("bidirectional", Type::kBool, false,
            "Train on every pair in both directions; needs one joint vocabulary.");
  addTrainingKeys(table);
  table.section("criterion.");
  table.share("label_smoothing", 0, "Share of the probability that is spread over the vocabulary.");
  table.number(
      "r_drop", 0, 0,
      "R-Drop: weight of the divergence between two passes with different dropout; 0: off.");
  table.number("simcut.alpha", 0, 0,
               "SimCut: weight of the divergence from a pass with words cut out; 0: off.");
  table.share("simcut.p", 0.05, "SimCut: the probability that a word is cut.");
  addValidationKeys(table, keys);
  addKeepingKeys(table, keys);
  addDecodingKeys(table);
  return keys;
}

}  // namespace strata
