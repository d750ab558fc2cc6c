import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Resume, resumed } from '../../web/resume.js';

const created = (more = {}) => ({
  type: 'session.created',
  event_id: 'e0',
  session: { voicepipe: { resume: { token: 'T', ...more } } },
});
const event = (id, type = 'x') => ({ type, event_id: id });

/** An answer of four pieces of 100 ms, of which so much is heard. */
function interrupted(heardMs) {
  const resume = new Resume();
  resume.take(created());
  resume.take(event('e1'));
  for (const n of [2, 3, 4, 5]) {
    resume.take(event(`e${n}`));
    assert.equal(resume.audio('item', 100), 0);
  }
  resume.take(event('e6'));
  if (heardMs !== null) resume.played('item', heardMs);
  resume.lost();
  return resume;
}

test('a call is asked to be kept, and gone on with by its token', () => {
  const resume = new Resume();
  assert.equal(resume.query, 'resume=on');
  assert.equal(resume.possible, false);
  resume.take(created());
  resume.take(event('e1'));
  resume.lost();
  assert.equal(resume.query, 'resume=T&after=e1');
  assert.equal(resumed(created()), false);
  assert.equal(resumed(created({ resumed: true })), true);
});

test('speech goes on at the sample where it stopped', () => {
  const resume = interrupted(250);
  assert.equal(resume.query, 'resume=T&after=e3');
  resume.take(created({ resumed: true }));
  assert.equal(resume.take(event('e4')), true);
  assert.equal(resume.audio('item', 100), 50);
  assert.equal(resume.take(event('e5')), true);
  assert.equal(resume.audio('item', 100), 0);
  assert.equal(resume.take(event('e6')), false); // no audio: it was shown already
  assert.equal(resume.baseMs('item'), 250);
  resume.played('item', 400);
  resume.lost();
  assert.equal(resume.query, 'resume=T&after=e5');
});

test('what nobody has heard comes whole, and what was heard to its end does not', () => {
  const none = interrupted(null);
  assert.equal(none.query, 'resume=T&after=e1');
  none.take(created({ resumed: true }));
  none.take(event('e2'));
  assert.equal(none.audio('item', 100), 0);
  assert.equal(interrupted(400).query, 'resume=T&after=e6');
});

/** An answer that was cut off, and another event behind it. */
function cut() {
  const resume = new Resume();
  resume.take(created());
  resume.take(event('e1'));
  resume.audio('item', 100);
  resume.cut();
  resume.take(event('e2'));
  return resume;
}

test('what was cut off is not asked for', () => {
  const resume = cut();
  resume.lost();
  assert.equal(resume.query, 'resume=T&after=e2');
});

test('what of a cut answer was still on its way is not asked for either', () => {
  const resume = cut();
  resume.audio('item', 100);
  resume.take(event('e3'));
  resume.lost();
  assert.equal(resume.query, 'resume=T&after=e3');
  assert.equal(resume.take(event('e2')), false);
});

test('a call that is lost a second time in the middle of an answer is asked for what was still unheard', () => {
  const resume = interrupted(250);
  resume.take({ ...created({ resumed: true }), event_id: 'again' });
  resume.take(event('e4'));
  resume.audio('item', 100);
  resume.lost(); // e5 had not come yet
  assert.equal(resume.query, 'resume=T&after=again'); // which began where e3 ended
  resume.take({ ...created({ resumed: true }), event_id: 'third' });
  resume.lost(); // nothing had come yet
  assert.equal(resume.query, 'resume=T&after=third');
  assert.equal(resume.take(event('e4')), true);
  assert.equal(resume.audio('item', 100), 50);
});

test('a call that is lost before anything was said misses nothing of it', () => {
  const resume = new Resume();
  resume.take(created());
  resume.lost();
  assert.equal(resume.query, 'resume=T&after=e0');
});

test('an answer that was heard as far as it had come goes on from there', () => {
  const resume = interrupted(400);
  resume.take({ ...created({ resumed: true }), event_id: 'again' });
  assert.equal(resume.take(event('e7')), true);
  assert.equal(resume.audio('item', 100), 0);
  assert.equal(resume.baseMs('item'), 400); // by which it is said how much was heard
  resume.played('item', resume.baseMs('item') + 100);
  resume.lost();
  assert.equal(resume.query, 'resume=T&after=e7');
});

test('what of a cut answer comes only at the next connection is not heard there', () => {
  const resume = cut();
  resume.lost();
  resume.take({ ...created({ resumed: true }), event_id: 'again' });
  resume.take(event('e3'));
  assert.equal(resume.audio('item', 100), 100);
});
