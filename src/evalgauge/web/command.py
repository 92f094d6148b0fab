"""``evalgauge serve``."""

from __future__ import annotations

import os
import secrets
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from evalgauge.errors import ArgumentError, EvalgaugeError, MissingExtraError

_PORTS = 65_535


def serve(
    folder: str = ".",
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    open_it: Annotated[bool, Parameter(name="--open")] = False,
) -> int:
    """Serve the calculators and the views of logs as web pages on this machine.

    Parameters
    ----------
    folder
        The folder whose logs can be chosen; nothing outside it is read.
    host
        Address to listen on. Any but this machine's own asks visitors for a token, which is printed.
    port
        Port to listen on; 0 for any that is free.
    open_it
        Open the first page.
    """
    place = Path(folder)
    if not place.is_dir():
        raise ArgumentError("folder", folder, "a folder that exists")
    if not 0 <= port <= _PORTS:
        raise ArgumentError("--port", port, f"a port from 0 to {_PORTS:,}")
    try:
        import uvicorn  # noqa: PLC0415 - an extra

        from evalgauge.web.app import make_app  # noqa: PLC0415 - same
    except ImportError as error:
        raise MissingExtraError("Web pages need more packages: pip install 'evalgauge[web]'.") from error
    from evalgauge.web.library import Library  # noqa: PLC0415 - loaded when there is something to serve
    from evalgauge.web.safety import LOOPBACK, Guard  # noqa: PLC0415 - same

    # Names of logs, the ledger and evalgauge.toml are those of this folder, as on the command line.
    os.chdir(place)
    token = "" if host in LOOPBACK else secrets.token_urlsafe(24)
    library = Library(Path())
    try:
        server = uvicorn.Server(
            uvicorn.Config(make_app(library, Guard(host, token)), host=host, port=port, log_level="warning")
        )
        listening = server.config.bind_socket()
        address = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}/"
        address += f"plan?token={token}" if token else ""
        sys.stdout.write(f"Pages on {address} (logs of {Path.cwd()}; Ctrl+C ends)\n")
        sys.stdout.flush()
        if open_it:
            webbrowser.open(address)
        server.run([listening])
    except (OSError, SystemExit) as error:
        raise EvalgaugeError(f"Port {port:,} on {host} cannot be listened on. Choose another: --port 0") from error
    finally:
        library.close()
    return 0
