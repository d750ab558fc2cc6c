"""What is on when: classes with days and teachers, boats and films with their times."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

from desk_hours import DAYS
from desk_told import Fact, opened, person
from dialogue_values import capitalise
from open_words import open_word
from order_items import joined
from sheet_lines import Row, rows_text
from sheet_values import CLOCK_STYLES, clock_at, day_told

_CLASSES: Final = "yoga|hatha|yin|flow|pilates|zumba|karate|judo|ballet|salsa|tango|spinning|boxing|pottery|painting|French|Spanish|Italian|the choir|the beginners' class|the advanced class|the children's class|the evening class|aqua gym|knitting|chess|the {o} class|the {o} class|{o}|{O}|the {o} group|{o} training|drawing|guitar"


def classes(rng: random.Random) -> Fact:
    """Two to four classes on different days, at times with who teaches them."""
    count, style = rng.choice((2, 3, 3, 4)), rng.choice(CLOCK_STYLES)
    days = sorted(rng.sample(range(7), count))
    names = list(
        {
            opened(
                rng.choice(_CLASSES.split("|")).replace("{O}", capitalise(open_word(rng))), rng
            ): None
            for _ in days
        }
    )
    days = days[: len(names)]
    times = [
        clock_at(60 * rng.randint(8, 20) + rng.choice((0, 0, 0, 30, 30, 15, 45)), style)
        for _ in days
    ]
    taught = rng.random() < 0.6
    people = [person(rng) for _ in days]
    if taught and len(people) > 2 and rng.random() < 0.5:
        people[-1] = people[0]
    rows, by_day = [], rng.random() < 0.35
    for name, day, time, who in zip(names, days, times, people, strict=True):
        on = day_told(day, rng)
        teacher = [("who", f"with {who}" if by_day else who)] if taught else []
        if by_day:  # ``Monday 18:30 Hatha with Leila``
            rows.append(
                Row(
                    f"{on} {time.told} {name.removeprefix('the ')}",
                    [("who", f"with {who}")] if taught else [("is", "for all")],
                )
            )
        else:
            rows.append(
                Row(name, [("when", f"{on}{rng.choice((' ', ' ', ' at '))}{time.told}"), *teacher])
            )
    heading = rng.choice(("Classes:", "Timetable:", "This week:", "Courses:", "", "Schedule:"))
    if by_day:
        tails = [f" {row.columns[0][1]}" if taught else "" for row in rows]
        glue = rng.choice((". ", "; ", "\n", "\n- ", ", "))
        told = (
            (f"{heading}{glue if glue.startswith(chr(10)) else ' '}" if heading else "")
            + glue.join(f"{row.label}{tail}" for row, tail in zip(rows, tails, strict=True))
            + "."
        )
    else:
        told = " ".join(rows_text(rows, heading, rng))
    asks: list[tuple[str, str]] = []
    more: list[tuple[str, str]] = []
    for name, day, time, who in zip(names, days, times, people, strict=True):
        bare = name.removeprefix("the ").removesuffix(" class")
        said = f"{capitalise(name)} is on {DAYS[day]} at {time.said}."
        asks += [
            (
                f"[when is {name}|what time is {name}|what day is {name} [on|]|when does {name} [start|begin]|on which day is {name}|i'd like to [come to|join|try|do] {name} when is [that|it]|when's {name} [on|]|{bare} when is that|when can i [come to|do] {name}|which day is {bare}|[i want to|i'd love to] do {bare} when would that be|{name} is when]",
                said,
            ),
            (
                f"[what's on [on|] {DAYS[day]}|what is there on {DAYS[day]}s|which class is on {DAYS[day]}|what do you have on {DAYS[day]}s|i can only come on {DAYS[day]}s what is there|which one is the {DAYS[day]} one|what can i do on a {DAYS[day]}]",
                f"On {DAYS[day]} there is {name} at {time.said}.",
            ),
        ]
        more.append((f"[and {bare}|and {name}|what about {name}|and when is {name}]", said))
        if taught:
            asks += [
                (
                    f"[who [teaches|does|gives|leads|runs|takes] {name}|who's the teacher [of|for] {name}|who is {name} with|with whom is {name}|who [teaches|does|gives] the {DAYS[day]} [class|one|course|lesson]|who do i get on {DAYS[day]}|who's teaching on {DAYS[day]}|who is [there|it] on {DAYS[day]}s|{bare} with who|and who does {bare}|who would be my teacher in {bare}]",
                    f"That is {who}.",
                )
            ] * 2
    free = [day for day in range(7) if day not in days]
    name, day, time = rng.choice(list(zip(names, days, times, strict=True)))
    other = rng.choice([rng.choice(free), day])
    said = f"{name} is on {DAYS[day]} at {time.said}."
    asks.append(
        (
            f"[is {name} on {DAYS[other]}|can i come to {name} on {DAYS[other]}|is there {name.removeprefix('the ')} on {DAYS[other]}s|do you do {name.removeprefix('the ')} on {DAYS[other]}|{name} is on {DAYS[other]} [right|isn't it]]",
            f"{'Yes' if other == day else 'No'}, {said[0].lower() if name == name.lower() else said[0]}{said[1:]}",
        )
    )
    return Fact("classes", told, asks, more)


_GOING: Final = "boat|ferry|bus|train|tour|show|cable car|shuttle|cruise|film|guided tour|{o} boat|{o} tour|{o} show"


def departures(rng: random.Random) -> Fact:
    """Times of a day at which something goes: the first, the last, the next after a time."""
    what, style = opened(rng.choice(_GOING.split("|")), rng), rng.choice(CLOCK_STYLES)
    minutes = sorted(
        rng.sample(
            [60 * hour + rest for hour in range(7, 22) for rest in (0, 0, 15, 20, 30, 40, 45, 10)],
            rng.choice((2, 3, 3, 4)),
        )
    )
    minutes = sorted(set(minutes))
    times = [clock_at(minute, style) for minute in minutes]
    listed, said = ", ".join(time.told for time in times), [time.said for time in times]
    leave = "start" if what.endswith(("show", "film", "tour")) else "leave"
    every = rng.choice(("daily", "every day", ""))
    told = rng.choice(
        (
            f"Departures: {listed}",
            f"{capitalise(what)}s {leave} {every} at {joined([t.told for t in times])}",
            f"{capitalise(what)}s: {listed}",
            f"{capitalise(what)} times: {listed}",
            f"The {what} goes at {joined([t.told for t in times])}",
            f"Timetable ({what}): {listed}",
            f"{capitalise(what)}s {every} {listed}",
        )
    )
    asks: list[tuple[str, str]] = []
    if rng.random() < 0.45:  # the last one back is told by itself
        back = clock_at(rng.randint(16, 22) * 60 + rng.choice((0, 5, 10, 15, 30, 45, 50)), style)
        told += rng.choice(
            (
                f". Last {what} back: {back.told}",
                f"; last {what} back {back.told}",
                f". The last {what} back is at {back.told}",
                f". Last return: {back.told}",
                f". The last one back goes at {back.told}",
            )
        )
        asks += [
            (
                f"[when's the last {what} back|what's the last {what} back|when does the last {what} come back|when do we have to be back|how late can we come back|what time is the last one back|till when is there a {what} back|when is the last {what} home]",
                f"The last {what} back is at {back.said}.",
            )
        ] * 3
    told = " ".join(f"{told}.".split())
    all_said = " and at ".join([", at ".join(said[:-1]), said[-1]])
    asks += [
        (
            f"[when [do|does] the {what}s [go|leave|start]|what times [do|are] the {what}s|when is there a {what}|when does the {what} [go|leave|start]|what are the times of the {what}|at what times is the {what}|when can we take the {what}|{what} times please|when do the {what}s {leave}|what time's the {what}]",
            f"The {what}s {leave} at {all_said}.",
        ),
        (
            f"[when's the first {what}|what time is the first {what}|how early does the {what} go|when does the first {what} {leave}|what's the earliest {what}|the first {what} is when]",
            f"The first {what} is at {said[0]}.",
        ),
    ]
    if not any("back" in answer for _, answer in asks):
        asks.append(
            (
                f"[when's the last {what}|what time is the last {what}|how late does the {what} go|when does the last {what} {leave}|what's the latest {what}|the last {what} is when]",
                f"The last {what} is at {said[-1]}.",
            )
        )
    day = "[|||today|tomorrow|on Saturday|this week]"
    asks = [(text if " back" in answer else f"{text} {day}", answer) for text, answer in asks]
    return Fact("times", told, asks)


def films(rng: random.Random) -> Fact:
    """What is shown where and when: titles are any words."""
    style, rows, asks, more = rng.choice(CLOCK_STYLES), [], [], []
    noun = rng.choice(("screen", "screen", "room", "stage", "hall"))
    for index in range(rng.choice((2, 2, 3))):
        title = " ".join(capitalise(open_word(rng)) for _ in range(rng.choice((1, 2, 2))))
        title = rng.choice(("", "The ", "The ", "My ", "A ")) + title
        minutes = sorted(rng.sample(range(14 * 60, 22 * 60, 15), rng.choice((1, 1, 2))))
        times = [clock_at(minute, style) for minute in minutes]
        quoted = rng.choice((title, f"'{title}'", f'"{title}"'))
        told_times = " and ".join(time.told for time in times)
        where = f"{noun} {index + 1}"
        said = f"{title} is at {' and at '.join(time.said for time in times)}."
        rows.append((where, quoted, told_times))
        low = title.lower() if rng.random() < 0.5 else title
        asks += [
            (
                f"[when is {low} on|when's {low} on|what time is {low}|when does {low} start|what time does {low} start|when can i see {low}|{low} when is that [on|]|i want to see {low} when is it|when do you show {low}|are you showing {low} tonight and when|what are the times for {low}]",
                said,
            )
        ] * 2
        asks.append(
            (
                f"[which {noun} is {low} [on|in]|where is {low} [on|shown|]|what {noun} is {low}|{low} is in which {noun}]",
                f"{title} is {'in' if noun in ('room', 'hall') else 'on'} {noun} {('one', 'two', 'three')[index]}.",
            )
        )
        more.append((f"[and {low}|what about {low}|and when is {low}]", said))
    form = rng.choice(
        (
            "{w} - {t} {c}",
            "{w}: {t} {c}",
            "{w}: {t} at {c}",
            "{t} ({w}) {c}",
            "{w} {t}, {c}",
            "{t}: {c}, {w}",
            "{t} at {c} ({w})",
        )
    )
    lines = [
        form.replace("{w}", capitalise(w) if form.startswith("{w") else w)
        .replace("{t}", t)
        .replace("{c}", c)
        for w, t, c in rows
    ]
    head = rng.choice(
        ("Tonight: ", "On today: ", "Programme: ", "Now showing: ", "", "This week: ")
    )
    glue = rng.choice((". ", "; ", "\n", ". ", "\n- "))
    return Fact(
        "films",
        f"{head}{glue if glue.startswith(chr(10)) and head else ''}{glue.join(lines)}.",
        asks,
        more,
    )
