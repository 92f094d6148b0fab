"""Real engines: Spark in this process, Spark Connect and the command line in others, DuckDB through Ibis."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_NEEDS = "needs Java and the extra [distributed]: make distributed"
_HERE = Path(__file__).parent
_START = 120.0


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what cannot run here, unless everything has to."""
    own = [item for item in items if _HERE in item.path.parents]
    can_run = shutil.which("java") is not None and all(find_spec(name) for name in ("ibis", "pyspark"))
    for item in own:
        item.add_marker(pytest.mark.distributed)
        # Engines and their clients warn of their own future.
        item.add_marker(pytest.mark.filterwarnings("ignore"))
        if not can_run and not (os.environ.get("EVALGAUGE_REQUIRE_ALL") and "not distributed" not in _marks(config)):
            item.add_marker(pytest.mark.skip(reason=_NEEDS))


def _marks(config: pytest.Config) -> str:
    return str(config.getoption("-m") or "")


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Return a Spark session of this process, which ``--engine spark://local`` finds as well."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession  # noqa: PLC0415 (only in this venv)

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def connect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a Spark Connect server."""
    import pyspark  # noqa: PLC0415 (only in this venv)

    home = Path(pyspark.__file__).parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("connect")
    settings = (f"spark.connect.grpc.binding.port={port}", "spark.ui.enabled=false", "spark.sql.shuffle.partitions=2")
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2]"]
    command += [word for setting in settings for word in ("--conf", setting)]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            command, stdout=log, stderr=log, cwd=folder, env={**os.environ, "SPARK_HOME": str(home)}
        )
    try:
        _await(port, server, folder / "log")
        yield f"sc://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=60)


def _await(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _START
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    pytest.fail(f"Spark Connect did not start: {log.read_text()[-2000:]}")
