#pragma once
#include <string_view>

namespace strata {

// Which values of a series are better.
enum class SeriesDirection { kUnknown, kLower, kHigher };

// What the name of a series, of any tool and in any case, tells: "Valid/BLEU-4", "eval_f1" and
// "approx_bleu_score" are of a measure of which more is better, "valLoss" and "dev/wer" of one of
// which less is. Of several measures in a name the last counts ("bleu_loss": lower). What only
// belongs to a measure ("bleu_time", "loss_scale") and what names none has no direction.
SeriesDirection directionOf(std::string_view series);

// What two runs say of the same series: unknown if they contradict each other.
SeriesDirection agreed(SeriesDirection one, SeriesDirection other);

}  // namespace strata
