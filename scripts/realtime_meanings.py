"""What each event and field of the Realtime API does here: the words of the table that
`scripts/realtime_table.py` makes. A field stands for those inside it, unless they have words of
their own."""

from __future__ import annotations

from collections.abc import Mapping

Meanings = Mapping[str, str]

CLIENT: Meanings = {
    "conversation.item.create": "adds a message, a call, its output, or the approval of an MCP "
    "call; audio in it is heard",
    "conversation.item.delete": "forgets it",
    "conversation.item.retrieve": "gives it whole; audio as far as `audio.keep_s` reaches",
    "conversation.item.truncate": "cuts the agent's words to those that were heard",
    "input_audio_buffer.append": "is heard: cut to 20 ms frames, judged, recognized",
    "input_audio_buffer.clear": "forgets the turn under way",
    "input_audio_buffer.commit": "ends the turn; the answer is asked for by `response.create`",
    "output_audio_buffer.clear": "silences the agent where the server plays (WebRTC, telephony)",
    "response.cancel": "stops the response",
    "response.create": "answers now, with what the fields below ask for",
    "session.update": "changes the session, field by field; null switches off or sets back",
}

SENT: Meanings = {
    "conversation.created": "to clients of the beta dialect, after `session.created`",
    "conversation.item.added": "an item is in the conversation, maybe still being written",
    "conversation.item.created": "to clients of the beta dialect, in place of `added`",
    "conversation.item.deleted": "as asked; or to make room (`limits.max_items`)",
    "conversation.item.done": "the item is as it will stay",
    "conversation.item.input_audio_transcription.completed": "what was said, with the turn's "
    "seconds; `logprobs` and `words` where included; never `languages`",
    "conversation.item.input_audio_transcription.delta": "words that will not change, while they "
    "are being said; never `logprobs`",
    "conversation.item.input_audio_transcription.failed": "the recognizer gave up",
    "conversation.item.input_audio_transcription.segment": "a sentence, where included; the "
    "`speaker` is always `user`",
    "conversation.item.retrieved": "as asked",
    "conversation.item.truncated": "as asked; where the server plays, by itself",
    "error": "what was wrong, with the field and the limit; the session goes on",
    "input_audio_buffer.cleared": "as asked; or keys were pressed over speech that had started, or "
    "turn detection was switched: it is dropped",
    "input_audio_buffer.committed": "the turn is over and becomes an item",
    "input_audio_buffer.dtmf_event_received": "a key of the caller's telephone",
    "input_audio_buffer.speech_started": "a turn has begun; names the item it will become",
    "input_audio_buffer.speech_stopped": "the endpoint",
    "input_audio_buffer.timeout_triggered": "nobody spoke for `idle_timeout_ms`",
    "mcp_list_tools.completed": "an MCP server's tools are known",
    "mcp_list_tools.failed": "it cannot be asked",
    "mcp_list_tools.in_progress": "it is being asked",
    "output_audio_buffer.cleared": "what was not heard is dropped (WebRTC)",
    "output_audio_buffer.started": "the agent is heard (WebRTC)",
    "output_audio_buffer.stopped": "it was heard to its end (WebRTC)",
    "response.content_part.added": "text or speech begins",
    "response.content_part.done": "it is whole, or was cut off",
    "response.created": "an answer is under way",
    "response.done": "it is over: completed, cancelled, incomplete or failed, with its tokens",
    "response.function_call_arguments.delta": "a call's arguments, in one piece",
    "response.function_call_arguments.done": "the same, whole",
    "response.mcp_call.completed": "the tool's result is there",
    "response.mcp_call.failed": "it failed",
    "response.mcp_call.in_progress": "the server calls it",
    "response.mcp_call_arguments.delta": "the arguments, in one piece; never `obfuscation`",
    "response.mcp_call_arguments.done": "the same, whole",
    "response.output_audio.delta": "speech, clause by clause (WebSocket)",
    "response.output_audio.done": "there is no more of it",
    "response.output_audio_transcript.delta": "a clause's text, just before its speech",
    "response.output_audio_transcript.done": "all of it",
    "response.output_item.added": "a message or a call begins",
    "response.output_item.done": "it is whole, or was cut off",
    "response.output_text.delta": "a piece of a written answer",
    "response.output_text.done": "all of it",
    "session.created": "first of all, with the values in effect",
    "session.updated": "the values in effect after an update",
}

