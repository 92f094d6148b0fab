"""Tables of platforms whose columns need no work but to be known by their names."""

from __future__ import annotations

from evalgauge.formats.preset import Preset

PLAIN_PRESETS = (
    # Rows of evaluate() written down as they are: what was asked stands in the example, what happened in the run.
    Preset(
        framework="langsmith",
        needs=frozenset({"example.id"}),
        has=r"evaluation_?[Rr]esults\.results\..+",
        roles={
            "case": ("example.id",),
            "input": ("example.inputs.",),
            "target": ("example.outputs.",),
            "error": ("run.error",),
        },
        scores=r"evaluation_?[Rr]esults\.results\..+",
        dropped=r"run\..+|example\.(?!metadata\.).+",
    ),
    # Output items of a run, as the Evals API lists them. Its status is that of all graders together.
    Preset(
        framework="openai-evals-api",
        needs=frozenset({"datasource_item_id", "status"}),
        has=r"results\..+",
        roles={"case": ("datasource_item_id",), "input": ("datasource_item.",), "arm": ("sample.model",)},
        scores=r"results\..+",
        dropped=r"object|id|created_at|run_id|eval_id|sample\..+|_datasource_item_content_hash",
    ),
    # A result is the word beside a score of 1 to 5, against a threshold.
    Preset(
        framework="azure-ai-evaluation",
        needs=frozenset(),
        has=r"outputs\.[^.]+\.[^.]+_(?:result|threshold)",
        roles={
            "case": ("inputs.id", "inputs.case_id"),
            "input": ("inputs.query", "inputs.question", "inputs.messages", "inputs.conversation"),
            "target": ("inputs.ground_truth",),
        },
        scores=r"outputs\.(?P<evaluator>[^.]+)\.(?!gpt_)(?!.*_(?:threshold|reason|tokens|model|finish_reason|sample_input"
        r"|sample_output|properties|details|label|status)$)[^.]+",
        dropped=r"outputs\..+|line_number|inputs\.(?:response|context)",
    ),
    Preset(
        framework="trulens",
        needs=frozenset({"record_id", "input", "output"}),
        has=r"app_id|app_name",
        roles={"input": ("input",), "arm": ("app_version", "app_id")},
        are_rest_scores=True,
        dropped=r"record_id|record_json|output|ts|tags|type|latency|total_tokens|total_cost|cost_json|perf_json"
        r"|num_events|start_time|.+(?:_calls| feedback cost in .+| direction)|events|app_name|app_json|cost_currency",
    ),
    # Calls of Evaluation.predict_and_score, as the page of a project exports them.
    Preset(
        framework="weave",
        needs=frozenset({"op_name"}),
        has=r"outputs?\.scores\..+",
        roles={"input": ("inputs.example.",), "error": ("exception",), "arm": ("inputs.model",)},
        scores=r"outputs?\.scores\..+",
        dropped=r"id|trace_id|parent_id|op_name|display_name|started_at|ended_at|outputs?\..+|summary\..+|attributes\..+"
        r"|inputs\.(?!example).+|wb_.+|project_id|thread_id|turn_id",
    ),
    Preset(
        framework="terminal-bench",
        needs=frozenset({"task_id", "is_resolved"}),
        roles={"case": ("task_id",), "input": ("instruction",)},
        scores=r"is_resolved",
        dropped=r"id|trial_name|parser_results\..+|recording_path|total_.+_tokens|.+_(?:started|ended)_at",
    ),
)
