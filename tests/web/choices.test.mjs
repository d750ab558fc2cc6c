/** Settings that are kept, tuning, and the log of events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventLog, matches } from '../../web/log.js';
import { DEFAULTS, parse } from '../../web/settings.js';
import { options, placesOf, toml, update } from '../../web/take_away.js';
import { TUNABLES, acting, changed, confirmedBy, patchOf, read, written } from '../../web/tuning.js';

test('settings: what was kept, as far as it makes sense', () => {
  assert.deepEqual(parse(null), DEFAULTS);
  assert.deepEqual(parse('{no json'), DEFAULTS);
  assert.deepEqual(parse('null'), DEFAULTS);
  const kept = { transport: 'websocket', voice: 7, mode: 'telepathy', drawer: true, more: 1 };
  assert.deepEqual(parse(JSON.stringify(kept)), {
    ...DEFAULTS,
    transport: 'websocket',
    drawer: true,
  });
});

test('a tuned value goes where the server keeps it', () => {
  const values = new Map([
    ['eager_end_ms', 80],
    ['endpoint_ms', 300],
    ['no_such', 1],
  ]);
  const voicepipe = { turns: { eager_end_ms: 80 }, budget: { endpoint_ms: 300 } };
  assert.deepEqual(patchOf(values), { voicepipe });
  const agent = new Map([
    ['model', 'large'],
    ['voice', 'alba'],
    ['speed', 1.1],
    ['instructions', 'Be brief.'],
  ]);
  assert.deepEqual(patchOf(agent), {
    voicepipe: { model: 'large' },
    audio: { output: { voice: 'alba', speed: 1.1 } },
    instructions: 'Be brief.',
  });
  assert.deepEqual(patchOf(new Map()), {});
});

test('confirmed is only what the server tells', () => {
  const session = {
    voicepipe: { turns: { eager_end_ms: 80, preemptive_generation: 'off', no_such: 1 }, budget: { llm_ms: 90 } },
  };
  assert.deepEqual(
    [...confirmedBy(session)],
    [
      ['preemptive_generation', 'off'],
      ['eager_end_ms', 80],
      ['llm_ms', 90],
    ],
  );
  assert.equal(confirmedBy({}).size, 0);
  const agent = { voicepipe: { model: '' }, instructions: 'x', audio: { output: { voice: 'v', speed: 1 } } };
  assert.deepEqual(
    [...confirmedBy(agent)], // the voice of a running call stays what it is
    [
      ['model', ''],
      ['speed', 1],
      ['instructions', 'x'],
    ],
  );
});

test('the names of tunables are unique: sliders are found by them', () => {
  assert.equal(new Set(TUNABLES.map(({ name }) => name)).size, TUNABLES.length);
});

const TUNED = new Map([
  ['endpoint_complete_ms', 240],
  ['preemptive_generation', 'stable_text'],
  ['llm_ms', 150],
]);

test('tuned values are taken away as TOML, as options and as a client event', () => {
  const lines = ['[turns]', 'endpoint_complete_ms = 240', 'preemptive_generation = "stable_text"'];
  assert.equal(toml(TUNED), `${lines.join('\n')}\n\n[budget]\nllm_ms = 150\n`);
  assert.match(options(TUNED), /^--set turns.endpoint_complete_ms=240 --set /);
  assert.deepEqual(JSON.parse(update(TUNED)).session.voicepipe, patchOf(TUNED).voicepipe);
  assert.equal(toml(new Map()), '');
});

test('a model that the settings name is taken away as its name, and a text is quoted', () => {
  const agent = new Map([
    ['model', 'big'],
    ['instructions', 'Say "it\'s".\nBriefly.'],
  ]);
  const lines = ['[llm]', 'use = "big"', String.raw`instructions = "Say \"it's\".\nBriefly."`];
  assert.equal(toml(agent, { model: placesOf('llm.use', 'small') }), `${lines.join('\n')}\n`);
  const first = new Map([['model', 'large']]);
  assert.equal(toml(first, { model: placesOf('llm.model', 'big') }), '[llm]\nmodel = "large"\nuse = ""\n');
  assert.equal(options(first, { model: placesOf('llm.model', 'big') }), '--set llm.model=large --set llm.use=');
  assert.equal(toml(first, { model: placesOf('llm.model', '') }), '[llm]\nmodel = "large"\n');
  assert.match(options(agent), /^--set llm.model=big --set 'llm.instructions=Say "it'\\''s"/);
});

test('the address keeps tuned values, and nothing that makes no sense', () => {
  assert.deepEqual(read(written(TUNED)), TUNED);
  const nonsense = 'endpoint_complete_ms:-4,llm_ms:,eager_end_ms:99999,no:1,preemptive_generation:yes';
  assert.equal(read(nonsense).size, 0);
  const named = new Map([
    ['model', 'org/large:7b, quick'],
    ['speed', 1.15],
  ]);
  assert.deepEqual(read(written(named)), named);
  assert.equal(read('').size, 0);
});

test('what differs from the server, and what of it acts', () => {
  const standard = new Map([
    ['endpoint_complete_ms', 300],
    ['llm_ms', 150],
  ]);
  const differs = changed(TUNED, standard);
  assert.deepEqual([...differs.keys()], ['endpoint_complete_ms', 'preemptive_generation']);
  assert.equal(acting(TUNED).has('llm_ms'), false);
});

test('audio rows grow until something else happens, and hold no audio', () => {
  const log = new EventLog();
  const append = { type: 'input_audio_buffer.append', audio: 'A'.repeat(1280) };
  for (let i = 0; i < 3; i += 1) {
    log.add('out', append, 20 * i);
    log.add('in', { type: 'response.output_audio.delta', delta: 'B'.repeat(500) }, 20 * i);
  }
  assert.deepEqual(
    log.rows.map(({ type, count }) => [type, count]),
    [
      ['input_audio_buffer.append', 3],
      ['response.output_audio.delta', 3],
    ],
  );
  log.add('in', { type: 'response.done' }, 70);
  log.add('out', append, 80);
  assert.equal(log.rows.length, 4);
  assert.equal(append.audio.length, 1280); // what is sent is untouched
  assert.ok(log.text('').length < 600);
});

test('the log is bounded and can be emptied', () => {
  const log = new EventLog();
  for (let i = 0; i < 600; i += 1) log.add('in', { type: 'response.created', i }, i);
  assert.equal(log.rows.length, 500);
  assert.equal(log.rows[0].event.i, 100);
  log.clear();
  assert.equal(log.text(''), '');
});

test('a filter wants all its words, in type, direction or content', () => {
  const row = {
    direction: 'in',
    type: 'response.done',
    event: { type: 'response.done', response: { status: 'failed' } },
  };
  assert.ok(matches(row, ''));
  assert.ok(matches(row, 'FAILED response'));
  assert.ok(!matches(row, 'failed session'));
});

test('what is copied is what the filter shows, one JSON object a line', () => {
  const log = new EventLog();
  log.add('in', { type: 'session.created' }, 1.4);
  log.add('in', { type: 'response.done' }, 2);
  const lines = log.text('session').split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [{ at_ms: 1, direction: 'in', count: 1, event: { type: 'session.created' } }],
  );
});
