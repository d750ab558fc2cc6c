"""What each command of a client does."""

from __future__ import annotations

import numpy as np

from voicepipe.conversation.items import (
    AudioPart,
    Item,
    McpApprovalRequestItem,
    McpApprovalResponseItem,
    MessageItem,
)
from voicepipe.conversation.kept_audio import KeptAudio
from voicepipe.runtime.errors import ProtocolError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.client_mcp import ClientMcp
from voicepipe.session.context import Context
from voicepipe.session.dtmf import Dtmf
from voicepipe.session.items import Items
from voicepipe.session.turn_taking import TurnTaking


class ClientCommands:
    """Of one session; all but audio, which `Session` takes."""

    def __init__(
        self, context: Context, turns: TurnTaking, items: Items, keys: Dtmf, mcp: ClientMcp
    ) -> None:
        self._context, self._turns = context, turns
        self._items, self._keys, self._mcp = items, keys, mcp
        self._answered_calls = 0  # MCP calls whose answer, which comes in the same response, the
        # client has not asked for yet
        keep_s = context.config.audio.keep_s
        self._sent_audio = KeptAudio(context.conversation, keep_s)  # with its transcript

    def carry_out(self, command: cmd.Command) -> None:
        """Raises ProtocolError or LimitExceeded; then nothing was done."""
        emit = self._context.emit
        match command:
            case cmd.UpdateSession(settings):
                before, self._context.settings = self._context.settings, settings
                self._turns.apply_settings(before, settings)
                self._mcp.apply(settings.mcp)
                emit(ev.SessionUpdated())
            case cmd.CommitAudio():
                self._turns.commit()
            case cmd.ClearAudio():
                self._turns.forget_user_audio(asked=True)
            case cmd.CreateItem(item, previous_item_id):
                self._create_item(item, previous_item_id)
            case cmd.RetrieveItem(item_id):
                emit(ev.ItemRetrieved(self._context.conversation.get(item_id)))
            case cmd.DeleteItem(item_id):
                self._items.delete(item_id)
            case cmd.TruncateItem(item_id, content_index, audio_end_ms):
                self._turns.replies.truncate(item_id, content_index, audio_end_ms)
                self._turns.changed()
                emit(ev.ItemTruncated(item_id, content_index, audio_end_ms))
            case cmd.CreateResponse():
                self._create_response(command)
            case cmd.TakeOver(words):
                self._turns.take_over(words)
            case cmd.CancelResponse(response_id):
                self._cancel_response(response_id)
            case cmd.ClearOutput():
                self._clear_output()
            case cmd.Dtmf(digit):
                self._keys.press(digit)

    def mcp_called(self) -> None:
        """A tool of the client's MCP server is called in the response under way."""
        self._answered_calls += 1

    def response_is_done(self) -> None:
        """Whoever asks for a response now wants a new one."""
        self._answered_calls = 0

    def _create_item(self, item: Item, previous_item_id: str | None) -> None:
        self._items.insert(item, previous_item_id)
        if isinstance(item, McpApprovalResponseItem) and item.approve:
            asked = self._context.conversation.get(item.approval_request_id)
            assert isinstance(asked, McpApprovalRequestItem), "or it would have been refused"
            self._mcp.approve(asked)
        if isinstance(item, MessageItem) and item.role == "user":
            sound = [p for p in item.content if isinstance(p, AudioPart) and p.pcm is not None]
            unheard = [part.pcm for part in sound if part.pcm is not None and not part.transcript]
            if unheard:
                self._turns.hear_item(item.id, np.concatenate(unheard))
            elif sound:
                self._sent_audio.add(item.id, sum(p.pcm.size for p in sound if p.pcm is not None))

    def _create_response(self, command: cmd.CreateResponse) -> None:
        running = self._turns.in_progress
        plain = cmd.CreateResponse(event_id=command.event_id)
        if running is not None and self._answered_calls and command == plain:
            self._answered_calls -= 1
            return  # agents-js asks for it behind each MCP call; here the same response goes on
        if running is not None and not command.out_of_band:
            raise ProtocolError(
                f"Conversation already has an active response in progress: {running}. Wait until "
                "the response is finished or cancel it before creating a new one.",
                code="conversation_already_has_active_response",
            )
        self._turns.respond(command.resolved(self._context.conversation.get))

    def _cancel_response(self, response_id: str | None) -> None:
        wanted = response_id or self._turns.in_progress
        if wanted is None or not self._turns.cancel(wanted):
            raise ProtocolError(
                "Cancellation failed: no active response found",
                code="response_cancel_not_active",
                param=None if response_id is None else "response_id",
            )

    def _clear_output(self) -> None:
        if self._context.sink is None:
            raise ProtocolError(
                "output_audio_buffer.clear works where the server plays the audio (WebRTC, "
                "telephony); here the client does.",
                code="invalid_value",
                param="type",
            )
        self._turns.clear_output()  # agents-js cancels first, then there is nothing left to clear
