/** The page: wires the call to what is seen and touched. */
import { Call } from './call.js';
import { Captions } from './captions.js';
import { CaptionsView } from './captions_view.js';
import { Chooser } from './chooser.js';
import { byId, el } from './dom.js';
import { Drawer } from './drawer.js';
import { ProblemView } from './problem_view.js';
import { askServer } from './server.js';
import { load, loadKey, save, saveKey } from './settings.js';
import { Stage } from './stage.js';
import { Problem, refusalProblem } from './words.js';

const LOOK_AGAIN_MS = Object.freeze({ starting: 700, away: 3000 });

/** Questions that the built-in models know. */
const SUGGESTIONS = Object.freeze([
  'What time is it?',
  'Set a timer for five minutes',
  'Book a table for two at seven',
  'Turn on the lights in the kitchen',
]);

const settings = load();
let key = loadKey();
let callBegan = performance.now();
/** The call stands or has failed. */
let connecting = Promise.resolve();
/** @type {any} what the server says of itself */
let server = null;

const captions = new CaptionsView(byId('captions'));
const drawer = new Drawer({
  tune: (values) => call.tune(values),
  toggled: (open) => change({ drawer: open }),
});
const problems = new ProblemView({
  retry: () => connect(),
  reconnect: () => connect(),
  websocket: () => {
    chooser.choose('transport', 'websocket');
    connect();
  },
  key: (entered) => {
    key = entered;
    saveKey(key);
    meetAgain();
    connect();
  },
});
const call = new Call(new Captions(), {
  phase: showPhase,
  event: (direction, event) => drawer.log.add(direction, event, performance.now() - callBegan),
  caption: showCaption,
  problem: (problem) => problems.show(problem),
  session: (session) => drawer.showConfirmed(session),
  turn: (turn) => drawer.addTurn(turn),
  stats: (stats) => drawer.showStats(stats, settings.transport),
  tuneRefused: (message) => drawer.showTuneRefused(message),
});
const stage = new Stage(call, { talk: toggleCall, mute: toggleMute });
const chooser = new Chooser(settings, (changed) => {
  change(changed);
  if ('mode' in changed) call.setMode(settings.mode);
  if ('microphone' in changed && call.active && call.hasMicrophone)
    call.setMicrophone(settings.microphone);
  stage.show(settings.mode);
});

function change(changed) {
  Object.assign(settings, changed);
  save(settings);
}

async function toggleCall() {
  if (call.active) call.hangUp();
  else await connect();
}

/** @param {string|null} microphone device id; null: a call without one */
function connect(microphone = settings.microphone) {
  problems.clear();
  drawer.reset();
  callBegan = performance.now();
  const { transport, mode, voice } = settings;
  connecting = call.start({ transport, mode, voice, microphone, key, tuned: drawer.tuned });
  connecting.then(() => chooser.refreshMicrophones()); // now their names are told
  return connecting;
}

async function toggleMute() {
  if (call.hasMicrophone) call.mute(!call.muted);
  else await call.setMicrophone(settings.microphone);
  stage.show(settings.mode);
}

function showPhase(phase) {
  stage.show(settings.mode);
  chooser.lock(call.active);
  if (phase === 'listening') problems.clearOld();
}

function showCaption(caption) {
  document.body.classList.add('with-captions');
  byId('suggestions').hidden = true;
  captions.show(caption);
}

async function say(text) {
  await (call.active ? connecting : connect(null));
  if (call.active) call.say(text);
}

byId('composer').addEventListener('submit', (event) => {
  event.preventDefault();
  const field = byId('text-input');
  const text = field.value.trim();
  if (!text) return;
  field.value = '';
  say(text);
});

/** Ask until the server is ready; then show what it has. */
async function meet() {
  server = await askServer(key);
  if (server?.ready) return welcome();
  if (server === null || server.problem) problems.show(refusalProblem(server));
  stage.wait(server?.engines ?? {});
  return setTimeout(meet, server === null ? LOOK_AGAIN_MS.away : LOOK_AGAIN_MS.starting);
}

function welcome() {
  const known = !['missing', 'wrong'].includes(server.key);
  if (known) showServer();
  stage.ready();
  problems.clear();
  if (!window.isSecureContext) problems.show(new Problem('insecure'));
  else if (!known) problems.show(refusalProblem(server));
  if (server.profile === 'builtin') suggest();
}

/** What the server tells only those who have its key. */
function showServer() {
  byId('profile').textContent = server.profile;
  chooser.showVoices(server);
  drawer.showConfirmed(server);
}

async function meetAgain() {
  server = await askServer(key);
  if (server?.voices) showServer();
}

function suggest() {
  const buttons = SUGGESTIONS.map((text) => {
    const button = el('button', { type: 'button', class: 'suggestion' }, text);
    button.addEventListener('click', () => say(text));
    return button;
  });
  byId('suggestions').replaceChildren(...buttons);
  byId('suggestions').hidden = false;
}

window.addEventListener('pagehide', () => call.hangUp());
drawer.restore(settings.drawer);
stage.show(settings.mode);
meet();
