"""The pages as a web application: every page is an address that can be kept, with a twin in JSON."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from fastapi import FastAPI, Request, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.middleware.gzip import GZipMiddleware

from evalgauge.errors import EvalgaugeError
from evalgauge.report.charts.drawing import drawn
from evalgauge.report.config_text import FIELDS_OF_A_FILE
from evalgauge.report.json_text import to_json
from evalgauge.report.page.document import environment
from evalgauge.report.text import answer_lines
from evalgauge.web.asking import Asked, ask
from evalgauge.web.fields import form_of
from evalgauge.web.library import MOST_BYTES, MOST_DROPPED_BYTES
from evalgauge.web.pages import PAGES
from evalgauge.web.rules import CONFIG_NAME, FIELD, FROM, opened_rules
from evalgauge.web.safety import Refused
from evalgauge.web.studies import BusyError, Studies, Waiting

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from evalgauge.report.text.lines import Line
    from evalgauge.web.library import Library
    from evalgauge.web.page import Page
    from evalgauge.web.safety import Guard

STATIC = Path(__file__).resolve().parent / "static"
_TYPES = {"svg": "image/svg+xml", "png": "image/png", "csv": "text/csv", "json": "application/json"}
_LOG = "log"
# What a form holds beside its file.
_FORM_BYTES = 100_000
MOST_TOML = 100_000
_MOST_RULES = 20
_WITH_RULES = frozenset(page.name for page in PAGES.values() if page.has_rules)
# Seconds: most studies end within them.
_WAIT = 1.5


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

    _guarding(app, templates, guard)

    @app.get("/", include_in_schema=False)
    def home() -> Response:
        return RedirectResponse("/plan")

    @app.get("/docs", include_in_schema=False)
    def docs() -> Response:
        forms = [(page, [*form_of(page, {})[0], *form_of(page, {})[1]]) for page in PAGES.values()]
        return HTMLResponse(templates.get_template("docs.html.j2").render(pages=PAGES.values(), forms=forms, page=None))

    _drop_route(app, templates, library)
    studies = Studies[Asked]()
    for page in PAGES.values():
        _routes(app, templates, page, library, studies)
        if page.has_rules:
            _rules_route(app, page, library)
    app.router.on_shutdown.append(studies.close)
    _refusals(app, templates)
    return app


def _guarding(app: FastAPI, templates: Any, guard: Guard) -> None:  # noqa: ANN401 - Jinja's environment
    """Let in who may ask, and seal every answer."""

    @app.middleware("http")
    async def guarded(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        is_head = request.method == "HEAD"
        if is_head:
            request.scope["method"] = "GET"
        refused = guard.refusal(request)
        if refused is None and request.method == "POST" and (said := _unbounded(request)):
            refused = Refused(said, 413)
        response = await go_on(request) if refused is None else _refusal(templates, request, refused)
        guard.seal(request, response)
        # What would be said is not sent: a server that is asked for the head of an answer sends no more.
        return Response(status_code=response.status_code, headers=dict(response.headers)) if is_head else response


def _drop_route(app: FastAPI, templates: Any, library: Library) -> None:  # noqa: ANN401 - same
    """Add the way in for a log, or for rules, from elsewhere."""

    @app.post("/drop", include_in_schema=False)
    async def drop(request: Request, file: UploadFile, page: str = "measure") -> Response:
        content = await file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            return _refusal(templates, request, Refused(_too_large(MOST_BYTES, "A log"), 413))
        if library.dropped_bytes + len(content) > MOST_DROPPED_BYTES:
            said = _too_large(MOST_DROPPED_BYTES, "All added logs together")
            return _refusal(templates, request, Refused(said, 413))
        name = file.filename or "log"
        if name.endswith(".toml"):
            text, _ = opened_rules(content[:MOST_TOML].decode(errors="replace"), "", library)
            return RedirectResponse(f"/{page if page in _WITH_RULES else 'gate'}?{urlencode({FIELD: text})}", 303)
        name = library.drop(name, content)
        called = page if page in PAGES else "measure"
        field = _LOG if PAGES[called].many_logs else f"{_LOG}1"
        return RedirectResponse(f"/{called}?{urlencode({field: name})}", 303)


def _refusals(app: FastAPI, templates: Any) -> None:  # noqa: ANN401 - Jinja's environment
    """Add what is said where no page answers."""

    @app.exception_handler(404)
    async def missing(request: Request, _error: Exception) -> Response:
        return _refusal(templates, request, Refused("There is no such page.", 404))

    @app.exception_handler(400)
    @app.exception_handler(RequestValidationError)
    async def formless(request: Request, _error: Exception) -> Response:
        return _refusal(templates, request, Refused("No file came with that. Choose one first.", 400))


def _too_large(most: int, what: str) -> str:
    return f"{what} may have {most // 1_000_000:,} MB here. Serve the folder of the logs: evalgauge serve FOLDER"


def _unbounded(request: Request) -> str:
    """Return why a form is refused by its announced size: a form is written to disk before its fields are known."""
    announced = request.headers.get("content-length", "")
    if not announced.isdecimal():
        return "A form has to say how long it is."
    return _too_large(MOST_BYTES, "A log") if int(announced[:20]) > MOST_BYTES + _FORM_BYTES else ""


def _routes(
    app: FastAPI,
    templates: Any,  # noqa: ANN401 - Jinja's environment
    page: Page,
    library: Library,
    studies: Studies[Asked],
) -> None:
    """Add a page, its twin in JSON, and its pictures."""

    def asked_of(request: Request) -> Asked:
        words, names = _filled(request, page)
        # What was found while somebody watched may have taken longer than others may wait.
        found = studies.found(_key(page, words)) if page.is_study else None
        return found or ask(page, words, names, library)

    def shown(request: Request) -> Response:
        opened = request.query_params.get(FROM, "") if page.has_rules else ""
        if opened:
            return _with_rules(request, page, opened, library)
        asked = _watched(request, page, library, studies) if page.is_study else asked_of(request)
        first, more = form_of(page, asked.given)
        lines = [_on_page(line) for answer in asked.answers for line in answer_lines(answer)]
        text = templates.get_template("page.html.j2").render(
            pages=PAGES.values(),
            page=page,
            asked=asked,
            first=first,
            more=more,
            is_more_open=any(field.value for field in more),
            lines=[line for line in lines if line.tone not in {"picture", "command"}],
            names=library.names() if page.logs else [],
            rules=_rules_links(request, page, library),
            edit=_address(page, asked.edited, asked.logs) if asked.edited else "",
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


def _on_page(line: Line) -> Line:
    """Return a line of an answer as it is true on a page, where nothing was typed on a command line."""
    return replace(line, text=line.text.replace("the command line", "this page"))


def _filled(request: Request, page: Page) -> tuple[dict[str, str], list[str]]:
    """Return what stands in an address: words by field, and names of logs."""
    query = request.query_params
    names = query.getlist(_LOG) if page.many_logs else [query.get(f"{_LOG}{n + 1}", "") for n in range(2)]
    beside = {"token", FROM}
    words = {name: value for name, value in query.items() if not name.startswith(_LOG) and name not in beside}
    return words, names if page.logs else []


def _key(page: Page, words: Mapping[str, str]) -> tuple[str, frozenset[tuple[str, str]]]:
    return page.name, frozenset((name, value) for name, value in words.items() if value)


def _watched(request: Request, page: Page, library: Library, studies: Studies[Asked]) -> Asked:
    """Return the end of a study, or how far it is."""
    words, _ = _filled(request, page)
    try:
        found = studies.ask(_key(page, words), lambda tell: ask(page, words, (), library, tell), wait=_WAIT)
    except BusyError:
        return Asked(given=words, refusal="As many studies run as this machine bears. Ask again in a minute.")
    return Asked(given=words, waiting=found) if isinstance(found, Waiting) else found


def _rules_route(app: FastAPI, page: Page, library: Library) -> None:
    """Add the rules of a page as a file to keep."""

    def saved(request: Request) -> Response:
        words, names = _filled(request, page)
        asked = ask(page, words, names, library)
        text = asked.config or words.get(FIELD, "")
        if not text:
            return JSONResponse({"error": asked.refusal or "There are no rules yet."}, 400)
        kept = {"Content-Disposition": f'attachment; filename="{CONFIG_NAME}"'}
        return Response(f"{text.strip()}\n", media_type="application/toml", headers=kept)

    app.get(f"/{page.name}.toml", include_in_schema=False)(saved)


def _with_rules(request: Request, page: Page, name: str, library: Library) -> Response:
    """Return the way to the page with the rules of a file of the folder in it."""
    words, logs = _filled(request, page)
    try:
        text, baseline = opened_rules(library.rules_text(name), name, library)
    except EvalgaugeError:
        # A file that went away meanwhile: the page says what is missing.
        text, baseline = "", ""
    kept = {field: value for field, value in words.items() if field not in FIELDS_OF_A_FILE}
    return RedirectResponse(_address(page, {**kept, FIELD: text}, [logs[0] or baseline, *logs[1:]]), 303)


def _rules_links(request: Request, page: Page, library: Library) -> list[tuple[str, str]]:
    """Return the files of rules in the folder, each with the address that takes it into the page."""
    if not page.has_rules:
        return []
    words, logs = _filled(request, page)
    kept = {field: value for field, value in words.items() if field not in {*FIELDS_OF_A_FILE, FIELD} and value}
    return [(name, _address(page, {**kept, FROM: name}, logs)) for name in library.rules()[:_MOST_RULES]]


def _address(page: Page, words: Mapping[str, str], logs: Sequence[str]) -> str:
    named = {f"{_LOG}{number}": name for number, name in enumerate(logs, start=1) if name}
    return f"/{page.name}?{urlencode({**named, **words})}"


def _parameters(page: Page) -> list[dict[str, Any]]:
    """Return the fields of a page as OpenAPI says them."""
    first, more = form_of(page, {})
    told = [(field.name, field.help, ["yes"] if field.kind == "switch" else field.choices) for field in (*first, *more)]
    if page.has_rules:
        told.append((FIELD, "Rules as evalgauge.toml, in place of those in fields.", ()))
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


def _refusal(templates: Any, request: Request, refused: Refused) -> Response:  # noqa: ANN401 - see above
    """Return a page that says why there is no answer; its link goes on where a person may, else to the first page."""
    query = f"?{request.url.query}" if request.url.query else ""
    # A path of two slashes would be the name of another host.
    here = f"/{request.url.path.lstrip('/')}{query}" if refused.may_go_on else ""
    page = templates.get_template("refusal.html.j2").render(
        pages=PAGES.values(), page=None, text=refused.text, here=here
    )
    return HTMLResponse(page, refused.status)
