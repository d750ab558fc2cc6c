"""The dialog core's own settings; those of turns are `dialog/options.py`."""

from __future__ import annotations

from voicepipe.config.section import Section


class DialogSettings(Section):
    record_dir: str = ""  # a tape of each session's dialog is written here, for `voicepipe replay`;
    # it holds the words that were recognized; "" = none
