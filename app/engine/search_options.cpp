#include "app/engine/search_options.h"

#include <algorithm>

#include "core/base/error.h"

namespace strata {
namespace {

void addSamplingOptions(CLI::App& verb, SearchFlags& flags) {
  SamplingOptions& sampling = flags.sampling;
  auto* sample = verb.get_option("--sample");
  verb.add_option("--temperature", sampling.temperature,
                  "With --sample: temperature T, p^(1/T); below 1 prefers likely words")
      ->needs(sample);
  verb.add_option("--top-k", sampling.topK, "With --sample: draw only from the K most likely words")
      ->check(CLI::PositiveNumber)
      ->needs(sample);
  verb.add_option(
          "--top-p", sampling.topP,
          "With --sample, after --top-k: draw only from the smallest set of words with total "
          "probability P")
      ->needs(sample);
  verb.add_option("--seed", sampling.seed,
                  "Seed of --sample; a sentence's samples depend only on it and "
                  "on the sentence's number")
      ->capture_default_str()
      ->needs(sample);
}

}  // namespace

void addComputeOption(CLI::App& verb, std::string& compute) {
  verb.add_option(
          "--compute", compute,
          "float32; bf16: weights of products rounded to bfloat16, faster with few sentences "
          "at a time on a CPU with AVX-512; or int8: weights and inputs of products as whole "
          "numbers of 8 bits, fastest on a CPU with AVX-512 VNNI and slightly less exact")
      ->check(CLI::IsMember(computeNames()))
      ->capture_default_str();
}

CLI::Option* addShortlistOption(CLI::App& verb, std::vector<int>& numbers) {
  return verb
      .add_option("--shortlist", numbers,
                  "K or K,F: score only the K most likely translations of each source word of a "
                  "batch (50 is usual), by the dictionary of `data lexicon`, and the F most "
                  "frequent words (default: 1000); faster, but rare words may be missed")
      ->delimiter(',')
      ->expected(1, 2)
      ->check(CLI::NonNegativeNumber);
}

ShortlistOptions shortlistOptionsOf(const std::vector<int>& numbers) {
  ShortlistOptions options{.translations = numbers.at(0)};
  if (numbers.size() > 1) options.frequent = numbers[1];
  return options;
}

void addSearchOptions(CLI::App& verb, SearchFlags& flags) {
  auto* beam = verb.add_option("--beam", flags.request.beam,
                               "Beam size; 1 is greedy (default: the run's setting)")
                   ->check(CLI::Range(1, kLargestBeam));
  verb.add_option("--length-penalty", flags.lengthPenalty,
                  "none, mean, gnmt:A, power:A or marian:A,W (default: the run's setting)");
  verb.add_option("--max-length", flags.maxLength, "A,B: at most A x source + B tokens")
      ->delimiter(',')
      ->expected(2);
  verb.add_option("--min-length", flags.request.minimumLength,
                  "Minimum number of tokens, </s> included")
      ->check(CLI::PositiveNumber);
  verb.add_option("--nbest", flags.nbest, "Number of hypotheses, or samples, per sentence")
      ->check(CLI::Range(1, kLargestBeam));
  verb.add_option("--no-repeat", flags.request.noRepeat, "No n-gram of N tokens occurs twice")
      ->check(CLI::PositiveNumber);
  verb.add_option(
          "--unk-penalty", flags.request.unknownPenalty,
          "Penalty subtracted from the log-probability of each <unk> when ranking hypotheses")
      ->check(CLI::NonNegativeNumber);
  auto* diversity = verb.add_option("--diversity", flags.request.diversity,
                                    "Diversity penalty: the k-th best expansion of a hypothesis "
                                    "loses k x G in the ranking (Li, Monroe and Jurafsky 2016)")
                        ->check(CLI::NonNegativeNumber);
  verb.add_flag("--sample", flags.sample,
                "Sample from the model's distribution instead of searching")
      ->excludes(beam)
      ->excludes(diversity);
  verb.add_option("--too-long", flags.tooLong,
                  "A line with more tokens than the model has positions for: skip (an empty "
                  "translation), cut (its beginning is translated) or error; it is named")
      ->check(CLI::IsMember(tooLongNames()))
      ->capture_default_str();
  addComputeOption(verb, flags.compute);
  addSamplingOptions(verb, flags);
}

SearchRequest SearchFlags::asked() const {
  SearchRequest search = request;
  if (nbest > 0) search.nbest = nbest;
  if (!lengthPenalty.empty()) search.lengthPenalty = LengthRule::parse(lengthPenalty);
  if (!maxLength.empty()) search.maximumLength = {maxLength[0], maxLength[1]};
  if (sample) search.sampling = sampling;
  search.compute = computeNamed(compute);
  search.tooLong = tooLongNamed(tooLong);
  return search;
}

}  // namespace strata
