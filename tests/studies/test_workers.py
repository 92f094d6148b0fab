"""One worker and many, threads, processes and Dask: the same bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import joblib
import pytest

import evalgauge as eg
from evalgauge.errors import ArgumentError
from evalgauge.jobs.parallel import mapper

if TYPE_CHECKING:
    from collections.abc import Iterator

ASKED = {
    "n_cases": 25,
    "reps": 10,
    "rule": ("evalgauge_default", "percentile_bootstrap"),
    "sims": 7_000,
    "seed": 11,
}


def answer(**more: int) -> str:
    return eg.to_json(eg.verify(**ASKED, **more))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def serial() -> str:
    return answer()


@pytest.fixture(autouse=True)
def _closed_pool() -> Iterator[None]:
    yield
    # Idle worker processes would outlive the test.
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)


@pytest.mark.parametrize("jobs", [2, 4])
def test_processes(serial: str, jobs: int) -> None:
    assert answer(jobs=jobs) == serial


def test_a_backend_that_the_caller_configured(serial: str) -> None:
    with joblib.parallel_config(backend="threading", n_jobs=3):
        assert answer() == serial


def test_another_seed_gives_other_numbers(serial: str) -> None:
    other = eg.to_json(eg.verify(**{**ASKED, "seed": 12}))  # type: ignore[arg-type]
    assert json.loads(other)["rules"] != json.loads(serial)["rules"]


@pytest.mark.slow
def test_dask(serial: str) -> None:
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50
    )
    with cluster, distributed.Client(cluster), joblib.parallel_config(backend="dask"):
        assert answer() == serial


def test_missing_runs_are_drawn_alike_by_workers() -> None:
    asked = {"n_cases": 12, "reps": 2, "rates": "70%", "design": "single", "missing_share": 0.1, "sims": 400}
    alone, shared = (eg.to_json(eg.verify(**asked, jobs=jobs)) for jobs in (1, 2))  # type: ignore[arg-type]
    assert shared == alone


@pytest.mark.parametrize("jobs", [0, -1, 5_000])
def test_refusals(jobs: int) -> None:
    with pytest.raises(ArgumentError, match=f"jobs: got {jobs}, allowed is a whole number of workers from 1 to 1,024."):
        mapper(jobs)
