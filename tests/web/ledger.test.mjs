import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heardMs, longest, networkMs, noteOf, segmentsOf, stagesOf } from '../../web/ledger.js';
import { turn } from './turns.mjs';

const near = (a, b) => Math.abs(a - b) < 1e-6;
const NETWORK = { up: 1.2, down: 1.2, playout: 37 };

test('the user hears it later than the server hands it over', () => {
  const measured = turn({ network_ms: NETWORK });
  assert.ok(near(networkMs(measured), 39.4));
  assert.ok(near(heardMs(measured), 346.4));
});

test('what nobody has measured is no zero', () => {
  assert.equal(networkMs(turn({ network_ms: {} })), null);
  assert.equal(networkMs(turn()), null);
  assert.ok(near(heardMs(turn()), 307)); // all that is known of it
  assert.ok(segmentsOf(turn()).every(({ name }) => name !== 'network'));
});

test('the segments add up to what was heard, network and tools included', () => {
  const called = turn({
    critical_ms: { llm: 40, tool: 12.5 },
    network_ms: NETWORK,
    budget_ms: { network: 30 },
  });
  const segments = segmentsOf(called);
  assert.ok(near(segments.reduce((sum, { ms }) => sum + ms, 0), heardMs(called)));
  assert.equal(segments.at(-1).name, 'network');
  assert.equal(segments.at(-1).over, true);
  assert.ok(segments.findIndex(({ name }) => name === 'tool') > 1);
});

test('a stage that the page has never heard of is shown under its own name', () => {
  const queued = turn({ critical_ms: { queue: 7 } });
  assert.equal(stagesOf(queued).at(-1), 'queue');
  assert.ok(near(heardMs(queued), 314));
});

test('a turn without figures has none', () => {
  const silent = { ...turn({ end: 'no_speech' }), critical_ms: null, voice_to_voice_ms: null };
  assert.equal(heardMs(silent), null);
  assert.deepEqual(segmentsOf(silent), []);
  assert.equal(longest(silent), null);
});

test('the note says how long before the endpoint the answer was ready', () => {
  assert.match(noteOf(turn()), /ready 111 ms before the endpoint/);
});

test('an answer that was begun early and came late is not called ready', () => {
  const late = turn({
    critical_ms: { llm: 641 },
    marks_ms: { llm_first_token: 942, first_clause: 945, tts_first_audio: 950, audio_out: 952 },
  });
  const note = noteOf(late);
  assert.match(note, /begun 166 ms before the endpoint, first sound 649 ms after it/);
  assert.doesNotMatch(note, /ready|prepared/);
});

test('a turn that waited for a tool says so, and not that it was prepared', () => {
  const marks_ms = { llm_request: 302, llm_first_token: 329, tts_first_audio: 337, audio_out: 343 };
  const older = turn({ marks_ms, shares_ms: { after_tool: 32.4 } });
  assert.match(noteOf(older), /tool call/);
  assert.doesNotMatch(noteOf(older), /before the endpoint/);
  const newer = turn({ marks_ms, critical_ms: { tool: 1.2 },
    tools: [{ name: 'get_time', start_us: 301_500, end_us: 302_700 }],
   });
  assert.match(noteOf(newer), /waited for get_time/);
});

test('a tool that ran while the endpoint was waited for was called, not waited for', () => {
  const tools = [{ name: 'get_time', start_us: 140_000, end_us: 150_000, failed: false }];
  const note = noteOf(turn({ critical_ms: { tool: 0 }, tools }));
  assert.match(note, /called get_time · ready 111 ms before the endpoint/);
});
