"""Every request and every answer, as one type each: for code that passes them on without looking inside."""

from typing import TypeAlias

from evalgauge.questions.best_of import BestOfAnswer, BestOfRequest
from evalgauge.questions.bless import BlessAnswer, BlessRequest
from evalgauge.questions.compare import CompareAnswer, CompareRequest
from evalgauge.questions.convert import ConvertAnswer, ConvertRequest
from evalgauge.questions.gate import GateAnswer, GateRequest
from evalgauge.questions.gate_check import GateCheckAnswer, GateCheckRequest
from evalgauge.questions.holdout import HoldoutAnswer, HoldoutRequest
from evalgauge.questions.ledger_afterwards import (
    DecideAnswer,
    DecideRequest,
    RevealAnswer,
    RevealRequest,
    VoidAnswer,
    VoidRequest,
)
from evalgauge.questions.ledger_cards import HistoryAnswer, HistoryRequest, StatusAnswer, StatusRequest
from evalgauge.questions.ledger_looks import (
    ImportAnswer,
    ImportRequest,
    LookAnswer,
    LookRequest,
    RefreshAnswer,
    RefreshRequest,
)
from evalgauge.questions.ledger_sets import (
    CheckAnswer,
    CheckRequest,
    DeclareAnswer,
    DeclareRequest,
    ExportAnswer,
    ExportRequest,
    InitAnswer,
    InitRequest,
    MergeAnswer,
    MergeRequest,
    RegisterAnswer,
    RegisterRequest,
)
from evalgauge.questions.look_at import LookAtAnswer, LookAtRequest
from evalgauge.questions.measure import MeasureAnswer, MeasureRequest
from evalgauge.questions.plan import PlanAnswer, PlanRequest
from evalgauge.questions.plan_design import PlanDesignAnswer, PlanDesignRequest
from evalgauge.questions.plan_reps import PlanRepsAnswer, PlanRepsRequest
from evalgauge.questions.rank import RankAnswer, RankRequest
from evalgauge.questions.report import ReportAnswer, ReportRequest
from evalgauge.questions.reuse import ReuseAnswer, ReuseRequest
from evalgauge.questions.verify import VerifyAnswer, VerifyRequest
from evalgauge.questions.verify_gate import VerifyGateAnswer, VerifyGateRequest

LedgerRequest: TypeAlias = (
    InitRequest
    | RegisterRequest
    | DeclareRequest
    | LookRequest
    | ImportRequest
    | DecideRequest
    | RevealRequest
    | VoidRequest
    | RefreshRequest
    | StatusRequest
    | HistoryRequest
    | CheckRequest
    | ExportRequest
    | MergeRequest
    | HoldoutRequest
)
LedgerAnswer: TypeAlias = (
    InitAnswer
    | RegisterAnswer
    | DeclareAnswer
    | LookAnswer
    | ImportAnswer
    | DecideAnswer
    | RevealAnswer
    | VoidAnswer
    | RefreshAnswer
    | StatusAnswer
    | HistoryAnswer
    | CheckAnswer
    | ExportAnswer
    | MergeAnswer
    | HoldoutAnswer
)
Request: TypeAlias = (
    LedgerRequest
    | MeasureRequest
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
    | RankRequest
    | ReportRequest
    | VerifyRequest
    | VerifyGateRequest
)
Answer: TypeAlias = (
    LedgerAnswer
    | MeasureAnswer
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
    | RankAnswer
    | ReportAnswer
    | VerifyAnswer
    | VerifyGateAnswer
)
