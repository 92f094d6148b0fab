"""The words by which frameworks call the columns of a table, in the order in which they are preferred."""

from __future__ import annotations

import re

CASE = (
    *("case", "case_id", "example_id", "sample_id", "doc_id", "test_id", "instance_id", "item_id", "question_id"),
    *("problem_id", "prompt_id", "task_id", "dataset_item_id", "source_case_name", "id", "qid", "uid", "eval_id"),
    *("sample", "doc", "test", "example", "instance", "item", "test_case", "test_name", "case_name", "nodeid"),
    "name",
)
REP = (
    *("rep", "epoch", "repeat", "trial", "replicate", "run", "run_number", "repetition_number", "repetition"),
    *("attempt", "iteration", "trial_index", "rep_index", "sample_index", "seed"),
)
ARM = (
    *("arm", "model", "system", "variant", "candidate", "provider", "configuration", "config", "model_name"),
    *("model_id", "system_name", "experiment", "experiment_name", "agent"),
)
# Where one value stands in every row, these tell which run of a series this was, not which rep.
SERIES_REP = frozenset({"run", "run_number", "attempt", "iteration", "seed"})
# These may be plain numbers; a numeric column called "candidate" is a column of scores.
NUMERIC_ARM = frozenset({"arm", "variant", "configuration", "config", "experiment"})
METRIC = ("metric", "metric_name", "scorer", "score_name", "criterion", "evaluator", "feedback_key", "measure", "key")
SET = ("set", "task", "dataset", "set_name", "task_name", "dataset_name", "benchmark", "suite", "eval_name")
ERROR = ("error", "error_message", "exception", "is_error", "errored")
STATUS = ("status", "state")
INPUT = (
    *("input", "inputs", "question", "query", "user_input", "prompt", "instruction", "problem", "messages", "vars"),
    *("question_text", "input_text"),
)
TARGET = (
    *("target", "expected", "expected_output", "reference", "reference_output", "ideal", "gold", "ground_truth"),
    *("reference_answer", "expected_answer", "outputs_expected"),
)
CHOICES = ("choices", "options")
# What a system said: neither a slice nor the ground of a case's identity.
OUTPUT = frozenset({
    *("output", "outputs", "response", "completion", "answer", "prediction", "generated", "explanation", "reasoning"),
    *("messages", "context", "contexts", "retrieved_contexts", "transcript", "model_output", "generation", "comment"),
})  # fmt: skip

# Other names of what a case asks and expects: no reader knows which of the two they are, but no slice is called so.
CONTENT = frozenset({
    *("sentence", "text", "passage", "premise", "hypothesis", "article", "document", "story", "ticket", "body"),
    *("answers", "answer_key", "correct_answer", "gold_answer", "gold_label", "solution", "expected_answers"),
    *("references", "reference_outputs", "expected_outputs", "target_output", "choices_text", "gold_index"),
})  # fmt: skip

