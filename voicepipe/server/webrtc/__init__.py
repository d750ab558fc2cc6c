"""Calls over WebRTC: the browser's transport. See docs/webrtc.md."""
