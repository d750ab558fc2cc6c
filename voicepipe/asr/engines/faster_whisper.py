"""The `faster_whisper` engine: Whisper checkpoints in CTranslate2's format, on CPU or CUDA 12."""

from __future__ import annotations

from voicepipe.asr.engines.model_file import ModelFile
from voicepipe.asr.engines.whisper_decoder import WhisperDecoder
from voicepipe.asr.engines.whisper_recognizer import WhisperRecognizer
from voicepipe.config import AsrSettings
from voicepipe.config.engines import EngineContext
from voicepipe.runtime.errors import EngineUnavailable


class FasterWhisperRecognizer(WhisperRecognizer):
    """Implements `contract.Recognizer`."""

    name = "faster_whisper"
    needed_files = ("model.bin", "config.json", "tokenizer.json")  # without the last one
    # faster-whisper would try to download it
    model_format = "CTranslate2"

    def _check_packages(self) -> None:
        try:
            import ctranslate2  # noqa: F401
            import faster_whisper  # noqa: F401
        except ImportError as error:
            raise EngineUnavailable(
                f"the faster_whisper engine needs the package {error.name}: "
                "pip install faster-whisper",
                stage="asr",
            ) from error

    def _load(self, rules: ModelFile) -> WhisperDecoder:
        return WhisperDecoder(self._settings, self._model_dir, rules)


def make(context: EngineContext[AsrSettings, None]) -> FasterWhisperRecognizer:
    """See `Engine.make`."""
    return FasterWhisperRecognizer.of(context)
