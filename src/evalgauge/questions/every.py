"""Every request and every answer, as one type each: for code that passes them on without looking inside."""

from typing import TypeAlias

from evalgauge.questions.best_of import BestOfAnswer, BestOfRequest
from evalgauge.questions.bless import BlessAnswer, BlessRequest
from evalgauge.questions.compare import CompareAnswer, CompareRequest
from evalgauge.questions.convert import ConvertAnswer, ConvertRequest
from evalgauge.questions.gate import GateAnswer, GateRequest
from evalgauge.questions.gate_check import GateCheckAnswer, GateCheckRequest
from evalgauge.questions.look_at import LookAtAnswer, LookAtRequest
from evalgauge.questions.measure import MeasureAnswer, MeasureRequest
from evalgauge.questions.plan import PlanAnswer, PlanRequest
from evalgauge.questions.plan_design import PlanDesignAnswer, PlanDesignRequest
from evalgauge.questions.plan_reps import PlanRepsAnswer, PlanRepsRequest
from evalgauge.questions.reuse import ReuseAnswer, ReuseRequest
from evalgauge.questions.verify import VerifyAnswer, VerifyRequest

Request: TypeAlias = (
    MeasureRequest
    | CompareRequest
    | GateRequest
    | GateCheckRequest
    | BlessRequest
    | ConvertRequest
    | LookAtRequest
    | PlanRequest
    | PlanDesignRequest
    | PlanRepsRequest
    | ReuseRequest
    | BestOfRequest
    | VerifyRequest
)
Answer: TypeAlias = (
    MeasureAnswer
    | CompareAnswer
    | GateAnswer
    | GateCheckAnswer
    | BlessAnswer
    | ConvertAnswer
    | LookAtAnswer
    | PlanAnswer
    | PlanDesignAnswer
    | PlanRepsAnswer
    | ReuseAnswer
    | BestOfAnswer
    | VerifyAnswer
)