SCORE = (
    *("score", "passed", "pass", "success", "correct", "is_correct", "resolved", "solved", "reward", "accuracy", "acc"),
    *("exact_match", "f1", "pass_rate", "result", "value", "grade", "outcome", "verdict", "rating", "label"),
)
# Names that also stand for other things: scores only where their cells say so.
WEAK_SCORE = frozenset({"result", "value", "grade", "outcome", "verdict", "rating", "label"})
# What a classifier said. A label beside it is the truth: neither says which rows are right.
PREDICTED = frozenset({
    *("prediction", "predictions", "predicted", "pred", "preds", "predicted_label", "pred_label", "y_pred", "yhat"),
    *("prediction_label", "predicted_class", "pred_class", "model_prediction", "y_hat"),
})  # fmt: skip
TRUE_LABEL = frozenset({"label", "labels", "true_label", "y_true", "y", "class", "gold", "gt", "truth", "actual"})
_KNOWN_METRICS = frozenset({
    *("faithfulness", "answer_relevancy", "answer_relevance", "answer_correctness", "answer_similarity"),
    *("context_precision", "context_recall", "context_entity_recall", "context_relevance", "semantic_similarity"),
    *("factual_correctness", "noise_sensitivity", "response_relevancy", "hallucination", "helpfulness", "correctness"),
    *("groundedness", "toxicity", "acc_norm", "em", "bleu", "rouge", "rouge1", "rouge2", "rouge_l", "rougel", "meteor"),
})  # fmt: skip
_SCORE_PREFIX = re.compile(
    r"((scores?|feedback|metrics?|evals?|evaluations?|annotations?|assertions)[./:]|(scores?|feedback)_)"
)
_SCORE_SUFFIX = re.compile(r"[._/](score|passed|is_correct)$")
_NO_SCORE = re.compile(
    r"(^|[._/])(cost|latency|latency_ms|duration|duration_ms|seconds|elapsed|execution_time|runtime|threshold|weight|"
    r"temperature|top_p|top_k|index|idx|order|line|line_number|turn|seed|count|num|timestamp|tstamp|ts|created|"
    r"created_at|started_at|tokens|bytes|date|time|ttft)$"
    r"|_(tokens|tokens_used|seconds|secs?|ms|cost|usd|count|at|time|id|index|label|error|explanation|reason)$|^(n|num|total)_"
    # The most that could be reached says nothing of what was.
    r"|(^|[._/])(max|min|possible)_(score|points|marks|grade|reward)$"
    # Flags of a platform's row, which say nothing of the answer.
    r"|^(bookmarked|public|starred|archived|cached|is_root|is_public|is_bookmarked)$"
)
# How sure a system says it is, or how likely its words were: a score only where the name says that it is one.
_SURENESS = re.compile(
    r"(^|[._/])(confidence|confidence_score|conf|certainty|probability|prob|probs|p_yes|p_true|logits?|logprobs?|"
    r"log_prob|log_probs|logprob_sum|sum_logprobs|mean_logprob|avg_logprob|log_likelihood|loglikelihood)$"
)
_UNIT = re.compile(r"\s*[(\[][^()\[\]]*[)\]]$")
_AGAIN = re.compile(r" \(\d+\)$")
_INDEX = re.compile(r"unnamed: ?\d+|")

_CONTENT_NAMES = CONTENT | OUTPUT | {*INPUT, *TARGET, *CHOICES}
_ROLE_NAMES = _CONTENT_NAMES | {*CASE, *REP, *ARM, *METRIC, *SET, *ERROR, *STATUS, "cluster", "slice"}

LONG_TEXT = 120
"""Cells above this length are text that someone wrote, not the name of a slice, an arm or a set."""


def plain_name(name: str) -> str:
    """Return a header as the alias lists spell it.

    Examples
    --------
    >>> plain_name("Case ID"), plain_name("isCorrect"), plain_name("scores.Accuracy"), plain_name("PASSED?")
    ('case_id', 'is_correct', 'scores.accuracy', 'passed')
    """
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip().rstrip("?!:"))
    return re.sub(r"[\s\-]+", "_", snake).lower()


def is_content_name(name: str) -> bool:
    """Return whether a field holds what a case asks or expects, or what a system answered; dots part a path.

    Examples
    --------
    >>> is_content_name("inputs.question"), is_content_name("metadata.topic")
    (True, False)
    """
    return any(part in _CONTENT_NAMES for part in plain_name(name).split("."))


def is_role_name(name: str) -> bool:
    """Return whether some role knows a header by its name."""
    return plain_name(name) in _ROLE_NAMES or is_index_name(name) or is_score_name(name)


def is_index_name(name: str) -> bool:
    """Return whether a header is the one that a data frame's row index gets in a CSV file."""
    return _INDEX.fullmatch(name.strip().lower()) is not None


def is_score_name(name: str) -> bool:
    """Return whether a header names a score; a number behind a header that came twice is not looked at."""
    plain = plain_name(_AGAIN.sub("", name))
    if plain in SCORE or is_known_metric(name):
        return True
    return is_possible_score(name) and bool(_SCORE_PREFIX.match(plain) or _SCORE_SUFFIX.search(f"_{plain}"))


def is_known_metric(name: str) -> bool:
    """Return whether a header is the name that some framework gives one of its several metrics."""
    return plain_name(_AGAIN.sub("", name)) in _KNOWN_METRICS


def is_possible_score(name: str) -> bool:
    """Return whether a header may name a score: it names no time, cost, count, flag or identity, whatever its unit.

    Examples
    --------
    >>> is_possible_score("Latency (s)"), is_possible_score("fluency (1-5)")
    (False, True)
    """
    plain = plain_name(_UNIT.sub("", name) or name)
    if _SURENESS.search(plain) and not _SCORE_PREFIX.match(plain):
        return False
    return _NO_SCORE.search(plain) is None
