"""A chart: a finding, a picture of it as a Vega-Lite specification, and the numbers behind it as a table."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from evalgauge.errors import MissingExtraError
from evalgauge.questions.scale import Scale, count
from evalgauge.questions.units import ScoreRange

if TYPE_CHECKING:
    from collections.abc import Mapping

Unit: TypeAlias = Literal["text", "time", "share", "points", "change", "rate", "count", "number"]
Theme: TypeAlias = Literal["light", "dark"]
Row: TypeAlias = dict[str, str | float | int | None]
Spec: TypeAlias = dict[str, Any]

PERCENT_SCALE = Scale(ScoreRange((0.0, 1.0)))
MIME = "application/vnd.vegalite.v6+json"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the numbers behind a chart.

    Attributes
    ----------
    key
        Its name in the rows and in CSV.
    title
        What a person reads.
    unit
        ``"share"`` is a score, ``"points"`` a distance of scores and ``"change"`` one with a sign, all stored in
        shares of the score's range; ``"rate"`` is a share of something else.
    """

    key: str
    title: str
    unit: Unit = "text"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chart:
    """A chart of an answer.

    Attributes
    ----------
    kind
        Its name, as in ``evalgauge plot KIND``.
    title
        The finding, a sentence.
    description
        The same for those who cannot see the picture: what is drawn, and the finding.
    columns, rows
        The numbers behind it, with the values of the answer's JSON.
    spec
        The Vega-Lite specification, self-contained and in the colours of the light theme.
    scale
        How scores and differences of the rows are written.
    """

    kind: str
    title: str
    description: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    spec: Spec
    scale: Scale = PERCENT_SCALE

    def __str__(self) -> str:
        return f"{self.title} ({self.kind}, {count(len(self.rows), 'row')})"

    def _repr_mimebundle_(self, **_options: object) -> Mapping[str, object]:
        from evalgauge.report.notebook import chart_html  # noqa: PLC0415 - only a notebook asks for it

        try:
            page: dict[str, object] = {"text/html": chart_html(self)}
        except MissingExtraError:
            # Notebooks that know Vega-Lite draw it without a renderer of ours.
            page = {}
        return {"text/plain": str(self), MIME: self.spec, **page}

    @property
    def subtitle(self) -> str:
        """How to read the picture."""
        return " ".join(self.spec["title"]["subtitle"]).replace("\u00a0", " ")

    def csv(self) -> str:
        """Return the numbers behind the chart as CSV; what is unknown is left empty."""
        out = StringIO()
        writer = csv.writer(out, lineterminator="\n")
        keys = [column.key for column in self.columns]
        writer.writerow(keys)
        for row in self.rows:
            writer.writerow(["" if row[key] is None else row[key] for key in keys])
        return out.getvalue()

    def save(self, output: str | Path, *, theme: Theme = "light", overwrite: bool = False) -> Path:
        """Write the chart to a file, and return where.

        Parameters
        ----------
        output
            A name that ends in .svg, .png, .pdf, .json (the specification) or .csv (the numbers behind it).
        theme
            Colours of pictures: ``"light"`` or ``"dark"``.
        overwrite
            Replace the file if it is there.

        Raises
        ------
        ArgumentError
            If the ending is another, the file is there, or nothing can be written in that place.
        """
        from evalgauge.report.charts.drawing import drawn  # noqa: PLC0415 - the renderer is loaded when it draws
        from evalgauge.report.files import write_new  # noqa: PLC0415 - same

        target = Path(output)
        return write_new(target, drawn(self, target, theme=theme), overwrite=overwrite)
