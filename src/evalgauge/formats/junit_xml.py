"""The tests of a JUnit XML file, read element by element.

XML can be made to explode: entities that unfold to gigabytes, elements nested without end, one element of the size of
the memory. No JUnit writer needs a document type, so a file that declares one is refused, and the rest has limits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias
from xml.parsers import expat

from evalgauge.errors import LogError
from evalgauge.formats.json_text import CUT_HINT
from evalgauge.formats.wording import counted
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions

Outcome: TypeAlias = Literal["passed", "failed", "error", "skipped"]

MAX_DEPTH = 64
MAX_ELEMENT_BYTES = 1 << 26
"""An element's start tag, text or comment beyond this size is refused: the parser holds it in memory whole."""
MAX_FILE_BYTES = 1 << 29
_BLOCK = 1 << 16
_TEXT_CHARS = 2_000
_REASON_CHARS = 200
# What the parser says of a text that ends early.
_CUT = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)
_OUTCOMES: dict[str, Outcome] = {"failure": "failed", "error": "error", "skipped": "skipped"}
_WEIGHT: dict[Outcome, int] = {"passed": 0, "skipped": 1, "failed": 2, "error": 3}
# What Surefire writes of a test that it ran again until it passed, or that failed each time.
_RERUNS = frozenset({"flakyFailure", "flakyError", "rerunFailure", "rerunError"})


@dataclass(slots=True, kw_only=True)
class Test:
    """One ``testcase`` element.

    Attributes
    ----------
    suite
        Number of the suite that it stands in.
    classname, name
        As they are written.
    outcome
        What became of it; the gravest where it holds several.
    reason
        First words of the type and message of a failure, error or skip.
    properties
        What the test recorded, in order.
    is_rerun
        Whether it was run again after it had failed.
    """

    suite: int
    classname: str
    name: str
    outcome: Outcome = "passed"
    reason: str = ""
    properties: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    is_rerun: bool = False


@dataclass(slots=True, kw_only=True)
class Suite:
    """One ``testsuite`` element: its name, its own properties, when it ran, and how many tests it announces."""

    name: str
    timestamp: str = ""
    announced: int | None = None
    properties: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True, kw_only=True)
class JUnitLog:
    """A file that was read.

    Attributes
    ----------
    root
        Name of the outermost element, where there is one.
    suites, tests
        In the order of the file.
    problems
        What could not be taken as it was.
    is_cut
        Whether the file ends early or breaks.
    """

    root: str = ""
    suites: list[Suite] = field(default_factory=list[Suite])
    tests: list[Test] = field(default_factory=list[Test])
    problems: list[Problem] = field(default_factory=list[Problem])
    is_cut: bool = False


def junit_log(path: Path, options: ReadOptions, *, file: str) -> JUnitLog:
    """Return the tests of a file; one that ends early is read as far as it goes.

    Raises
    ------
    LogError
        It is no sound XML, declares a document type, is beyond the limits, or holds no test.
    """
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        problem = f"is larger than {MAX_FILE_BYTES >> 20} MB."
        raise LogError(file, problem, hint="Leave the output of the tests out: junit_logging = no in pytest.ini.")
    walk = _Walk(file)
    try:
        with path.open("rb") as stream:
            walk.feed_all(stream.read, lambda done: options.progress(done, size))
    except expat.ExpatError as fault:
        _broken(walk, fault, options)
    except LookupError as fault:
        hint = "Its first line should name utf-8, or no encoding."
        raise LogError(file, f"is in no encoding that is known ({fault}).", hint=hint) from fault
    log = walk.log
    if not log.tests:
        raise LogError(file, "holds no test.", hint="Was the run cut off before its first test?")
    return log


def _broken(walk: _Walk, fault: expat.ExpatError, options: ReadOptions) -> None:
    """Keep the tests before the place where the file breaks, if it only ends early or the user is tolerant."""
    is_cut = fault.code in _CUT
    what = expat.ErrorString(fault.code) or "broken"
    problem = f"is no sound XML: {what} at line {fault.lineno}, column {fault.offset + 1}."
    walk.leave_open_test_out()
    if not walk.log.tests or not (is_cut or options.tolerant):
        hint = CUT_HINT if is_cut else "--tolerant reads what stands before."
        raise LogError(walk.file, problem, hint=hint) from fault
    walk.log.is_cut = True
    found = counted(len(walk.log.tests), "test", "tests")
    text = f"The file breaks off at line {fault.lineno} ({what}); {found} before it could be read."
    walk.log.problems.append(Problem(text=text, file=walk.file, record=f"line {fault.lineno}"))


