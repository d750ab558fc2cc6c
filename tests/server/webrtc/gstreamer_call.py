"""GStreamer's webrtcbin as a caller; run by `test_gstreamer.py` in the system's Python, which has
its bindings. `python gstreamer_call.py URL`: offers, and prints `heard` at the first loud frame.
"""

from __future__ import annotations

import sys
import urllib.request
from typing import Any

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

LINE = (
    "audiotestsrc is-live=true wave=sine freq=250 volume=0.5 num-buffers=60 samplesperbuffer=480 ! "
    "audio/x-raw,rate=48000,channels=1 ! opusenc ! rtpopuspay pt=96 ! "
    "application/x-rtp,media=audio,encoding-name=OPUS,payload=96 ! "
    "webrtcbin name=peer bundle-policy=max-bundle"
)
LOUD_DB = -40.0


class Caller:
    def __init__(self, url: str) -> None:
        self.url = url
        self.loop = GLib.MainLoop()
        self.pipeline = Gst.parse_launch(LINE)
        self.peer = self.pipeline.get_by_name("peer")
        self.peer.connect("notify::ice-gathering-state", self.on_gathering)
        self.peer.connect("on-negotiation-needed", self.on_negotiation)
        self.peer.connect("pad-added", self.on_pad)
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message::element", self.on_element)
        bus.connect("message::error", self.on_error)

    def run(self, limit_s: int) -> None:
        self.pipeline.set_state(Gst.State.PLAYING)
        GLib.timeout_add_seconds(limit_s, self.end, "nothing heard in time")
        self.loop.run()
        self.pipeline.set_state(Gst.State.NULL)

    def end(self, said: str) -> bool:
        print(said, flush=True)
        self.loop.quit()
        return False

    def on_negotiation(self, peer: Any) -> None:
        peer.emit("create-offer", None, Gst.Promise.new_with_change_func(self.on_offer))

    def on_offer(self, promise: Any) -> None:
        reply = promise.get_reply()  # owns the offer
        offer = reply.get_value("offer")
        self.peer.emit("set-local-description", offer, Gst.Promise.new())

    def on_gathering(self, peer: Any, _: Any) -> None:
        if peer.props.ice_gathering_state == GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            GLib.idle_add(self.post)

    def post(self) -> bool:
        offer = self.peer.props.local_description.sdp.as_text().encode()
        headers = {"Content-Type": "application/sdp"}
        request = urllib.request.Request(self.url, offer, headers)
        with urllib.request.urlopen(request, timeout=10) as response:
            _, sdp = GstSdp.SDPMessage.new_from_text(response.read().decode())
        answer = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.ANSWER, sdp)
        self.peer.emit("set-remote-description", answer, Gst.Promise.new())
        return False

    def on_pad(self, _: Any, pad: Any) -> None:
        if pad.direction != Gst.PadDirection.SRC:
            return
        ear = Gst.parse_bin_from_description(
            "rtpopusdepay ! opusdec ! audioconvert ! level ! fakesink sync=false", True
        )
        self.pipeline.add(ear)
        ear.sync_state_with_parent()
        pad.link(ear.get_static_pad("sink"))

    def on_element(self, _: Any, message: Any) -> None:
        facts = message.get_structure()
        if facts.get_name() == "level" and max(facts.get_value("rms")) > LOUD_DB:
            self.end("heard")

    def on_error(self, _: Any, message: Any) -> None:
        self.end(f"error: {message.parse_error()[0].message}")


Gst.init(None)
Caller(sys.argv[1]).run(limit_s=int(sys.argv[2]))
