"""Files of whole responses: RAG, BioGen, iKAT and RAGTIME submissions.

One reader takes plain texts and the forms of TREC RAG (2024 to 2026), BioGen and iKAT, NeuCLIR's and RAGTIME's
reports, LongEval and Auto-Judge. They differ in names, in where ids stand, and in how a citation names a passage.

    {"team_id": ..., "run_name": ..., "results": [{"topic_id": ..., "answer": "... [123, 456].", "references": [...]}]}
    {"run_name": ..., "turns": [{"turn_id": ..., "responses": [{"rank": 1, "text": ..., "passage_provenance": [...]}]}]}

Sources: https://dmice.ohsu.edu/trec-biogen/submission_format.html (TREC BioGen; the first three citations of a bracket
count); guidelines of TREC iKAT 2023 and 2024, of whose responses the first of a turn is the system's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from exam_core.errors import Problems, visible
from exam_core.formats.banks.rows import beyond, present
from exam_core.formats.corpus_files import with_title
from exam_core.formats.delimited import DOC_ID, columns_of
from exam_core.formats.extra import TooDeep, encode_extra
from exam_core.formats.format import Format, Kind, Opening
from exam_core.formats.json_lines import BadLine, decode_object, objects, reporting
from exam_core.formats.reading import fault_of_id, refuse_several_runs
from exam_core.formats.records import is_of_batch
from exam_core.progress import Progress, no_progress

_CITED = re.compile(r"\s*\[(\d+(?:\s*,\s*\d+)*)\]")
_ENDS = re.compile(r"(?<=[.!?])\s+(?=\W*[A-Z0-9])")
_MOST_CITED = 3


def responses_in(fields: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the responses of a submission, or the object itself where it is one response.

    Raises BadLine where a part is no response.
    """
    run, listed = fields.get("run_name"), next((fields[name] for name in ("results", "turns") if name in fields), None)
    if not isinstance(listed, list):
        yield dict(fields)
        return
    for entry in listed:
        if not isinstance(entry, dict):
            raise BadLine("a list of other things than responses")
        response = _of_turn(entry) if "turn_id" in entry else {**entry, "answer": _with_citations(entry.get("answer"))}
        yield {"run_id": run, **response}


def _with_citations(answer: Any) -> Any:
    """Return the sentences of an answer, each with the ids in its brackets; anything but a text as it is."""
    if not isinstance(answer, str):
        return answer
    return [
        {
            "text": _CITED.sub("", part).strip(),
            "citations": re.findall(r"\d+", " ".join(_CITED.findall(part)))[:_MOST_CITED],
        }
        for part in _ENDS.split(answer)
    ]