class _Walk:
    """The handlers of the parser."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.log = JUnitLog()
        self._depth = 0
        self._suites: list[int] = []
        self._test: Test | None = None
        self._property: tuple[str, list[str]] | None = None
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._doctype

    def feed_all(self, read: Callable[[int], bytes], progress: Callable[[int], None]) -> None:
        """Feed the parser until nothing is left."""
        fed = 0
        while block := read(_BLOCK):
            self._parser.Parse(block, False)  # noqa: FBT003 (expat takes no keyword)
            fed += len(block)
            if fed - self._parser.CurrentByteIndex > MAX_ELEMENT_BYTES:
                problem = f"holds an element of more than {MAX_ELEMENT_BYTES >> 20} MB."
                raise LogError(self.file, problem, record=self._place())
            progress(fed)
        self._parser.Parse(b"", True)  # noqa: FBT003 (same)

    def leave_open_test_out(self) -> None:
        """Drop the test whose end was not seen: whether it failed stands inside it."""
        if self._test is not None:
            self.log.tests.pop()

    def _place(self) -> str:
        return f"line {self._parser.CurrentLineNumber}"

    def _doctype(self, *_: object) -> None:
        problem = "declares a document type: its entities could unfold to any size, and JUnit XML needs none."
        raise LogError(self.file, problem, record=self._place(), hint="Remove the DOCTYPE if you trust the file.")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            problem = f"nests its elements more than {MAX_DEPTH} deep."
            raise LogError(self.file, problem, record=self._place())
        local = tag.rpartition(":")[2]
        if local == "testsuites":
            self.log.root = attributes.get("name", "")
        elif local == "testsuite":
            self._begin_suite(attributes)
        elif local == "testcase":
            if not self._suites:
                self._begin_suite({})
            self._test = Test(
                suite=self._suites[-1], classname=attributes.get("classname", ""), name=attributes.get("name", "")
            )
            self.log.tests.append(self._test)
        elif local == "property":
            self._begin_property(attributes)
        elif self._test is not None:
            self._note_outcome(local, attributes)

    def _begin_suite(self, attributes: dict[str, str]) -> None:
        announced = attributes.get("tests", "")
        is_count = announced.isascii() and announced.isdigit() and len(announced) < 10
        self._suites.append(len(self.log.suites))
        self.log.suites.append(
            Suite(
                name=attributes.get("name", ""),
                timestamp=attributes.get("timestamp", ""),
                announced=int(announced) if is_count else None,
            )
        )

    def _begin_property(self, attributes: dict[str, str]) -> None:
        name = attributes.get("name", "")
        if "value" in attributes:
            self._keep_property(name, attributes["value"])
        else:
            # Some writers put a long value into the element in place of the attribute.
            self._property = (name, [])

    def _keep_property(self, name: str, value: str) -> None:
        if self._test is not None:
            self._test.properties.append((name, value[:_TEXT_CHARS]))
        elif self._suites:
            self.log.suites[self._suites[-1]].properties[name] = value[:_TEXT_CHARS]

    def _note_outcome(self, tag: str, attributes: dict[str, str]) -> None:
        test = self._test
        if test is None:
            return
        if tag in _RERUNS:
            test.is_rerun = True
        outcome = _OUTCOMES.get(tag)
        if outcome is not None and _WEIGHT[outcome] > _WEIGHT[test.outcome]:
            test.outcome = outcome
            words = (attributes.get("type", ""), attributes.get("message", ""))
            test.reason = " ".join(word[:_REASON_CHARS] for word in words if word)

    def _text(self, text: str) -> None:
        if self._property is not None and sum(map(len, self._property[1])) < _TEXT_CHARS:
            self._property[1].append(text)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        local = tag.rpartition(":")[2]
        if local == "testcase":
            self._test = None
        elif local == "testsuite" and self._suites:
            self._suites.pop()
        elif local == "property" and self._property is not None:
            name, parts = self._property
            self._property = None
            self._keep_property(name, "".join(parts).strip())
