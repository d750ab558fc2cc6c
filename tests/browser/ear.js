// Runs in a page before the page's own code: keeps how loud everything is that the page plays, what
// its microphone gives, and every event to and from the server, with the times at which they come.
// And it slows the screen down.
(() => {
  const ear = (window.__ear = { chunks: [], microphone: [], events: [] });

  // Exact PCM, as it leaves the jitter buffer or the audio graph: [ms, RMS, ms of audio].
  async function listen(track, chunks = ear.chunks) {
    const reader = new MediaStreamTrackProcessor({ track }).readable.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const samples = new Float32Array(value.numberOfFrames);
      value.copyTo(samples, { planeIndex: 0, format: "f32-planar" });
      const energy = samples.reduce((sum, sample) => sum + sample * sample, 0);
      const rms = Math.sqrt(energy / samples.length);
      chunks.push([performance.now(), rms, (1000 * samples.length) / value.sampleRate]);
      value.close();
    }
  }

  // What is played by an <audio> element (WebRTC) ...
  const { set, get } = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, "srcObject");
  Object.defineProperty(HTMLMediaElement.prototype, "srcObject", {
    get,
    set(stream) {
      set.call(this, stream);
      if (!this.muted) stream?.getAudioTracks().forEach((track) => listen(track));
    },
  });

  // ... and what reaches the speaker from an AudioContext (WebSocket).
  const taps = new WeakMap();
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (target, ...rest) {
    if (target instanceof AudioDestinationNode) {
      if (!taps.has(target.context)) {
        const tap = new MediaStreamAudioDestinationNode(target.context);
        taps.set(target.context, tap);
        listen(tap.stream.getAudioTracks()[0]);
      }
      connect.call(this, taps.get(target.context), ...rest);
    }
    return connect.call(this, target, ...rest);
  };

  // The microphone is a clean recording in no room at all. An echo canceller that never hears an echo
  // takes the caller for one as soon as the agent speaks, so the page gets the recording as it is.
  const RAW = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
  const getUserMedia = navigator.mediaDevices?.getUserMedia;
  if (getUserMedia) {
    navigator.mediaDevices.getUserMedia = async function (wanted) {
      const stream = await getUserMedia.call(this, { audio: { ...wanted.audio, ...RAW } });
      ear.microphone = [];
      listen(stream.getAudioTracks()[0], ear.microphone);
      return stream;
    };
  }

  function note(direction, data) {
    if (typeof data !== "string") return;
    const event = JSON.parse(data);
    if (event.type === "input_audio_buffer.append") return;
    if (event.type === "response.output_audio.delta") delete event.delta;
    if (event.provisional) event.type += ".provisional"; // tests count the turns that are over
    ear.events.push({ at: performance.now(), direction, ...event });
  }

  function watch(channel) {
    channel.addEventListener("message", (message) => note("in", message.data));
  }
  const createDataChannel = RTCPeerConnection.prototype.createDataChannel;
  RTCPeerConnection.prototype.createDataChannel = function (...args) {
    const channel = createDataChannel.apply(this, args);
    watch(channel);
    return channel;
  };
  window.WebSocket = class extends WebSocket {
    constructor(...args) {
      super(...args);
      watch(this);
    }
  };
  for (const { prototype } of [RTCDataChannel, WebSocket]) {
    const send = prototype.send;
    prototype.send = function (data) {
      note("out", data);
      return send.call(this, data);
    };
  }

  // A slow screen, where nobody looks at how smoothly it moves: to paint sixty pictures a second without
  // a graphics card takes as much of the processor as the whole call does.
  ear.frameMs = 80;
  const { requestAnimationFrame, cancelAnimationFrame, setTimeout, clearTimeout } = window;
  const waiting = new Map();
  let frames = 0;
  window.requestAnimationFrame = (paint) => {
    const frame = (frames += 1);
    const painted = (now) => {
      waiting.delete(frame);
      paint(now);
    };
    const due = () => {
      const asked = requestAnimationFrame(painted);
      waiting.set(frame, () => cancelAnimationFrame(asked));
    };
    if (ear.frameMs) {
      const timer = setTimeout(due, ear.frameMs);
      waiting.set(frame, () => clearTimeout(timer));
    } else due();
    return frame;
  };
  window.cancelAnimationFrame = (frame) => {
    waiting.get(frame)?.();
    waiting.delete(frame);
  };
})();
