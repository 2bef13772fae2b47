#!/usr/bin/env bash
# Files of sentences in every format, given to every verb that reads such files: what is read, what is refused by name.
# The table of docs/other-tools.md is gone through by sentences.py.
. "$(dirname "$0")/checks.bash"
in_workspace
bleu() { # ARGS...: BLEU of the first system
  value "$("$STRATA_RUN" --json --log-level error evaluate "$@")" systems 0 scores BLEU score | cut -c1-5
}

cat > ref.sgm <<'END'
<refset setid="news" srclang="any" trglang="en">
<doc docid="d1" genre="news" origlang="de" sysid="ref1">
<hl><seg id="1">one two three four</seg></hl>
<p><seg id="2">five &amp; six seven</seg></p>
</doc>
<doc docid="d2" sysid="ref1"><seg id="1">eight nine ten eleven</seg></doc>
</refset>
END
cat > tst.sgm <<'END'
<TSTSET setid="news" srclang="any" trglang="en">
<DOC docid="d2" sysid='sys'><SEG id=1>eight nine ten eleven</SEG></DOC>
<DOC docid="d1" sysid='sys'><SEG id="2">five &amp; six seven</SEG> <SEG id="1">one two three four</SEG></DOC>
</TSTSET>
END
sed 's/<SEG id="2">[^<]*<\/SEG>//' tst.sgm > short.sgm
sed 's/<SEG id="2"/<SEG id="1">again<\/SEG> <SEG id="2"/' tst.sgm > twice.sgm
printf 'one two three four\nfive & six seven\neight nine ten eleven\n' > ref.txt
cat > src.sgm <<'END'
<srcset setid="news" srclang="de">
<doc docid="d2"><seg id="1">acht</seg></doc><doc docid="d1"><seg id="1">eins</seg><seg id="2">vier</seg></doc>
</srcset>
END
cat > wmt.xml <<'END'
<?xml version='1.0' encoding='utf-8'?>
<dataset id="wmt22">
  <doc origlang="de" id="d1">
    <src lang="de"><p><seg id="1">eins zwei drei</seg><seg id="2">vier f&#252;nf</seg></p></src>
    <ref lang="en" translator="A"><p><seg id="1">one two three four</seg><seg id="2">five six seven eight</seg></p></ref>
    <ref lang="en" translator="B"><p><seg id="1">1 2 3 4</seg><seg id="2">5 6 7 8</seg></p></ref>
    <hyp lang="en" system="good"><p><seg id="2">five six seven eight</seg><seg id="1">one two three four</seg></p></hyp>
    <hyp lang="en" system="bad"><p><seg id="1">no</seg><seg id="2">no</seg></p></hyp>
  </doc>
</dataset>
END
cat > two.tmx <<'END'
<?xml version="1.0" encoding="utf-8"?>
<tmx version="1.4"><header srclang="de"/><body>
<tu><tuv xml:lang="de"><seg>eins zwei drei</seg></tuv><tuv xml:lang="en"><seg>one two <bpt i="1">&lt;b&gt;</bpt>three<ept i="1">&lt;/b&gt;</ept></seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>six seven</seg></tuv><tuv xml:lang="de"><seg>sechs sieben</seg></tuv></tu>
</body></tmx>
END

# Sets of SGML: the sentences, not the lines, and in the order of their names.
check 'sgml against sgml' 100.0 "$(bleu --reference ref.sgm --hypothesis tst.sgm)"
check 'sgml against lines' 100.0 "$(bleu --reference ref.txt --hypothesis ref.sgm)"
check 'lines against sgml' 100.0 "$(bleu --reference ref.sgm --hypothesis ref.txt)"
gzip -k ref.sgm
check 'compressed' 100.0 "$(bleu --reference ref.sgm.gz ref.txt --hypothesis tst.sgm)"
cp ref.sgm ref.en
check 'by its beginning' 100.0 "$(bleu --reference ref.en --hypothesis tst.sgm)"
check 'a pipe' 100.0 "$(bleu --reference <(cat ref.sgm) --hypothesis <(cat tst.sgm))"
holds 'the order is said' 'tst.sgm: put into the order of ref.sgm' \
  "$("$STRATA_RUN" evaluate --reference ref.sgm --hypothesis tst.sgm 2>&1)"
refused 1 'short.sgm lacks document d1, segment 2' evaluate --reference ref.sgm --hypothesis short.sgm
refused 1 'twice.sgm has twice document d1, segment 1' evaluate --reference ref.sgm --hypothesis twice.sgm
refused 1 'short.sgm has' evaluate --reference ref.txt --hypothesis short.sgm
refused 1 'has 3 lines and ref.sgm has 7' evaluate --reference ref.sgm --hypothesis ref.txt --format lines
check 'as lines' 100.0 "$(bleu --reference ref.sgm --hypothesis ref.sgm --format lines)"
json=$(run --json compare --reference ref.sgm --source src.sgm --system a=tst.sgm b=ref.txt)
check 'compare' 100.0 "$(value "$json" systems 0 scores BLEU score | cut -c1-5)"

# A plain corpus is one whatever its lines begin with.
printf '<b>one two three four</b>\n{"five": "six seven"}\n' > markup.txt
check 'plain text with tags' 100.0 "$(bleu --reference markup.txt --hypothesis markup.txt)"
check 'each of its lines' 2 "$(run evaluate --reference markup.txt --hypothesis markup.txt --sentence | wc -l)"

