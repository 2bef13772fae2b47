"""Translations of evaluation sets: outputs of runs, and imported ones of other toolkits, with their scores."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .errors import Error
from .files import digest_of, member, read_json, read_lines, unreadable
from .runs import Run
from .yaml_subset import read_yaml


@dataclass(frozen=True)
class Score:
    """A score of a translation."""

    metric: str  # "BLEU", "COMET Unbabel/wmt22-comet-da"
    score: float
    signature: str  # what the score depends on; empty if another program made it
    imported: bool = False


class _Imported(NamedTuple):
    metric: str
    values: np.ndarray


@dataclass(frozen=True)
class System:
    """One translation of an evaluation set."""

    id: str  # "run-12/test.step-00003604.beam5.mean", or the name of an imported one
    test_set: str  # "multi30k-deen/test"; of a run, "" if its dataset is no longer there
    sentences: int
    created: float  # seconds since the Unix epoch
    run: Optional[Run]  # None: imported
    checkpoint: str
    decode: str
    seconds: float  # of decoding; NaN if imported
    settings: Dict[str, Any]  # of decoding
    format: str  # of the imported file
    file: str  # its name
    stem: Path  # with .txt and .tokens added, the files
    scores: Tuple[Score, ...] = ()
    problems: Tuple[str, ...] = field(default=(), repr=False)  # scores that cannot be read
    digests: Dict[str, str] = field(default_factory=dict, repr=False)  # of the files, by what follows the stem

    def text(self) -> List[str]:
        """The sentences as plain text."""
        return self._lines(".txt")

    def tokens(self) -> List[str]:
        """The sentences as words between single spaces, which multi-bleu scores."""
        return self._lines(".tokens")

    def _lines(self, end: str) -> List[str]:
        return read_lines(Path(f"{self.stem}{end}"), self.sentences, self.digests.get(end, ""))

    def sentence_scores(self, metric: str) -> np.ndarray:
        """Imported scores, one for each sentence; NaN where there is none."""
        imported, _ = _imported(self.stem, self.sentences)
        for each in imported:
            if metric.lower() in (each.metric.lower(), each.metric.split(" ")[0].lower()):
                return each.values
        known = ", ".join(each.metric for each in imported) or "none"
        raise Error(f"{self.id} has no imported scores of '{metric}'; it has: {known}")


def list_systems(root: Path, runs: Sequence[Run]) -> Tuple[List[System], List[str]]:
    """Those of runs by id, then the imported ones by name; also what is wrong with damaged ones, which are left out."""
    systems: List[System] = []
    problems: List[str] = []
    sets: Optional[Dict[Tuple[str, str], List[str]]] = None
    for run in runs:
        for file in sorted((run.folder / "outputs").glob("*.json")):
            sets = _sets_by_digest(root, problems) if sets is None else sets
            try:
                systems.append(_output(run, file, sets))
            except Error as error:
                problems.append(str(error))
    for file in sorted((root / "systems").glob("*/system.json")):
        try:
            systems.append(_import(file))
        except Error as error:
            problems.append(str(error))
    for system in systems:
        problems.extend(system.problems)
    return systems, problems


def _output(run: Run, file: Path, sets: Dict[Tuple[str, str], List[str]]) -> System:
    document = read_json(file)
    names = [member(document, key, str, file) for key in ("set", "checkpoint", "decode")]
    stem = file.with_name(".".join(names))
    if file.name != stem.name + ".json":
        raise Error(f"{file} is the manifest of {stem.name}: it was renamed by hand")
    sentences = member(document, "sentences", int, file)
    digest = member(member(document, "digests", dict, file), "dataset", str, file)
    imported, problems = _imported(stem, sentences)
    return System(
        id=f"run-{run.id}/{stem.name}",
        test_set=_set_of(sets.get((digest, names[0]), []), run.dataset),
        sentences=sentences,
        created=_modified(file),
        run=run,
        checkpoint=names[1],
        decode=names[2],
        seconds=float(member(document, "seconds", (int, float), file)),
        settings=member(document, "settings", dict, file),
        format="",
        file="",
        stem=stem,
        scores=tuple(_own_scores(member(document, "scores", dict, file), file)) + _means(imported),
        problems=tuple(problems),
        digests={".txt": member(document, "text", str, file), ".tokens": member(document, "tokens", str, file)},
    )


def _modified(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError as error:
        raise unreadable(file, error) from error


def _own_scores(scores: Dict[str, Any], file: Path) -> Iterator[Score]:
    for metric, entry in scores.items():
        if not isinstance(entry, dict):
            raise Error(f"{file} is damaged: its score '{metric}' is not an object")
        yield Score(metric, float(member(entry, "score", (int, float), file)), str(entry.get("signature", "")))


def _import(file: Path) -> System:
    document = read_json(file)
    if document.get("format") != "strata-system" or document.get("format_version") != 1:
        raise Error(f"{file} is not a system that this package reads")
    stem = file.with_name("output")
    sentences = member(document, "sentences", int, file)
    files = member(document, "files", dict, file)
    imported, problems = _imported(stem, sentences)
    return System(
        id=file.parent.name,
        test_set=member(document, "test_set", str, file),
        sentences=sentences,
        created=float(member(document, "created", (int, float), file)),
        run=None,
        checkpoint="",
        decode="",
        seconds=math.nan,
        settings={},
        format=member(document, "source_format", str, file),
        file=member(document, "file", str, file),
        stem=stem,
        scores=_means(imported),
        problems=tuple(problems),
        digests={
            end: member(member(files, "output" + end, dict, file), "digest", str, file)
            for end in (".txt", ".tokens") if "output" + end in files
        },
    )


def _means(imported: Sequence[_Imported]) -> Tuple[Score, ...]:
    """The score of a text is the mean of the sentences that have one."""
    scores = []
    for metric, values in imported:
        known = values[~np.isnan(values)]
        scores.append(Score(metric, float(known.mean()) if len(known) else math.nan, "", imported=True))
    return tuple(scores)


def _imported(stem: Path, sentences: int) -> Tuple[List[_Imported], List[str]]:
    """The lists that `systems scores import` stored next to a text: STEM.KEY.metric, a line of JSON, then numbers."""
    found: List[_Imported] = []
    problems: List[str] = []
    names = sorted(path.name for path in stem.parent.iterdir()) if stem.parent.is_dir() else []
    for name in names:
        key = name[len(stem.name) + 1 : -len(".metric")]
        if not name.startswith(stem.name + ".") or not name.endswith(".metric") or "." in key:
            continue
        try:
            found.append(_scores_file(stem.with_name(name), sentences))
        except Error as error:
            problems.append(str(error))
    return sorted(found, key=lambda each: each.metric), problems


def _scores_file(path: Path, sentences: int) -> _Imported:
    lines = read_lines(path, sentences + 1)
    try:
        head = json.loads(lines[0])
        values = np.array([float(line) for line in lines[1:]])
        _check_scores(path, head, lines)
        if head["format"] != "strata-scores" or head["format_version"] != 1:
            raise Error(f"{path} is not a file of scores that this package reads")
        return _Imported(f"{head['metric']} {head['model']}".rstrip(" "), values)
    except (ValueError, KeyError, TypeError) as error:
        raise Error(f"{path} is damaged ({error}): import the scores again") from error


def _check_scores(path: Path, head: Dict[str, Any], lines: Sequence[str]) -> None:
    """The digest in the head is of all of the file but itself."""
    digest = head.get("digest")
    unsigned = lines[0].replace(f',"digest":"{digest}"', "", 1)  # its last key
    rest = unsigned + "\n" + "".join(f"{line}\n" for line in lines[1:])
    if digest_of(rest.encode("utf-8")) != digest:
        raise Error(f"{path}: its content has changed since it was stored; import the scores again")


def _sets_by_digest(root: Path, problems: List[str]) -> Dict[Tuple[str, str], List[str]]:
    """The evaluation sets of every version of every dataset, by the version's digest and the set's name."""
    sets: Dict[Tuple[str, str], List[str]] = {}
    manifests = sorted((root / "datasets").glob("*/manifest.yaml"), key=lambda file: ("@" in str(file), file))
    for file in manifests:
        try:
            manifest = read_yaml(file)
            for name in manifest["sets"]:
                sets.setdefault((str(manifest["digest"]), name), []).append(f"{file.parent.name}/{name}")
        except (Error, KeyError, TypeError) as error:
            problems.append(str(error) if isinstance(error, Error) else f"{file} is damaged: it has no {error}")
    return sets


def _set_of(candidates: Sequence[str], dataset: str) -> str:
    """The same content may have several names: that of the run's dataset, if it is one of them."""
    name = dataset.partition("@")[0]
    own = [each for each in candidates if each.partition("/")[0].partition("@")[0] == name]
    return (own or list(candidates) or [""])[0]
