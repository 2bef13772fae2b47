#!/usr/bin/env bash
# Text without spaces between words, and Turkish: from files to translations, as a user does it.
. "$(dirname "$0")/checks.bash"
export STRATA_WORKSPACE=$work/workspace
run() { "$STRATA_RUN" --log-level warning "$@"; }

# 1. The filters.
check 'Chinese words' '老师 喜欢 音乐 。 OK' "$(echo '老师喜欢音乐。OK' | run text tokenize --tokenizer icu --language zh)"
check 'text of Chinese words' '我在北京工作。New York' \
  "$(echo '我 在 北京 工作 。 New York' | run text detokenize --tokenizer icu --language zh)"
check 'Moses is the default' 'a &amp; b' "$(echo 'a & b' | run text tokenize)"
run text tokenize --tokenizer icu <<<'我' >out 2>err; check 'a language is needed' 2 $?
holds 'a language is needed' 'en is not the code of a language that is written without spaces' "$(cat err)"
check 'Turkish in lower case' 'ığdır istanbul ışık' "$(echo 'IĞDIR İstanbul IŞIK' | run text lowercase --language tr)"
check 'Moses in lower case' 'iğdir işik' "$(echo 'IĞDIR IŞIK' | run text lowercase)"
check 'Turkish starts of sentences' 'İyi . Işık' "$(echo 'iyi . ışık' | run text detruecase --language tr)"

# 2. Previews: a warning only if words are not split.
python3 - <<'PYTHON'
import itertools
who = [("我", "I"), ("他", "he"), ("老师", "the teacher"), ("学生", "the student"), ("医生", "the doctor")]
does = [("喜欢", "like"), ("看见", "see"), ("知道", "know")]
what = [("北京", "Beijing"), ("苹果", "apples"), ("音乐", "music"), ("iPhone", "the iPhone"), ("2023年", "2023")]
pairs = [(a + b + c + "。", f"{d} {e} {f}.") for (a, d), (b, e), (c, f) in itertools.product(who, does, what)]
for name, part in (("train", pairs * 4), ("valid", pairs[::9])):
    for side, language in enumerate(("zh", "en")):
        with open(f"{name}.{language}", "w") as file:
            file.writelines(pair[side] + "\n" for pair in part)
PYTHON
files='train.zh train.en valid.zh valid.en'
for tokenizer in none moses; do
  holds "a preview with $tokenizer" 'warning: source (zh) of train, valid: text of a script without spaces' \
    "$(run data preview $files --merges 10 --tokenizer $tokenizer)"
done
check 'a preview with icu' '' "$(run data preview $files --merges 10 --tokenizer icu | grep warning)"
check 'the warning in JSON' 1 "$(run --json data preview $files --merges 10 | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["warnings"]))')"
mkdir split
for name in train valid; do
  run text tokenize --tokenizer icu --language zh <$name.zh >split/$name.zh
  cp $name.en split/
done
check 'a preview of split text' '' "$(cd split && run data preview $files --merges 10 | grep warning)"
run data preview train.en train.zh --source en --target de --tokenizer icu >out 2>err; check 'icu without such a language' 2 $?
holds 'icu without such a language' 'neither en nor de is the code of one' "$(cat err)"

# 3. Prepared in both directions, trained by two presets of the programs, and translated.
for pair in 'zh en' 'en zh'; do
  set -- $pair
  run --json data prepare --name $1-$2 --source $1 --target $2 --train train.$1,train.$2 --valid valid=valid.$1,valid.$2 --tokenizer icu \
    >$1-$2.json 2>err || { cat err; exit 1; }
  check "no warning of $1-$2" '' "$(grep 'without spaces' err)"
  run train --preset mlrf/both-fnn-sa4 --data $1-$2 --name $1-$2 --set model.embed_dim=32 --set model.ffn_dim=48 --set model.fusion_attn_dim=16 \
    --set model.fusion_ffn_dim=24 --set training.max_updates=150 --set training.optimizer.lr=5e-3 --set validation.every_epochs=0 \
    --set training.threads=1 --set training.device=cpu >log 2>&1 || { cat log; exit 1; }
done
holds 'the version of ICU' 'ICU ' "$(value "$(cat zh-en.json)" pipeline source segmenter)"
check 'the other side' moses "$(value "$(cat zh-en.json)" pipeline target tokenizer)"
printf '%s\n' '老师喜欢音乐。' '老师 喜欢 音乐 。' '学生喜欢音乐。' | run --json translate --run zh-en@last --threads 1 --beam 2 >out 2>err || { cat err; exit 1; }
scored() { value "$(cat out)" translations $1 hypotheses 0 logProbability; }
check "a user's sentence is split as the words are" "$(scored 1)" "$(scored 0)"
check 'other words have another score' yes "$([ "$(scored 0)" != "$(scored 2)" ] && echo yes)"
run translate --run en-zh@last --threads 1 --input valid.en --output out 2>err || { cat err; exit 1; }
check 'one line each' "$(wc -l <valid.en)" "$(wc -l <out)"
python3 - <<'PYTHON' || failed=1
import re
lines = open("out", encoding="utf-8").read().splitlines()
assert any(re.search("[\u4e00-\u9fff]{2}", line) for line in lines), lines
assert not any(re.search("[\u3000-\u9fff] | [\u3000-\u9fff]", line) for line in lines), lines
PYTHON
run evaluate --hypothesis out --reference valid.zh --metric bleu --tokenize zh >score 2>err || { cat err; exit 1; }
holds 'BLEU of Chinese' 'tok:zh' "$(cat score)"

# 4. A dataset split by another ICU is used, with a warning.
sed -i 's/segmenter: ICU .*/segmenter: ICU 1.2/' "$STRATA_WORKSPACE"/runs/*-zh-en/text/pipeline.yaml
rm -f "$STRATA_WORKSPACE"/runs/*-zh-en/text/pipeline.digest
echo '我' | run translate --run zh-en@last --threads 1 >out 2>err || { cat err; exit 1; }
holds 'another ICU' 'text was split into words by ICU 1.2, but here by ICU' "$(cat err)"

# 5. The recipe on the public corpus, where it is at hand.
if [ -d "${STRATA_SHARED:-}/data/zhen-captions" ]; then
  run --json data prepare zhen-captions --from "$STRATA_SHARED/data/zhen-captions" >captions.json 2>err || { cat err; exit 1; }
  check 'the captions' '23931 1000' "$(value "$(cat captions.json)" train pairs) $(value "$(cat captions.json)" sets test sentences)"
fi
[ $failed = 0 ] && echo ok
exit $failed
