"""Calls over WebRTC: the browser's door. See docs/webrtc.md."""
