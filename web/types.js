/**
 * The contracts between the call, its transports and the page. Types only.
 *
 * @typedef {'hands-free'|'push-to-talk'} Mode
 *
 * @typedef {object} CallOptions
 * @property {'webrtc'|'websocket'} transport
 * @property {Mode} mode
 * @property {string|null} microphone device id, '' for the system's default; null: a call without
 * @property {string} key '' for none
 * @property {string} base origin of the gateway to call; '' is the one that gave the page
 * @property {Map<string, number|string>} tuned values to set from the start, by the tunable's name
 * @property {Processing} processing what the browser does to the microphone
 * @property {Output} output
 *
 * @typedef {{echo: boolean, noise: boolean, gain: boolean}} Processing
 * @typedef {{speaker: string, volume: number}} Output device id ('' is the system's), 0 to 1
 *
 * @typedef {object} CallEvents what the page is told
 * @property {(phase: import('./phase.js').Phase) => void} phase
 * @property {(direction: 'in'|'out', event: any) => void} event every message, for the log
 * @property {(caption: import('./captions.js').Caption) => void} caption one changed
 * @property {(problem: import('./words.js').Problem) => void} problem
 * @property {(session: any) => void} session as the server confirms it
 * @property {(turn: any) => void} turn the ledger of a turn: provisional at its first sound, final at its end
 * @property {(stats: Stats) => void} stats once a second
 * @property {(message: string) => void} tuneRefused
 *
 * @typedef {object} TransportEvents what the call is told
 * @property {(event: any) => void} event a server event
 * @property {(event: any) => void} sent a client event that went out
 * @property {(problem: import('./words.js').Problem) => void} closed the connection ended by itself
 * @property {(item: string, playedMs: number) => void} played
 * @property {(item: string) => void} cut the item's audio ends where it is now
 * @property {(playing: boolean) => void} playing
 *
 * @typedef {object} Transport
 * @property {(stream: MediaStream|null) => Promise<void>} open connect; raises Problem
 * @property {(event: any) => void} send a client event
 * @property {(stream: MediaStream|null) => Promise<void>} hear another microphone, or none
 * @property {(talking: boolean) => void} talk whether the server is to hear it
 * @property {() => void} silence stop the agent's voice
 * @property {(item: string) => number} audioMs audio of an item that has come so far
 * @property {() => Levels} levels how loud both are now
 * @property {() => Promise<Stats>} stats
 * @property {(silentMs: number) => Promise<number>} heardAt when the last sign of life came, by this
 *   page's clock; after some silence it asks for one
 * @property {(response: string) => Record<string, number>} networkMs what the page itself knows of
 *   the way of an answer, for servers that are not told
 * @property {(output: Output) => void} play where and how loud
 * @property {(keep?: boolean) => void} close `keep`: the server is to keep the call, which goes on at
 *   another connection
 *
 * @typedef {{user: number, agent: number}} Levels 0 to 1, on the eye's scale
 * @typedef {{rttMs: number|null, playoutMs: number|null, gaps: number|null}} Stats null: not known;
 *   gaps: how often the agent's voice broke off because its audio came too late
 */

export {};
