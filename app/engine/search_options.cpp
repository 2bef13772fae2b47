#include "app/engine/search_options.h"

#include <algorithm>

#include "core/base/error.h"

namespace strata {
namespace {

void addSamplingOptions(CLI::App& verb, SearchFlags& flags) {
  SamplingOptions& sampling = flags.sampling;
  auto* sample = verb.get_option("--sample");
  verb.add_option("--temperature", sampling.temperature,
                  "Of --sample: p^(1/T), below 1 prefers likely words")
      ->needs(sample);
  verb.add_option("--top-k", sampling.topK, "Of --sample: only the K likeliest words")
      ->check(CLI::PositiveNumber)
      ->needs(sample);
  verb.add_option("--top-p", sampling.topP,
                  "Of --sample, after --top-k: only the fewest words with P of the probability")
      ->needs(sample);
  verb.add_option("--seed", sampling.seed,
                  "Of --sample; a sentence's samples depend on it and on "
                  "the sentence's number only")
      ->capture_default_str()
      ->needs(sample);
}

}  // namespace

void addSearchOptions(CLI::App& verb, SearchFlags& flags) {
  auto* beam =
      verb.add_option("--beam", flags.beam, "Hypotheses kept; 1 is greedy (default: the run's)")
          ->check(CLI::Range(1, kLargestBeam));
  verb.add_option("--length-penalty", flags.lengthPenalty,
                  "none, mean, gnmt:A, power:A or marian:A,W (default: the run's)");
  verb.add_option("--max-length", flags.maxLength, "A,B: at most A x source + B tokens")
      ->delimiter(',')
      ->expected(2);
  verb.add_option("--min-length", flags.request.minimumLength,
                  "At least so many tokens, </s> included")
      ->check(CLI::PositiveNumber);
  verb.add_option("--nbest", flags.request.nbest, "Best hypotheses, or samples, of each sentence")
      ->check(CLI::Range(1, kLargestBeam));
  verb.add_option("--no-repeat", flags.request.noRepeat, "No n-gram of N tokens comes twice")
      ->check(CLI::PositiveNumber);
  verb.add_option("--unk-penalty", flags.request.unknownPenalty,
                  "Taken off the log-probability of each <unk> when hypotheses are compared")
      ->check(CLI::NonNegativeNumber);
  auto* diversity = verb.add_option("--diversity", flags.request.diversity,
                                    "The k-th way on from a hypothesis counts k x G less in the "
                                    "choice among all (Li, Monroe and Jurafsky 2016)")
                        ->check(CLI::NonNegativeNumber);
  verb.add_flag("--sample", flags.sample, "Draw words by their probability instead of searching")
      ->excludes(beam)
      ->excludes(diversity);
  addSamplingOptions(verb, flags);
}

SearchRequest SearchFlags::asked() const {
  SearchRequest search = request;
  if (beam > 0) search.beam = beam;
  if (!lengthPenalty.empty()) search.lengthPenalty = LengthRule::parse(lengthPenalty);
  if (!maxLength.empty()) search.maximumLength = {maxLength[0], maxLength[1]};
  if (sample) search.sampling = sampling;
  return search;
}

}  // namespace strata
