"""The tables and pictures of docs/capacity.md: python -m scripts.capacity_page [--calls 100 ...]

Each plan in docs/capacity is sized for each number of calls; its table goes between its marks in
the page, its picture to docs/img. Simulated, so any machine will do; minutes of one core.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from voicepipe.lab.capacity.picture import picture
from voicepipe.lab.capacity.plan import read_plan
from voicepipe.lab.capacity.sizing import sizes
from voicepipe.lab.capacity.table import markdown
from voicepipe.runtime.gc_tuning import spared

DOCS = Path(__file__).parents[1] / "docs"
CALLS = (100, 1_000, 10_000, 100_000)


def placed(page: str, name: str, table: str) -> str:
    """`page` with the table of this plan. Raises ValueError where it has no place for it."""
    marks = rf"(<!-- table {re.escape(name)} -->\n).*?(<!-- end -->)"
    changed, times = re.subn(marks, rf"\g<1>\n{table}\n\g<2>", page, flags=re.DOTALL)
    if times != 1:
        raise ValueError(f"docs/capacity.md needs one place marked <!-- table {name} -->")
    return changed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, nargs="+", default=CALLS)
    parser.add_argument("--plan", nargs="*", help="names; default: all")
    asked = parser.parse_args()
    page = DOCS / "capacity.md"
    for file in sorted((DOCS / "capacity").glob("*.toml")):
        if asked.plan and file.stem not in asked.plan:
            continue
        plan = read_plan(file)
        with spared():
            fleets = sizes(plan, asked.calls, told=lambda what: print(what, file=sys.stderr))
        table = markdown(plan, fleets)
        print(table)
        (DOCS / "img" / f"capacity-{file.stem}.svg").write_text(picture(plan, fleets))
        page.write_text(placed(page.read_text(), file.stem, table))


if __name__ == "__main__":
    main()
