"""One turn with the server on a port of this machine: a question in writing, an answer by voice.

python .ci/one_turn.py PORT [KEY]
"""

from __future__ import annotations

import base64
import json
import sys

from websockets.sync.client import connect


def main(port: str, key: str = "") -> None:
    """Raises AssertionError where the answer is none."""
    text = {"type": "input_text", "text": "What time is it?"}
    item = {"type": "message", "role": "user", "content": [text]}
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    audio, said = b"", ""
    with connect(f"ws://127.0.0.1:{port}/v1/realtime", additional_headers=headers) as line:
        line.send(json.dumps({"type": "conversation.item.create", "item": item}))
        line.send(json.dumps({"type": "response.create"}))
        while (event := json.loads(line.recv(timeout=60)))["type"] != "response.done":
            if event["type"] == "response.output_audio.delta":
                audio += base64.b64decode(event["delta"])
            if event["type"] == "response.output_audio_transcript.delta":
                said += event["delta"]
    assert event["response"]["status"] == "completed", event
    assert said, event
    assert len(audio) > 24_000, len(audio)
    print(f"one turn: {said!r}, {len(audio) / 48_000:.1f} s of speech")


if __name__ == "__main__":
    main(*sys.argv[1:])
