"""The durable record of calls: who, when, which turns at what latency, how it ended, and (opt-in) a
stereo recording. For any transport: telephony, WebRTC, WebSocket.

    from voicepipe.call_log.log import CallLog
    from voicepipe.call_log.contract import CallInfo

The process owns one `CallLog` (`Service.calls`). With `calls.enabled = false` it is there all the
same and does nothing, so a transport never asks.

    calls = CallLog(settings, clock)      # touches nothing yet
    await calls.start()                    # opens or makes the database, closes what a crash left
                                           # open; raises CallStoreError, which a person can read
    turn_log.watch(calls.turn_finished)    # the service does this once: no transport reports turns
    ...
    await calls.aclose(deadline_s)         # after the last call has ended

A transport, for each call (all of these return at once and do no I/O; the loop's thread only):

    call = calls.begin(
        CallInfo(
            transport="twilio",            # or telnyx, webrtc, realtime ...
            session_id=session.id,
            carrier_call_id=..., caller=..., called=...,
            input_format=..., output_format=...,   # AudioFormat of the bytes given below
                                                   # (sound=False: none will be given)
        ),
        session.conversation,              # texts of turns are read from here; may be left out
    )
    call.heard_from_caller(audio, at_s)    # wire bytes that arrived at clock.now() == at_s
    call.played_to_caller(audio, at_s)     # wire bytes whose playback begins at at_s, or right
                                           # behind what was given before if that still plays
    call.flushed(at_s)                     # the listener forgot all that it had not played at at_s
    call.turn(record, user_text, agent_text) -> bool   # only where `turn_finished` is not watched;
                                           # False: it could not be kept (logged and counted)
    call.end(reason)                       # "caller hung up", "agent hung up", "lost", "limit" ...
                                           # after the session is closed; a second end is ignored

Consent: `calls.consent` is a text to say before anything is recorded, "" for none. A transport that
says it calls `call.consented()` when it has been played to its end; until then, where a text is
set, no sound is kept. Where none is set recording starts with `begin`. Records are kept either way.

    call.id                                # "call_..." for logs; "" while calls are not kept
    call.recording                         # whether sound is being kept now
    calls.counts, calls.problem              # what was written and lost; why writing fails, or None
"""
