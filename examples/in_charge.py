"""A program in charge of calls: it decides who answers, gives each call a tool of its own, and
prints what was said. `pip install 'openai[realtime]' standardwebhooks uvicorn starlette`, then

    WEBHOOK_SECRET=whsec_... uvicorn --app-dir examples in_charge:app --port 9100

See docs/guides/your-program-in-charge.md.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

from openai import AsyncOpenAI
from standardwebhooks import Webhook, WebhookVerificationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

SECRET = os.environ["WEBHOOK_SECRET"]
server = AsyncOpenAI(
    api_key=os.environ.get("VOICEPIPE_API_KEY", "none"),
    base_url=os.environ.get("VOICEPIPE_URL", "http://127.0.0.1:8080") + "/v1",
)
CUSTOMERS = {"+15550001": "Ann"}
TOOL: Any = {
    "type": "function",
    "name": "account_balance",
    "description": "The caller's balance.",
    "parameters": {"type": "object", "properties": {}},
}
calls: set[asyncio.Task[None]] = set()


async def hook(request: Request) -> Response:
    """Whatever voicepipe tells. A delivery may come twice, with the same `webhook-id`."""
    try:
        event = Webhook(SECRET).verify(await request.body(), dict(request.headers))
    except WebhookVerificationError:
        return Response(status_code=400)
    data = event["data"]
    match event["type"]:
        case "call.incoming" if data["caller"] in CUSTOMERS:
            return JSONResponse(
                {"agent": "desk", "variables": {"guest": CUSTOMERS[data["caller"]]}}
            )
        case "call.incoming":
            return JSONResponse({"reject": True})
        case "call.answered":
            task = asyncio.create_task(in_charge(data["call_id"], data["caller"]))
            calls.add(task)
            task.add_done_callback(calls.discard)
        case "call.ended":
            print(data["end_reason"], data["transcript"], flush=True)
    return Response(status_code=200)


async def in_charge(call_id: str, caller: str) -> None:
    """Until the call ends: offer the tool, and answer when the model calls it."""
    async with server.realtime.connect(call_id=call_id) as call:
        await call.session.update(session={"type": "realtime", "tools": [TOOL]})
        async for event in call:
            if event.type == "response.function_call_arguments.done":
                await call.conversation.item.create(
                    item={
                        "type": "function_call_output",
                        "call_id": event.call_id,
                        "output": f"{CUSTOMERS[caller]} has 12 euros left.",
                    }
                )
                await call.response.create()


app = Starlette(routes=[Route("/voicepipe", hook, methods=["POST"])])
