import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Liveness } from '../../web/liveness.js';
import { Redial } from '../../web/redial.js';

/** Look four times a second. */
function lookUntil(liveness, from, to) {
  let health = 'well';
  for (let now = from; now <= to; now += 250) health = liveness.look(now);
  return health;
}

test('amber after a second and a half, lost after four', () => {
  const liveness = new Liveness(0);
  assert.equal(lookUntil(liveness, 0, 1250), 'well');
  assert.equal(lookUntil(liveness, 1500, 1500), 'unstable');
  assert.equal(lookUntil(liveness, 1750, 3750), 'unstable');
  assert.equal(lookUntil(liveness, 4000, 4000), 'lost');
});

test('any sign makes all well again', () => {
  const liveness = new Liveness(0);
  assert.equal(lookUntil(liveness, 0, 3000), 'unstable');
  liveness.sign(3100);
  assert.equal(lookUntil(liveness, 3250, 4500), 'well');
});

test('the next look falls on the very edge', () => {
  const liveness = new Liveness(0);
  assert.equal(liveness.edgeMs(200), 1300);
  assert.equal(liveness.edgeMs(1500), 2500);
  assert.equal(liveness.edgeMs(4000), 0);
  liveness.sign(1200);
  liveness.sign(900); // told late
  assert.equal(liveness.edgeMs(2000), 700);
});

test('a page that stood still itself blames nobody', () => {
  const liveness = new Liveness(0);
  assert.equal(liveness.look(60_000), 'well');
});

test('it calls again, waits longer each time, and gives up', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const dialled = [];
  const ticks = [];
  const redial = new Redial({ dial: () => dialled.push(1), tick: (s) => ticks.push(s) });
  assert.equal(redial.failed('unreachable'), false); // the first call of all: the user decides
  assert.equal(redial.failed('lost'), true);
  t.mock.timers.tick(1000);
  t.mock.timers.tick(1000);
  assert.deepEqual([dialled.length, ticks], [1, [2, 1]]);
  assert.equal(redial.failed('unreachable'), true); // it is on its way up
  redial.stop();
  t.mock.timers.tick(60_000);
  assert.equal(dialled.length, 1);
  for (let i = 0; i < 8; i += 1) assert.equal(redial.failed('lost'), true);
  assert.equal(redial.failed('lost'), false);
  assert.equal(redial.active, false);
});

test('what time does not mend is left alone', () => {
  const redial = new Redial({ dial: () => {}, tick: () => {} });
  assert.equal(redial.failed('key_wrong'), false);
  assert.equal(redial.failed('permission_refused'), false);
});
