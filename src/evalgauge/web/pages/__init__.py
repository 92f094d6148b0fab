"""The pages, one file each, in the order in which they stand in the menu."""

from __future__ import annotations

from evalgauge.web.pages.check import CHECK
from evalgauge.web.pages.compare import COMPARE
from evalgauge.web.pages.design import DESIGN
from evalgauge.web.pages.gate import GATE
from evalgauge.web.pages.ledger import LEDGER
from evalgauge.web.pages.measure import MEASURE
from evalgauge.web.pages.plan import PLAN
from evalgauge.web.pages.reps import REPS
from evalgauge.web.pages.reuse import REUSE
from evalgauge.web.pages.verify import VERIFY

PAGES = {page.name: page for page in (PLAN, DESIGN, REPS, REUSE, VERIFY, MEASURE, COMPARE, GATE, CHECK, LEDGER)}