# WMT's XML: all references or the one that is named, one of several outputs.
check 'two references' 2 "$(value "$(run --json evaluate --reference wmt.xml --hypothesis wmt.xml --output-of good)" systems 0 scores BLEU signature | cut -d: -f2 | cut -d'|' -f1)"
check 'one of them' 100.0 "$(bleu --reference wmt.xml --translator A --hypothesis wmt.xml --output-of good)"
refused 2 'holds output good (en), output bad (en); name one with --output-of' evaluate --reference wmt.xml --hypothesis wmt.xml
refused 2 'there is no reference C; it holds reference A (en), reference B (en)' \
  evaluate --reference wmt.xml --translator C --hypothesis wmt.xml --output-of good
json=$(run --json compare --reference wmt.xml --translator A --system good=wmt.xml bad=wmt.xml --source wmt.xml)
check 'a system of its name' 100.0 "$(value "$json" systems 0 scores BLEU score | cut -c1-5)"
check 'another one of the same file' 0.0 "$(value "$json" systems 1 scores BLEU score | cut -c1-3)"

# Test sets and outputs of a workspace.
holds 'a set of SGML' 'news: 3 sentences, 1 references' "$(run systems import-set --name news --reference ref.sgm --source src.sgm)"
check 'the sentences' "$(cat ref.txt)" "$(cat "$STRATA_WORKSPACE/testsets/news/raw.target")"
check 'their sources' 'eins vier acht' "$(paste -sd' ' "$STRATA_WORKSPACE/testsets/news/raw.source")"
holds 'an output of SGML' 'sys: 3 translations of news, read as xml' "$(run systems import tst.sgm --name sys --set news)"
check 'in the order of the set' "$(cat ref.txt)" "$(cat "$STRATA_WORKSPACE/systems/sys/output.txt")"
refused 1 'short.sgm lacks document d1, segment 2' systems import short.sgm --name short --set news
check 'a file against the set' 100.0 "$(value "$(run --json compare --set news --system sys file=tst.sgm)" systems 1 scores BLEU score | cut -c1-5)"
holds 'references of two translators' 'wmt: 2 sentences, 2 references' "$(run systems import-set --name wmt --reference wmt.xml --source wmt.xml)"
check 'the second one' '1 2 3 4' "$(head -1 "$STRATA_WORKSPACE/testsets/wmt/raw.target.2")"
holds 'one of two outputs' 'good: 2 translations' "$(run systems import wmt.xml --name good --set wmt)"
holds 'the other one' 'other: 2 translations' "$(run systems import wmt.xml --name other --set wmt --output-of bad)"
check 'its text' 'no no' "$(paste -sd' ' "$STRATA_WORKSPACE/systems/other/output.txt")"
refused 2 'name one with --output-of' systems import wmt.xml --name third --set wmt
refused 2 'two.tmx: is a TMX file, which has several languages (de, en)' systems import-set --name t --reference two.tmx
holds 'a side of TMX' 't: 2 sentences' "$(run systems import-set --name t --reference two.tmx --target-language en)"
check 'its text' 'one two three' "$(head -1 "$STRATA_WORKSPACE/testsets/t/raw.target")"
holds 'as lines' 'l: 7 sentences' "$(run systems import-set --name l --reference ref.sgm --format lines)"

# Datasets: both sides of one file.
sides=(--source de --target en)
run data prepare --name both "${sides[@]}" --train two.tmx --valid valid=wmt.xml,wmt.xml --test test=src.sgm,ref.sgm > /dev/null || failed=1
sets=$STRATA_WORKSPACE/datasets/both/sets
check 'sources' 'eins zwei drei|vier fünf' "$(paste -sd'|' "$sets/valid/raw.source")"
check 'references' 'one two three four|five six seven eight' "$(paste -sd'|' "$sets/valid/raw.target")"
check 'more of them' '1 2 3 4|5 6 7 8' "$(paste -sd'|' "$sets/valid/raw.target.2")"
check 'paired by name' 'acht=eight nine ten eleven' "$(paste -d= "$sets/test/raw.source" "$sets/test/raw.target" | head -1)"
check 'pairs of TMX' 2 "$(value "$(run --json data show both)" train pairs)"
holds 'an output by a dataset`s names' 'tst: 3 translations' "$(run systems import tst.sgm --name tst --set both/test)"
check 'in its order' 'eight nine ten eleven' "$(head -1 "$STRATA_WORKSPACE/systems/tst/output.txt")"
json=$(run --json data preview --train two.tmx --valid valid=wmt.xml "${sides[@]}" --merges 10)
check 'a preview' 2 "$(value "$json" read)"
check 'of its set' 2 "$(value "$json" sets valid)"
json=$(run --json data preview two.tmx --merges 10)
check 'languages from the file' 'eins zwei drei' "$(value "$json" pairs 0 source)"
run data prepare --name turned --source en --target de --train two.tmx --valid valid=wmt.xml --translator A > /dev/null || failed=1
check 'the other direction' 'one two three four=eins zwei drei' \
  "$(paste -d= "$STRATA_WORKSPACE"/datasets/turned/sets/valid/raw.{source,target} | head -1)"
refused 2 'ref.sgm: is given for both sides and holds only reference' data prepare --name x "${sides[@]}" --train ref.sgm
refused 1 'short.sgm lacks document d1, segment 2' data prepare --name x "${sides[@]}" --train two.tmx --test test=src.sgm,short.sgm

# Lengths for links.
printf '0-0\n\n' > links
holds 'align' 'links' "$(run align --hypothesis links --gold links --source wmt.xml --target wmt.xml --translator A)"
refused 2 'name one with --translator' align --hypothesis links --gold links --source wmt.xml --target wmt.xml

python3 -B "$(dirname "$0")/sentences.py" "$STRATA_SOURCE/docs/other-tools.md" || failed=1
[ $failed = 0 ] && echo 'sentences hold'
exit $failed
