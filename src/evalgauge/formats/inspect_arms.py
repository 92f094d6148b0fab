"""What an Inspect log says about the system that was scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.formats.json_text import text_of

if TYPE_CHECKING:
    from evalgauge.formats.inspect_shape import Header

MAX_NAME_CHARS = 40
"""A longer value is cut when it becomes part of an arm's name."""
# How requests are sent, which changes no answer.
_OPERATION = frozenset(
    {"max_connections", "adaptive_connections", "max_retries", "timeout", "attempt_timeout", "batch"}
)


def arm_detail(header: Header) -> dict[str, str]:
    """Return whatever can tell two arms apart, as texts; what the log leaves out is left out."""
    spec = header.eval
    plan = header.plan
    steps = [step.solver + (text_of(step.params) if step.params else "") for step in (plan.steps or [])] if plan else []
    config = {**((plan.config if plan else None) or {}), **(spec.model_generate_config or {})}
    parts: dict[str, object] = {
        "model": spec.model,
        "model_base_url": spec.model_base_url,
        "model_args": spec.model_args,
        "model_roles": spec.model_roles,
        "solver": spec.solver or " > ".join(steps),
        "solver_args": spec.solver_args,
        "task_args": spec.task_args,
        "generate_config": {key: value for key, value in config.items() if key not in _OPERATION},
        "revision": spec.revision.commit if spec.revision else None,
    }
    return {name: text_of(value) for name, value in parts.items() if value}
