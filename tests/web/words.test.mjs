import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  Problem,
  closeProblem,
  httpProblem,
  microphoneProblem,
  refusalProblem,
  serverProblem,
  wordsFor,
} from '../../web/words.js';

const WELL = { key: 'none', ready: true, problem: null, origin_allowed: true, full: false };

test('a microphone that fails says how', () => {
  const codeFor = (name) => microphoneProblem({ name }).code;
  assert.equal(codeFor('NotAllowedError'), 'permission_refused');
  assert.equal(codeFor('NotFoundError'), 'no_microphone');
  assert.equal(codeFor('NotReadableError'), 'microphone_busy');
  assert.equal(codeFor('SomethingNew'), 'unexpected');
  assert.equal(microphoneProblem(undefined).code, 'unexpected');
});

test('an HTTP refusal', () => {
  assert.equal(httpProblem(401, false).code, 'key_missing');
  assert.equal(httpProblem(401, true).code, 'key_wrong');
  assert.equal(httpProblem(403, true).code, 'origin_refused');
  assert.equal(httpProblem(404, true).code, 'no_webrtc_door');
  assert.equal(httpProblem(429, true).code, 'busy');
  assert.equal(httpProblem(503, true).code, 'not_ready');
  const other = httpProblem(422, false, 'the offer has no audio');
  assert.equal(other.code, 'refused');
  assert.match(wordsFor(other).text, /the offer has no audio/);
});

test('an HTTP refusal that is not what its status is mostly for says what the server says', () => {
  const rejected = httpProblem(403, true, 'the program rejects the call', 'call_rejected');
  const late = httpProblem(503, true, 'No answer could be made in time', 'answer_timeout');
  assert.deepEqual([rejected.code, late.code], ['rejected', 'refused']);
  assert.match(wordsFor(rejected).text, /the program rejects the call/);
  assert.match(wordsFor(late).text, /No answer could be made in time/);
  assert.equal(httpProblem(403, true, '', 'origin_not_allowed').code, 'origin_refused');
  assert.equal(httpProblem(503, true, '', 'not_ready').code, 'not_ready');
});

test('a refused WebSocket, by what the server says of itself', () => {
  const code = (changes) => refusalProblem({ ...WELL, ...changes }).code;
  assert.equal(refusalProblem(null).code, 'unreachable');
  assert.equal(code({ key: 'missing' }), 'key_missing');
  assert.equal(code({ key: 'wrong', ready: false }), 'key_wrong');
  assert.equal(code({ ready: false, problem: 'no model' }), 'engines_failed');
  assert.equal(code({ ready: false }), 'not_ready');
  assert.equal(code({ origin_allowed: false }), 'origin_refused');
  assert.equal(code({ full: true }), 'busy');
  assert.equal(code({}), 'refused');
});

test('a call that ended by itself', () => {
  assert.equal(closeProblem(1000).code, 'ended');
  assert.equal(closeProblem(1006).code, 'lost');
  assert.equal(closeProblem(1008).code, 'too_slow');
  assert.equal(closeProblem(1013).code, 'busy');
  assert.equal(wordsFor(closeProblem(1006)).button, 'Reconnect');
});

test('errors of the server: races say nothing, ours are shown elsewhere, the rest is shown', () => {
  assert.equal(serverProblem({ code: 'response_cancel_not_active' }), null);
  assert.equal(serverProblem({ code: 'invalid_value', event_id: 'cut_item_1' }), null);
  assert.equal(serverProblem({ code: 'invalid_value', event_id: 'tune_eager_end_ms' }), null);
  assert.equal(serverProblem({ code: 'input_audio_buffer_commit_empty' }).code, 'too_short');
  assert.equal(serverProblem({ code: 'session_expired' }).code, 'session_expired');
  const other = serverProblem({
    code: 'limit_exceeded',
    message: 'too many items',
    event_id: null,
  });
  assert.match(wordsFor(other).text, /too many items/);
});

test('every problem that the page may raise has words, and every button a label', () => {
  const sources = ['words', 'call', 'webrtc', 'websocket', 'microphone', 'app', 'problem_view'].map(
    (name) => readFileSync(new URL(`../../web/${name}.js`, import.meta.url), 'utf8'),
  );
  const raised = sources.flatMap((source) =>
    [...source.matchAll(/new Problem\(\s*'(\w+)'/g)].map((match) => match[1]),
  );
  assert.ok(raised.length > 10);
  for (const code of raised) {
    const { title, text, action, button } = wordsFor(new Problem(code));
    assert.equal(new Problem(code).code, code, `${code} has no words`);
    assert.ok(title && text.endsWith('.'), code);
    assert.equal(Boolean(button), action !== null, code);
  }
});

test('a code without words becomes the unexpected', () =>
  assert.equal(new Problem('no_such').code, 'unexpected'));
