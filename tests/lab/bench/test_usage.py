from __future__ import annotations

import os
import subprocess
import sys
import time

from voicepipe.lab.bench.usage import usage

BUSY = (
    "import sys, time\n"
    "end = time.process_time() + 0.2\n"
    "while time.process_time() < end: pass\n"
    "print('done', flush=True)\n"
    "sys.stdin.read()\n"
)


def test_cpu_time_and_memory_of_a_process_and_of_its_children() -> None:
    before = usage(os.getpid())
    with subprocess.Popen(
        [sys.executable, "-c", BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        of_child, of_parent = usage(child.pid), usage(os.getpid())
        assert child.stdin is not None
        child.stdin.close()
    assert before is not None
    assert of_child is not None
    assert of_parent is not None
    assert 0.18 <= of_child.cpu_s < 2
    assert of_child.rss_mb > 3
    assert of_child.peak_rss_mb >= of_child.rss_mb
    assert of_child.workers_cpu_s == 0
    assert of_parent.workers_cpu_s >= before.workers_cpu_s + 0.18
    assert of_parent.workers_rss_mb > 3
    assert of_parent.cpu_s >= time.process_time() * 0.5


def test_a_process_that_is_not_there_gives_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    assert usage(gone.pid) is None
