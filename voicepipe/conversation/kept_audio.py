"""How much of the user's audio a conversation keeps: the newest, up to a limit. Pure."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from voicepipe.audio.pcm import SAMPLE_RATE
from voicepipe.conversation.history import Conversation
from voicepipe.conversation.items import AudioPart, MessageItem


class KeptAudio:
    """Forgets the audio (not the text) of the oldest items when `limit_s` seconds are passed."""

    def __init__(self, conversation: Conversation, limit_s: float) -> None:
        self._conversation = conversation
        self._limit_samples = round(limit_s * SAMPLE_RATE)
        self._items: deque[tuple[str, int]] = deque()
        self._samples = 0

    def add(self, item_id: str, samples: int) -> None:
        """Item `item_id` holds so many samples of 16 kHz audio."""
        self._items.append((item_id, samples))
        self._samples += samples
        while self._samples > self._limit_samples and self._items:
            oldest, size = self._items.popleft()
            self._samples -= size
            self._forget(oldest)

    def _forget(self, item_id: str) -> None:
        if item_id not in self._conversation:
            return
        item = self._conversation.get(item_id)
        if isinstance(item, MessageItem):
            content = tuple(
                replace(part, pcm=None) if isinstance(part, AudioPart) else part
                for part in item.content
            )
            self._conversation.replace(replace(item, content=content))