NEVER_SENT: Meanings = {
    "rate_limits.updated": "never sent: limits are per key, and refuse with 429",
}

SESSION: Meanings = {
    "session.type": "`realtime` or `transcription`",
    "session.audio.input.format": "of what is sent: 24 kHz PCM, mu-law, A-law",
    "session.audio.input.noise_reduction": "for what decides on turns alone, the recognizer hears "
    "the sound as it came: `near_field` takes noise out, `far_field` the agent's own voice too "
    "([barge-in.md](barge-in.md#echo-cancellation-for-turn-detection))",
    "session.audio.input.transcription.delay": "no effect; not shown",
    "session.audio.input.transcription.keywords": "words that the recognizer is told to expect",
    "session.audio.input.transcription.language": "the session's language",
    "session.audio.input.transcription.languages": "the same, where it names one",
    "session.audio.input.transcription.model": "no effect: the server's recognizer listens; shown "
    "as it was sent",
    "session.audio.input.transcription.prompt": "text that the recognizer is told",
    "session.audio.input.turn_detection.type": "`server_vad` or `semantic_vad`; null: push to talk",
    "session.audio.input.turn_detection.create_response": "whether an endpoint is answered",
    "session.audio.input.turn_detection.eagerness": "scales the endpoint's waits: low 2, high 0.75",
    "session.audio.input.turn_detection.idle_timeout_ms": "speaks up after so much silence",
    "session.audio.input.turn_detection.interrupt_response": "whether speech stops the agent",
    "session.audio.input.turn_detection.prefix_padding_ms": "audio before it that belongs to it",
    "session.audio.input.turn_detection.silence_duration_ms": "a fixed wait, in place of the "
    "server's endpointing",
    "session.audio.input.turn_detection.threshold": "probability from which a frame is speech",
    "session.audio.output.format": "of the agent's speech, as above",
    "session.audio.output.speed": "how fast the agent speaks",
    "session.audio.output.voice": "one of the engine's; OpenAI's names are the default voice",
    "session.include": "`...logprobs`, and of our own `...segments` and `...words`",
    "session.instructions": "the system message",
    "session.max_output_tokens": "of one answer; `llm.max_tokens` is the most",
    "session.model": "no effect: the server's or the agent's model answers",
    "session.output_modalities": "speech or text, one of the two",
    "session.parallel_tool_calls": "false: one call of an answer is taken",
    "session.prompt": "refused: no prompts are stored here",
    "session.reasoning": "no effect; not shown",
    "session.tool_choice": "mode or function; an MCP tool by name is refused",
    "session.tools": "functions, which the client runs; MCP servers, which the server calls",
    "session.tracing": "no effect; shown as null",
    "session.truncation": "`auto`, `disabled`",
    "session.truncation.type": "`retention_ratio`",
    "session.truncation.retention_ratio": "how much of a full history is kept",
    "session.truncation.token_limits": "when it is full; 4,000 tokens at most",
}

RESPONSE: Meanings = {
    "response.audio.output.format": "must be the session's",
    "response.audio.output.voice": "of this response",
    "response.conversation": "`none`: beside the conversation, which never hears of it",
    "response.input": "answered in place of the conversation",
    "response.instructions": "in place of the session's",
    "response.max_output_tokens": "likewise",
    "response.metadata": "comes back with the response",
    "response.output_modalities": "in place of the session's",
    "response.parallel_tool_calls": "likewise",
    "response.prompt": "refused: no prompts are stored here",
    "response.reasoning": "no effect",
    "response.tool_choice": "in place of the session's",
    "response.tools": "functions, in place of the session's; `[]`: none, of the server's neither",
}
