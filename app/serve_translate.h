#pragma once
#include <map>
#include <memory>
#include <string>

#include "app/serve_models.h"
#include "app/serve_server.h"

namespace strata {

// load, translate, step and force: requests to a trained model. MODEL stands for
// `run | model, checkpoint?`; WORDS for a text, which goes through the target side's pipeline, or a
// list of the model's own tokens. Params and results:
//   load       {MODEL}     -> {parameters, step?, family, recordings: [{name, kind, ...}]}
//   translate  {MODEL, text, beam?, nbest?, lengthPenalty?, maxLength?, noRepeat?,
//              unknownPenalty?, diversity?, record?, latest?}
//                          -> {tokens, hypotheses: [{text, tokens, score, logProbability,
//                             logProbabilities, recordings?}]}
//   force      {MODEL, text, prefix: WORDS, beam?, nbest?, ...}  as translate; every hypothesis
//              {MODEL, text, target: WORDS, record?, ...}        begins with the prefix, or is
//                                                                the target
//   step       {MODEL, text, prefix?: WORDS, topk?}
//                          -> {tokens, prefix, next: [{token, id, logProbability}]}
// Line ends in a text count as spaces. `tokens` are the model's input or output tokens, </s>
// included.
std::map<std::string, ServeMethod> translationMethods(std::shared_ptr<ServeModels> models);

}  // namespace strata
