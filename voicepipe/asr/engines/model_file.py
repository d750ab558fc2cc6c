"""`voicepipe.json`: what a model directory says of its own limits. Optional; without it the rules
for stock Whisper checkpoints hold."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from voicepipe.asr.filters import FilterLimits
from voicepipe.asr.windows import STOCK_MAX_S, WindowLimits
from voicepipe.config import AsrSettings
from voicepipe.runtime.errors import EngineUnavailable

FILE_NAME = "voicepipe.json"

OWN_PAUSE_S = 0.25
"""Models of short windows learn sentence by sentence. The built-in one, at a third of its training:
10 % word errors on sentences one by one, 43 % on two in a window."""


class WindowSection(BaseModel):
    """Seconds of audio the encoder was trained on."""

    model_config = ConfigDict(frozen=True)

    min: float = Field(gt=0, le=STOCK_MAX_S)
    max: float = Field(gt=0, le=STOCK_MAX_S)
    margin: float = Field(ge=0)
    pause: float | None = Field(OWN_PAUSE_S, gt=0)  # cut the audio at pauses so long; null: never


class ModelFile(BaseModel):
    """The file's keys; others (name, licence, training) are for people and are ignored."""

    model_config = ConfigDict(frozen=True)

    window_s: WindowSection | None = None
    no_speech_threshold: float | None = Field(None, ge=0, le=1)  # text is refused above ...
    log_prob_threshold: float | None = Field(None, le=0)  # ... or below; each on its own
    lowercase: bool = False  # trained on lower-case text: prompts are lowered too
    prompt: tuple[str, ...] | None = None  # the tokens every decode starts with; a model that
    # names them has not learnt to be shown earlier text
    tokens_per_s: float | None = Field(None, gt=0)  # small vocabularies need more than stock ones
    chunk_length: float = Field(STOCK_MAX_S, gt=0)  # seconds the encoder has positions for; taken
    # from preprocessor_config.json, where every Whisper keeps it
    max_tokens: int = Field(224, ge=1, le=224)  # text positions of the decoder, less the prompt

    def windows(self, settings: AsrSettings) -> WindowLimits:
        """The model's own window limits, else those of the settings within its positions."""
        if self.window_s is None:
            longest_s = min(self.chunk_length, STOCK_MAX_S)
            margin_s = min(settings.window_margin_s, longest_s / 2)
            pause_s = OWN_PAUSE_S if longest_s < STOCK_MAX_S else None
            least_s = min(settings.min_window_s, longest_s)
            return WindowLimits(least_s, longest_s, margin_s, pause_s=pause_s)
        own = self.window_s
        return WindowLimits(own.min, own.max, own.margin, pause_s=own.pause)

    def filters(self) -> FilterLimits:
        """The thresholds beyond which text is withheld. Those of the file were tuned on the model
        and hold each on its own; without them the stock rule needs both to be crossed."""
        if self.no_speech_threshold is None and self.log_prob_threshold is None:
            return FilterLimits()
        no_speech, log_prob = self.no_speech_threshold, self.log_prob_threshold
        return FilterLimits(
            no_speech=1.0 if no_speech is None else no_speech,
            log_prob=-math.inf if log_prob is None else log_prob,
            either=True,
        )


def read_model_file(model_dir: Path) -> ModelFile:
    """The directory's `voicepipe.json`, or the stock rules. Raises EngineUnavailable naming the
    file and what is wrong in it."""
    rules = _read(model_dir / "preprocessor_config.json", {"chunk_length"})
    return ModelFile.model_validate(
        rules | _read(model_dir / FILE_NAME, set(ModelFile.model_fields))
    )


def _read(path: Path, keys: set[str]) -> dict[str, Any]:
    """Those keys that the file sets, checked; none if there is no such file."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_bytes())
        rules = ModelFile.model_validate({key: found[key] for key in keys & set(found)})
        rules.windows(AsrSettings())
    except (ValidationError, ValueError, TypeError) as error:
        raise EngineUnavailable(f"{path} is not a valid model file: {error}", stage="asr") from None
    return rules.model_dump(exclude_unset=True)
