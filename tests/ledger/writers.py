"""Run by tests as a program: many writers of one ledger at once, some of them killed in the middle.

writers.py kill PLACE KILLS SEED     four writers that go on; a random one is killed at a random moment, KILLS times
writers.py crowd PLACE WRITERS EACH  so many writers at once, each adding so many looks

Writers are forked from one process that has imported everything, so that a kill lands in their work and not in their
start. Whoever has an acknowledgement writes the look's hash to a pipe first; what was printed must be in the ledger.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time

from evalgauge.ledger.places import named_place
from evalgauge.ledger.store import opened

HASH = 64
WRITERS = 4


def start_writer(where: str, number: int, pipe: int, each: int | None = None) -> int:
    child = os.fork()
    if child:
        return child
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ledger = opened(named_place(where))
    done = 0
    while each is None or done < each:
        with ledger.writing() as writing:
            part = writing.keep(os.urandom(64))
            event = writing.append("look", {"writer": number, "pid": os.getpid(), "done": done, "results": part})
        os.write(pipe, event.hash.encode())
        done += 1
    os._exit(0)


def read_all(pipe: int) -> list[str]:
    data = b""
    while chunk := os.read(pipe, 1 << 16):
        data += chunk
    return [data[at : at + HASH].decode() for at in range(0, len(data), HASH)]


def kill(where: str, kills: int, seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - test data
    # Long enough that some looks are acknowledged between two kills: a server needs a connection first.
    longest = 0.2 if "://" in where else 0.08
    # A file takes any number of acknowledgements; a pipe would have to be read meanwhile.
    with tempfile.TemporaryFile("ab+", buffering=0) as kept:
        pipe = kept.fileno()
        writers = [start_writer(where, number, pipe) for number in range(WRITERS)]
        for _ in range(kills):
            time.sleep(draw.random() * longest)
            chosen = draw.randrange(WRITERS)
            os.kill(writers[chosen], signal.SIGKILL)
            os.waitpid(writers[chosen], 0)
            writers[chosen] = start_writer(where, chosen, pipe)
        for writer in writers:
            os.kill(writer, signal.SIGKILL)
            os.waitpid(writer, 0)
        os.lseek(pipe, 0, os.SEEK_SET)
        sys.stdout.write("\n".join(read_all(pipe)))


def crowd(where: str, writers: int, each: int) -> None:
    reading, pipe = os.pipe()
    children = [start_writer(where, number, pipe, each) for number in range(writers)]
    os.close(pipe)
    acknowledged = read_all(reading)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert codes == [0] * writers, codes
    sys.stdout.write("\n".join(acknowledged))


if __name__ == "__main__":
    mode, where, first, second = sys.argv[1:]
    # Everything is imported here, once; the children open connections of their own.
    opened(named_place(where))
    {"kill": kill, "crowd": crowd}[mode](where, int(first), int(second))