def _of_turn(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Return the response of a turn, which cites the passages of its provenance."""
    try:
        first = min(turn["responses"], key=lambda response: response.get("rank", 1))
        passages = first.get("passage_provenance") or []
        citations = [{"id": passage["id"], "score": passage.get("score")} for passage in passages]
        documents = [{"id": passage["id"], "text": passage["text"]} for passage in passages if passage.get("text")]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadLine(f"turn {turn.get('turn_id')} has no response", cause="a turn without response") from None
    answer = [{"text": first.get("text") or "", "citations": citations}]
    return {"query_id": turn["turn_id"], "answer": answer, "documents": documents}


QUERIES = ("query_id", "topic_id", "narrative_id", "request_id", "qid")
RUN, TEAM = "run_id", "team_id"
"""Whose response it is: the team only where no run is named."""
ASKED, TITLE = ("query_text", "topic", "narrative", "query", "question"), "title"
"""The query's text; a title is one in `metadata` alone."""
WRITTEN = ("answer", "responses", "sentences", "report", "response", "text")
"""The response: its sentences, or a text."""
CITED = ("doc_id", "docid", "id", "_id")
SCORES = ("score", "confidence")
TEXTS = ("text", "contents", "segment")
"""Fields that are read, each by all names that files have for it; ids may also be in `metadata`."""
Id = str | int


class _Named(msgspec.Struct, kw_only=True):
    """The id of a passage, and its score."""

    doc_id: Id | None = None
    docid: Id | None = None
    id: Id | None = None
    under: Id | None = msgspec.field(default=None, name="_id")
    score: float | None = None
    confidence: float | None = None


class _CitedDocument(_Named, kw_only=True):
    text: str | None = None
    contents: str | None = None
    segment: str | None = None


class _ResponseSentence(msgspec.Struct):
    text: str
    citations: list[int | str | _Named] | dict[str, float | None] | None = None


class _ResponseAbout(msgspec.Struct, kw_only=True):
    """The ids of a response."""

    query_id: Id | None = None
    topic_id: Id | None = None
    narrative_id: Id | None = None
    request_id: Id | None = None
    qid: Id | None = None
    run_id: Id | None = None
    team_id: Id | None = None


_Written = str | list[str | _ResponseSentence] | None


class _ResponseLine(_ResponseAbout, kw_only=True):
    metadata: _ResponseAbout | None = None
    answer: _Written = None
    responses: _Written = None
    sentences: _Written = None
    report: _Written = None
    response: _Written = None
    text: _Written = None
    references: list[Id | _Named] | None = None
    documents: dict[str, str | _CitedDocument] | list[_CitedDocument] | None = None


@dataclass(frozen=True)
class Sentence:
    """A sentence of a response, as its system parted them.

    `citations` are doc_ids of cited passages, in the order of the file, each with its score, or None; `extra` is the
    rest of its fields.
    """

    text: str
    citations: Mapping[str, float | None] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kept(self) -> dict[str, Any]:
        """The sentence as JSON: `scores`, if there are some, are in the order of `citations`."""
        scores = list(self.citations.values())
        scored = {"scores": scores} if any(score is not None for score in scores) else {}
        beyond = {"extra": dict(self.extra)} if self.extra else {}
        return {"text": self.text, "citations": list(self.citations), **scored, **beyond}


@dataclass(frozen=True)
class Document:
    """A passage that comes with the responses that cite it; `extra` is JSON."""

    doc_id: str
    text: str
    extra: str | None = None


@dataclass(frozen=True)
class Response:
    """The text of a system for a query.

    Parameters
    ----------
    sentences : joined by blanks they are the text; none where the file doesn't part it
    unlisted : citations by id of passages outside its references, where it has some
    extra : other fields of the line, as JSON; None without any
    """

    run_id: str
    query_id: str
    text: str
    query_text: str | None = None
    sentences: tuple[Sentence, ...] = ()
    documents: tuple[Document, ...] = ()
    unlisted: tuple[str, ...] = ()
    extra: str | None = None


_REMEDY = (
    'A response is an object such as {"query_id": "q1", "run_id": "my-system", "text": "..."}, or with its sentences: '
    '{"metadata": {"topic_id": "q1", "run_id": "my-system"}, "references": ["d1"], "answer": [{"text": "...", '
    '"citations": [0]}]}. A citation is a place in references, from 0, or a passage\'s id.'
)


def read_responses(path: Path, *, run_id: str | None = None, progress: Progress = no_progress) -> list[Response]:
    """Read responses: JSON objects, one a line or in a list, whose fields have the names above.

    A response is a text, or a list of sentences; a sentence is a text, or has `text` and `citations`. These are places
    in `references` (from 0), ids, objects with an id, or scores by id. The text is the sentences joined by blanks; a
    sentence without text is left out where it cites nothing. `documents` has texts of passages, by id or as a list.
    `run_id` names the run of all responses, whatever they say.

    Raises BadInput where an object is no response, has two values under two names, has no text or no run, cites a
    missing reference, or is the second of its run and query; a document has two texts; or `run_id` is given to a file
    of several runs.
    """
    problems, responses = Problems(path), _Responses(run_id)
    typed = msgspec.json.Decoder(_ResponseLine)
    for number, raw in objects(path, problems, progress):
        with reporting(problems, number, raw, "a response", _REMEDY):
            _, submission = decode_object(raw, typed)
            for fields in responses_in(submission):
                try:
                    msgspec.convert(fields, _ResponseLine)
                except msgspec.ValidationError as error:
                    raise BadLine(str(error)) from None
                responses.add(problems, number, *_response(_ResponseFields(fields)))
    if run_id is not None:
        refuse_several_runs(path, responses.run_ids, f"--run {run_id}")
    problems.raise_if_any()
    return responses.responses


class _ResponseFields:
    """The fields of a line and of its metadata, whose types are known to be right; each is taken once."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.line = present(raw)
        self.about = present(self.line.pop("metadata", {}))

    def id_of(self, *names: str) -> str | None:
        """Take the id that stands under some names. Raises BadLine where two ids stand there."""
        parts = (("", self.line), ("metadata.", self.about))
        texts = {f"{where}{name}": str(part.pop(name)) for where, part in parts for name in names if name in part}
        if len(set(texts.values())) > 1:
            both = " and ".join(f"{name} {value[:40]}" for name, value in texts.items())
            raise BadLine(f"{both} differ", cause="two ids that differ")
        return next(iter(texts.values()), None)

    def query_text(self) -> str | None:
        """Take the text of the query."""
        for part, names in ((self.line, ASKED), (self.about, (*ASKED, TITLE))):
            for name in names:
                if isinstance(text := part.get(name), str) and text.strip():
                    del part[name]
                    return text
        return None

    def written(self) -> tuple[str, str | list[Any]]:
        """Take the response, a text or sentences, with the name of its field.

        Raises BadLine where there is none, or two say different things.
        """
        fields = {name: self.line.pop(name) for name in WRITTEN if name in self.line}
        texts = {
            name: value if isinstance(value, str) else " ".join(map(_text, value)) for name, value in fields.items()
        }
        full = [name for name in fields if texts[name].strip()] or list(fields)
        if not full:
            raise BadLine("text is missing")
        if len({tuple(texts[name].split()) for name in full}) > 1:
            raise BadLine(f"{' and '.join(full)} say different things", cause="two responses that differ")
        taken = next((name for name in full if isinstance(fields[name], list)), full[0])
        self.line |= {name: fields[name] for name in full if fields[name] not in (fields[taken], texts[taken])}
        return taken, fields[taken]

    @property
    def rest(self) -> dict[str, Any]:
        """The fields that were not taken."""
        return self.line | ({"metadata": self.about} if self.about else {})


def _response(response_fields: _ResponseFields) -> tuple[str | None, Response]:
    """Return the run that a line names, and its response without it.

    Raises BadLine where it contradicts itself, or cites what is not there.
    """
    query_id, run_id = response_fields.id_of(*QUERIES), response_fields.id_of(RUN) or response_fields.id_of(TEAM)
    if query_id is None:
        raise BadLine("query_id is missing")
    query_text, (name, written) = response_fields.query_text(), response_fields.written()
    documents = dict(_documents(response_fields))
    # References stay as a whole: a system may name passages that no sentence cites.
    listed = [_id_of(reference, "references") for reference in response_fields.line.get("references", ())]
    sentences = tuple(_sentences(name, written, listed, documents)) if isinstance(written, list) else ()
    text = written if isinstance(written, str) else " ".join(sentence.text for sentence in sentences)
    cited, known = (doc_id for sentence in sentences for doc_id in sentence.citations), set(listed)
    unlisted = tuple(doc_id for doc_id in cited if known and doc_id not in known)
    extra = _encoded(response_fields.rest)
    return run_id, Response("", query_id, text, query_text, sentences, tuple(documents.values()), unlisted, extra)


def _encoded(extra: Mapping[str, Any], place: str = "") -> str | None:
    """Return the column `extra`; BadLine where its nesting is too deep."""
    try:
        return encode_extra(extra)
    except TooDeep as error:
        raise BadLine(str(error), place=place) from None


def _text(sentence: str | Mapping[str, Any]) -> str:
    return sentence if isinstance(sentence, str) else sentence["text"]


def _sentences(
    name: str, written: Sequence[Any], listed: Sequence[str], documents: Mapping[str, Document]
) -> Iterator[Sentence]:
    """Yield the sentences of a response, each with the passages that it cites, once.

    Raises BadLine where a citation has no reference.
    """
    for number, raw in enumerate(written, 1):
        fields = {} if isinstance(raw, str) else present(raw)
        text, cites = _text(raw), fields.pop("citations", ())
        fields.pop("text", None)
        if any(isinstance(cite, dict) and set(cite) - {*CITED, *SCORES} for cite in cites):
            fields["citations"] = cites
        cited: dict[str, float | None] = {}
        for cite in cites:
            doc_id = _cited(cite, listed, documents, f"{name} {number}")
            score = cites[cite] if isinstance(cites, dict) else _first(cite, SCORES) if isinstance(cite, dict) else None
            cited.setdefault(doc_id, score)
        if text.strip() or cited:
            yield Sentence(text, cited, fields)


def _cited(cite: Any, listed: Sequence[str], documents: Mapping[str, Document], place: str) -> str:
    """Return the id of a cited passage: a number is a place in the references, where there are some.

    Raises BadLine where there is no such place, or the id can't be one.
    """
    if not isinstance(cite, int):
        doc_id = _id_of(cite, place)
    elif not listed and str(cite) in documents:
        doc_id = str(cite)
    elif 0 <= cite < len(listed):
        doc_id = listed[cite]
    else:
        what = f"cites {cite}, and there are {len(listed):,} references, from 0"
        raise BadLine(what, place=place, cause="cites what is not a reference")
    if fault := fault_of_id(doc_id):
        raise BadLine(f"the cited passage's id {fault}", place=place, cause=f"a cited id {fault}")
    return doc_id


def _first(fields: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _id_of(reference: Any, place: str) -> str:
    """Return the id that stands alone or in an object; BadLine where an object has none."""
    doc_id = _first(reference, CITED) if isinstance(reference, dict) else reference
    if doc_id is None:
        raise BadLine("a passage without an id", place=place, cause="a passage without an id")
    return str(doc_id)


def _documents(response_fields: _ResponseFields) -> Iterator[tuple[str, Document]]:
    """Take the passages with texts from a response, by id; those without a text remain.

    Raises BadLine where one has two ids, or none, or an id that nobody could type.
    """
    raw = response_fields.line.pop("documents", {})
    left = []
    for key, item in raw.items() if isinstance(raw, dict) else ((None, item) for item in raw):
        about = {"text": item} if isinstance(item, str) else present(item)
        own = _first(about, CITED)
        doc_id = key if own is None else str(own)
        if doc_id is None or key not in (None, doc_id):
            what = f"id {doc_id} stands under {key}" if doc_id else "a passage without an id"
            raise BadLine(what, place="documents", cause="ids of documents")
        if fault := fault_of_id(doc_id):
            raise BadLine(f"an id {fault}", place="documents", cause=f"a document's id {fault}")
        if not (text := _first(about, TEXTS) or "").strip():
            left.append(key if key is not None else item)
            continue
        taken = {next(name for name in TEXTS if name in about), *CITED}
        extra = _encoded(beyond(about, taken), "documents")
        title = about.get("title")
        yield doc_id, Document(doc_id, with_title(title if isinstance(title, str) else "", text), extra)
    if left:
        response_fields.line["documents"] = {key: raw[key] for key in left} if isinstance(raw, dict) else left


class _Responses:
    """Responses of a file: one for a run and query, and of a document one text; `run_ids` are those of lines."""

    def __init__(self, run_id: str | None) -> None:
        self.responses: list[Response] = []
        self.run_ids = set[str]()
        self._run_id = run_id
        self._first: dict[tuple[str, str], int] = {}
        self._documents: dict[str, tuple[int, Document]] = {}

    def add(self, problems: Problems, number: int, own_run: str | None, response: Response) -> None:
        """Add the response of a line, or a problem."""
        self.run_ids |= set() if own_run is None else {own_run}
        run_id = own_run if self._run_id is None else self._run_id
        if run_id is None:
            problems.add(number, "no run_id", remedy="Add run_id to the lines, or name the run with --run.")
        elif fault := fault_of_id(run_id):
            problems.add(number, f"run_id {fault}", visible(run_id, line_ends=False))
        elif fault := fault_of_id(response.query_id):
            problems.add(number, f"query_id {fault}", visible(response.query_id, line_ends=False))
        elif not response.text.strip():
            problems.add(number, "an empty text", remedy="Leave the line out: a run without a response scores 0.")
        elif (key := (run_id, response.query_id)) in self._first:
            problems.add(
                number,
                f"second response of run {key[0]} to query {key[1]}; the first is in line {self._first[key]}",
                remedy="Keep one of them, or give the runs different names.",
            )
        else:
            self._first[key] = number
            documents = tuple(self._shared(problems, number, document) for document in response.documents)
            self.responses.append(replace(response, run_id=run_id, documents=documents))

    def _shared(self, problems: Problems, number: int, document: Document) -> Document:
        """Return the document as the first response has it, so that a text that many cite is in memory once."""
        first, known = self._documents.setdefault(document.doc_id, (number, document))
        if known.text != document.text:
            problems.add(
                number,
                f"document {document.doc_id} has another text than in line {first}",
                remedy="Give one of them another id.",
                cause="a document with two texts",
            )
        return known


def _fits(opening: Opening) -> bool:
    names, first = opening.objects, opening.first_object
    if is_of_batch(first):  # labels that a model gave
        return False
    fields = names & {*WRITTEN, "references", "documents"} - {"text"}
    is_written = bool(fields) or ("run_id" in names and "text" in first)
    # A line about one passage is a model's answer about it.
    is_named = bool(names & {*QUERIES, "turn_id"}) and not columns_of([*first], {"doc_id": DOC_ID})
    values = [first[name] for name in WRITTEN if name in first]
    parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
    # Texts, or sentences.
    are_texts = all(
        part is None or isinstance(part, str) or (isinstance(part, dict) and "text" in part) for part in parts
    )
    return is_named and is_written and are_texts


RESPONSES = Kind(
    key="responses",
    noun="Generated responses",
    order=80,
    main="rankings",
    template="""\
{"qid": "q1", "run_id": "rag-a", "text": "Yeast eats sugar and gives off carbon dioxide."}
{"qid": "q2", "run_id": "rag-a", "text": "Trees break down chlorophyll before winter."}
{"qid": "q1", "run_id": "rag-b", "text": "Dough rises because it is kneaded."}
""",
    ending="jsonl",
    option="run",
    name="Name of the run",
    unnamed="Most files name the run in every line. Leave this empty for a file with several runs.",
    columns={"query": QUERIES, "run": (RUN,), "text": ("text", *WRITTEN)},
    replaces=True,
)
ROWS = (
    Format(
        kind=RESPONSES,
        written="JSON of TREC RAG, BioGen, iKAT, RAGTIME, NeuCLIR, LongEval, Auto-Judge",
        looks="generated responses",
        order=35,
        fits=_fits,
        read=read_responses,
    ),
)
