"""The sentences in which people ask for a timer: of a name or of none, with a reason."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

BEFORE: Final = "[||||||please|can you|could you|okay|and|hey|also|now|then|um|uh|right|quick|hurry|oh|so|would you|hi|listen|my hands are full|i'm cooking|it's in the oven now|next one|one more thing]"
AFTER: Final = "[|||||please|thanks|okay|would you|for me|ta|will you|quickly|love|if you can]"
NAMED: Final = (
    "[set|start|put on] a [timer for {d}|{d} timer] [call it {l}|called {l}|for the {l}|for {l}|named {l}|labelled {l}|label it {l}|name it {l}|with the name {l}|label {l}]",
    "{l} timer [for|] {d}",
    "[put|make|set|start] [timer|a timer] named {l} for {d}",
    "[plus|and another|also|and] {d} for the {l} [label it {l}|]",
    "put [a|on a] {l} timer [on|] for {d}",
    "[set|start] a timer for [no longer than|exactly|just|about|uh|] {d} call it {l}",
    "{d} [timer|] for the {l}",
    "[set|start] [a|the|my|another|a second] {l} timer [for|of|] {d}",
    "[a second|another|one more] timer for [the|] {l} {d}",
    "[time|] {d} for [the|my] {l}",
    "[set|start] a timer for [the|my] {l} [for|] {d}",
    "{l} {d}",
    "[and|] one for the {l} [as well|too|] {d}",
    "and one for the {l} for {d}",
    "timer {l} {d}",
    "[the|my] {l} [needs|takes|wants|has to have] {d} [so a {l} timer|can you time it|set a timer|timer please]",
    "the {l} is in now [make it|set|time] {d} [name it {l}|for the {l}|]",
    "the {l} wants {d} more set a {l} timer",
    "can you do a {l} timer for {d}",
    "do me a {l} timer [for|of] {d}",
    "{l} going in now {d} on the clock",
    "give the {l} {d}",
    "and a {l} timer {d}",
    "i've got {d} of {l} to do time it",
    "{d} on the {l} timer",
    "timer: {l}, {d}",
    "{l}: {d}",
    "timer for {l}, {d}",
    "[put|stick] {d} on the clock [and|] [call it|name it|label it] {l}",
    "[stick|put|whack|pop] the {l} timer on [for|] {d}",
    "[stick|put|whack|pop] on a {l} timer [of|for] {d}",
    "[put|set] timer for {l} {d}",
    "{l} timer of {d}",
    "[set|start] a {d} timer and [call|name] it {l}",
)
BARE: Final = (
    "[set|start|put on|run] a timer [for|of|] {d}",
    "timer {d}",
    "{d} on the timer",
    "let [a|the] timer run for {d}",
    "[a|another|one more] timer [for|of] {d}",
    "[set|time|count down] {d}",
    "[give me|i need] a timer for {d}",
    "set me a timer for {d} [i'm having a rest|i'm baking|it's for the oven|i'm cooking]",
    "time me for {d}",
    "count down {d} for me",
    "put a timer on for {d}",
    "[tell|warn|nudge|poke|wake] me in {d}",
    "let me know when {d} [is up|are up|have passed]",
    "stop me after {d}",
    "timer on {d}",
    "start counting {d}",
    "just {d} on the clock",
    "[time|clock|count] {d} for [us|me]",
    "do [us|me] a timer [for|of|] {d}",
    "[stick|pop|bung|whack|get|chuck] a timer on for {d}",
    "[a|another|the] timer [please|] {d}",
    "{d} [please|] [starting now|from now|and then beep|go|starting from now]",
    "[beep|buzz|ring|shout|ping me] [in|after] {d}",
    "[can|could] [ya|you] [time|count] {d} for [us|me]",
    "make {d} timer",
    "put timer {d}",
    "i [need|want] [timer|a timer] of {d}",
    "timer. {d}",
    "i need {d} [on the timer|timed]",
    "timer: {d}",
)

#: Why somebody wants a timer without a name: what they say of it is no label.
REASON: Final = (
    "[i have to|i've got to|i need to|i must|i'm going to|i'm about to|i want to|mummy says i have to|the doctor says i should|she says i have to|we have to|i'm supposed to|they told me to] "
    "[{c}|brush my teeth|take my tablets|lie down|soak my feet|hold still|rest my eyes|stretch|meditate|sit still|practise|wait|sleep a bit|{o}|{o} the {o}|take my medicine|wash my hands|do my exercises]|"
    "[my wife is in the bath|the kettle's on|the pasta's in|the cake is in the oven|it's boiling|i'm boiling eggs|the tea is steeping|my food's in|the kids are playing|i'm on a break|i'm dyeing my hair|my hands are full|the {o} is in|i'm making {o}]"
)
EXPLAINED: Final = "[{r} so please {b}|{r} so {b}|{r} can you {b}|{r} could you {b}|{r} {b}|{r} please {b}|{r} for {d} so {b}|{r} for {d} can you do a timer for {d}|{w} says [exactly|it takes|about|] {d} [can you time that|time it|time that for me|so time that|set a timer|so timer please]]"
BARE_WISH: Final = "[time me for {d}|set a timer for {d}|do a timer for {d}|time {d}|time me {d}|give me {d}|put on a timer for {d}|set me a timer for {d}|tell me when {d} [is|are] up|count {d} for me|start a timer of {d}|time {d} for us]"
