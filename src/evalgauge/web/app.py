"""The pages as a web application: every page is an address that can be kept, with a twin in JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.middleware.gzip import GZipMiddleware

from evalgauge.errors import EvalgaugeError
from evalgauge.report.charts.drawing import drawn
from evalgauge.report.json_text import to_json
from evalgauge.report.page.document import environment
from evalgauge.report.text import answer_lines
from evalgauge.web.asking import ask
from evalgauge.web.fields import form_of
from evalgauge.web.library import MOST_BYTES, MOST_DROPPED_BYTES
from evalgauge.web.pages import PAGES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from evalgauge.web.asking import Asked
    from evalgauge.web.library import Library
    from evalgauge.web.page import Page
    from evalgauge.web.safety import Guard

STATIC = Path(__file__).resolve().parent / "static"
_TYPES = {"svg": "image/svg+xml", "png": "image/png", "csv": "text/csv", "json": "application/json"}
_LOG = "log"
# What a form holds beside its file.
_FORM_BYTES = 100_000


def make_app(library: Library, guard: Guard) -> FastAPI:
    """Return the application.

    Parameters
    ----------
    library
        The folder that is served.
    guard
        Who may ask.
    """
    app = FastAPI(title="evalgauge", docs_url=None, redoc_url=None, openapi_url="/openapi.json")
    app.add_middleware(GZipMiddleware, minimum_size=500)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    templates = environment("evalgauge.web", "evalgauge.report.page")

    @app.middleware("http")
    async def guarded(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        refused = guard.refusal(request)
        if refused is None and request.method == "POST" and (said := _unbounded(request)):
            refused = _refusal(templates, request, said, 413)
        response = refused if refused is not None else await go_on(request)
        guard.seal(request, response)
        return response

    @app.get("/", include_in_schema=False)
    def home() -> Response:
        return RedirectResponse("/plan")

    @app.get("/docs", include_in_schema=False)
    def docs() -> Response:
        forms = [(page, [*form_of(page, {})[0], *form_of(page, {})[1]]) for page in PAGES.values()]
        return HTMLResponse(templates.get_template("docs.html.j2").render(pages=PAGES.values(), forms=forms, page=None))

    @app.post("/drop", include_in_schema=False)
    async def drop(request: Request, file: UploadFile, page: str = "measure") -> Response:
        content = await file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            return _refusal(templates, request, _too_large(MOST_BYTES, "A log"), 413)
        if library.dropped_bytes + len(content) > MOST_DROPPED_BYTES:
            return _refusal(templates, request, _too_large(MOST_DROPPED_BYTES, "All added logs together"), 413)
        name = library.drop(file.filename or "log", content)
        called = page if page in PAGES else "measure"
        field = _LOG if PAGES[called].many_logs else f"{_LOG}1"
        from urllib.parse import urlencode  # noqa: PLC0415 - only here

        return RedirectResponse(f"/{called}?{urlencode({field: name})}", 303)

    for page in PAGES.values():
        _routes(app, templates, page, library)

    _refusals(app, templates)
    return app


def _refusals(app: FastAPI, templates: Any) -> None:  # noqa: ANN401 - Jinja's environment
    """Add what is said where no page answers."""

    @app.exception_handler(404)
    async def missing(request: Request, _error: Exception) -> Response:
        return _refusal(templates, request, "There is no such page.", 404)

    @app.exception_handler(400)
    @app.exception_handler(RequestValidationError)
    async def formless(request: Request, _error: Exception) -> Response:
        return _refusal(templates, request, "No file came with that. Choose one first.", 400)


def _too_large(most: int, what: str) -> str:
    return f"{what} may have {most // 1_000_000:,} MB here. Serve the folder of the logs: evalgauge serve FOLDER"


def _unbounded(request: Request) -> str:
    """Return why a form is refused by its announced size: a form is written to disk before its fields are known."""
    announced = request.headers.get("content-length", "")
    if not announced.isdecimal():
        return "A form has to say how long it is."
    return _too_large(MOST_BYTES, "A log") if int(announced[:20]) > MOST_BYTES + _FORM_BYTES else ""


def _routes(app: FastAPI, templates: Any, page: Page, library: Library) -> None:  # noqa: ANN401 - Jinja's environment
    """Add a page, its twin in JSON, and its pictures."""

    def asked_of(request: Request) -> Asked:
        query = request.query_params
        names = query.getlist(_LOG) if page.many_logs else [query.get(f"{_LOG}{n + 1}", "") for n in range(2)]
        words = {name: value for name, value in query.items() if not name.startswith(_LOG) and name != "token"}
        return ask(page, words, names if page.logs else (), library)

    def shown(request: Request) -> Response:
        asked = asked_of(request)
        first, more = form_of(page, asked.given)
        lines = [line for answer in asked.answers for line in answer_lines(answer)]
        text = templates.get_template("page.html.j2").render(
            pages=PAGES.values(),
            page=page,
            asked=asked,
            first=first,
            more=more,
            is_more_open=any(field.value for field in more),
            lines=[line for line in lines if line.tone not in {"picture", "command"}],
            names=library.names() if page.logs else [],
            query=request.url.query,
            most=MOST_BYTES // 1_000_000,
        )
        return HTMLResponse(library.shown(text), 500 if asked.is_fault else 200)

    def twin(request: Request) -> Response:
        asked = asked_of(request)
        if asked.answers:
            found = asked.answers[0] if len(asked.answers) == 1 else asked.answers
            return Response(library.shown(to_json(found)), media_type="application/json")
        refusal = asked.refusal or "Choose a log first."
        return JSONResponse({"error": refusal}, 500 if asked.is_fault else 400)

    def picture(request: Request, kind: str, ending: str) -> Response:
        asked = asked_of(request)
        made = next((one for one in asked.charts if one.kind == kind), None)
        if made is None or ending not in _TYPES:
            return JSONResponse({"error": asked.refusal or f"There is no picture {kind}.{ending} here."}, 404)
        theme = "dark" if request.query_params.get("theme") == "dark" else "light"
        try:
            content = drawn(made, Path(f"{kind}.{ending}"), theme=theme)
        except EvalgaugeError as error:
            return JSONResponse({"error": str(error)}, 400)
        kept = {"Content-Disposition": f'attachment; filename="{kind}.{ending}"'}
        return Response(content, media_type=_TYPES[ending], headers=kept)

    # The fields are those of the question, and no arguments of a function that a schema could be made of.
    told: dict[str, Any] = {"openapi_extra": {"parameters": _parameters(page)}}
    app.get(f"/{page.name}", response_class=HTMLResponse, summary=page.asks, name=page.title, **told)(shown)
    app.get(f"/{page.name}.json", summary=f"{page.asks} (JSON)", name=f"{page.title} as JSON", **told)(twin)
    pictures = f"/{page.name}/{{kind}}.{{ending}}"
    app.get(pictures, summary=f"A picture of {page.title}", name=f"{page.title} pictures", **told)(picture)


def _parameters(page: Page) -> list[dict[str, Any]]:
    """Return the fields of a page as OpenAPI says them."""
    first, more = form_of(page, {})
    told = [(field.name, field.help, ["yes"] if field.kind == "switch" else field.choices) for field in (*first, *more)]
    if page.many_logs:
        told.append((_LOG, "A log of the folder that is served; several may be named.", ()))
    else:
        told += [(f"{_LOG}{number}", label, ()) for number, label in enumerate(page.logs, start=1)]
    return [
        {
            "name": name,
            "in": "query",
            "description": description,
            "schema": {"type": "string", **({"enum": list(choices)} if choices else {})},
        }
        for name, description, choices in told
    ]


def _refusal(templates: Any, request: Request, text: str, status: int) -> Response:  # noqa: ANN401 - see above
    del request
    page = templates.get_template("refusal.html.j2").render(pages=PAGES.values(), page=None, text=text)
    return HTMLResponse(page, status)
