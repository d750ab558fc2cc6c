"""The `transformers` engine: Whisper checkpoints in Hugging Face's format on torch. For hosts where
CTranslate2 cannot use the GPU (it wants CUDA 12's cuBLAS), and wherever torch runs already."""

from __future__ import annotations

from voicepipe.asr.engines.model_file import ModelFile
from voicepipe.asr.engines.whisper_recognizer import Decoder, WhisperRecognizer
from voicepipe.config import AsrSettings
from voicepipe.config.engines import EngineContext
from voicepipe.runtime.errors import EngineUnavailable


class TransformersRecognizer(WhisperRecognizer):
    """Implements `contract.Recognizer`."""

    name = "transformers"
    needed_files = (
        "model.safetensors|model.safetensors.index.json",
        "config.json",
        "generation_config.json",
        "tokenizer.json",
    )
    model_format = "Hugging Face"

    @property
    def _workers(self) -> int:
        return 1  # torch shares its threads and its device's stream; more only queue up there

    def _check_packages(self) -> None:
        try:
            import torch  # noqa: F401
            import transformers  # noqa: F401
        except ImportError as error:
            raise EngineUnavailable(
                f"the transformers engine needs the package {error.name}: "
                "pip install torch transformers",
                stage="asr",
            ) from error

    def _load(self, rules: ModelFile) -> Decoder:
        from voicepipe.asr.engines.torch_decoder import TorchDecoder

        return TorchDecoder(self._settings, self._model_dir, rules)


def make(context: EngineContext[AsrSettings, None]) -> TransformersRecognizer:
    """See `Engine.make`."""
    return TransformersRecognizer.of(context)
