/** The page: wires the call to what is seen and touched. */
import { Address, format } from './address.js';
import { AgentPanel } from './agent_panel.js';
import { Call } from './call.js';
import { CallsView } from './calls_view.js';
import { Captions } from './captions.js';
import { CaptionsView } from './captions_view.js';
import { CasesView } from './cases_view.js';
import { Chips } from './chips.js';
import { Chooser } from './chooser.js';
import { byId } from './dom.js';
import { Drawer } from './drawer.js';
import { FiguresPanel } from './figures_panel.js';
import { Keeper } from './kept.js';
import { heardMs } from './ledger.js';
import { LogView } from './log_view.js';
import { MicrophoneTest } from './mic_test.js';
import { ProblemView } from './problem_view.js';
import { Questions } from './questions.js';
import { Redial } from './redial.js';
import { chosen, measured } from './regions.js';
import { resumed } from './resume.js';
import { ScopeView } from './scope_view.js';
import { askServer } from './server.js';
import { load, loadKey, outputOf, processingOf, save, saveKey } from './settings.js';
import { Stage } from './stage.js';
import { suggest } from './suggestions.js';
import { TryPanel } from './try_panel.js';
import { read, written } from './tuning.js';
import { soundOf } from './turn_sound.js';
import { TurnsPanel } from './turns_panel.js';
import { TurnsView } from './turns_view.js';
import { VoiceSample } from './voice_sample.js';
import { Problem, isOfMicrophone, refusalProblem } from './words.js';

const LOOK_AGAIN_MS = Object.freeze({ starting: 700, away: 3000 });

const settings = load();
let key = loadKey();
let callBegan = performance.now();
/** The call stands or has failed. */
let connecting = Promise.resolve();
/** @type {any} what the server says of itself */
let server = null;
/** @type {import('./regions.js').Region[]} [] where there is no choice */
let regions = [];
/** Where the last call went. */
let lastBase = '';
/** @type {ReturnType<typeof setTimeout>} */
let nextLook;
/** @type {Map<string, string>} the run of each answer */
const letters = new Map();

const captions = new Captions();
const keeper = new Keeper(() => ({
  captions: captions.entries,
  turns: turns.entries,
  instructions: tryPanel.changes.get('instructions') ?? '',
  runs: tryPanel.runs.runs,
}));
const captionsView = new CaptionsView(byId('captions'), (response) => lookAt(response));
const chips = new Chips(captions, captionsView);
const log = new LogView();
const figures = new FiguresPanel();
const agent = new AgentPanel();
const tryPanel = new TryPanel({
  tune: (values) => call.active && call.tune(values),
  changed: (changes) => {
    address.change({ set: written(changes) });
    chooser.follow('voice', changes.get('voice') ?? '');
    keeper.touch();
  },
});
const turns = new TurnsPanel(
  {
    tryOut: (name, value) => {
      drawer.choose('try');
      tryPanel.put(new Map([[name, value]]));
    },
    choose: (name) => {
      drawer.choose('try');
      byId(`tune-${name}`).focus();
    },
    ask: () => {
      drawer.choose('try');
      questions.play();
    },
    chosen: (response) => captionsView.highlight(response),
    more: () => show({ view: 'turns', turn: '', with: '', q: '' }),
    forget: forgetAll,
  },
  tryPanel,
);
const drawer = new Drawer((open, panel) => {
  change({ drawer: open, panel });
  log.setOpen(open && panel === 'events');
  address.change({ panel: open ? panel : '' });
});
const redial = new Redial({
  dial: callAgain,
  tick: (seconds) => problems.count(`Calling again in ${seconds} s.`),
});
const problems = new ProblemView({
  retry: () => {
    if (!call.active) callAgain(false);
    else if (isOfMicrophone(problems.code)) turnOnMicrophone();
    else problems.clear(); // the call goes on
  },
  reconnect,
  websocket: () => {
    chooser.choose('transport', 'websocket');
    callAgain(false);
  },
  key: (entered) => {
    enter(entered);
    callAgain(false);
  },
  dismissed: () => {
    redial.stop();
    stage.outside('');
  },
});
const call = new Call(captions, {
  phase: showPhase,
  event: onEvent,
  caption: showCaption,
  problem: showProblem,
  session: (session) => {
    tryPanel.showConfirmed(session);
    agent.confirmed(session);
  },
  turn: showTurn,
  stats: (stats) => figures.showStats(stats, call.transport),
  tuneRefused: (message) => tryPanel.refused(message),
});
const scope = new ScopeView(() => call.levels(), (wait) => chips.guess(wait, turns.entries));
const stage = new Stage(call, { talk: toggleCall, mute: toggleMute });
const microphoneTest = new MicrophoneTest(
  () => ({ microphone: settings.microphone, ...processingOf(settings) }),
  (problem) => problems.show(problem, { retry: testAgain }),
);
const chooser = new Chooser(settings, (changed) => {
  change(changed);
  applySettings(changed);
});
const turnsView = new TurnsView({
  own: () => turns.entries,
  key: () => key,
  enter,
  changed: (shown) => address.change(shown),
  tryOut: (values) => {
    show({ view: 'talk' });
    drawer.setOpen(true);
    drawer.choose('try');
    tryPanel.put(values);
  },
});
const callsView = new CallsView({
  key: () => key,
  enter,
  changed: (shown) => address.change(shown),
  href: (shown) => format({ ...address.shown, view: 'calls', ...shown }),
  newCase: (made) => cases.add(made),
  speaker: () => settings.speaker,
});
const questions = new Questions({
  connect: hearRecording,
  active: () => call.active,
  restore: async () => {
    if (lastMicrophone === null) await call.hear(null);
    else await call.setMicrophone(settings.microphone);
    stage.show(settings.mode);
  },
  hold: () => byHand() && call.hold(),
  release: () => byHand() && (call.release(), true),
});
const cases = new CasesView((all) => questions.offerSet(all));
/** Which microphone the call had; null: none. @type {string|null} */
let lastMicrophone = settings.microphone;
const address = new Address((shown) => follow(shown));

function byHand() {
  return settings.mode === 'push-to-talk';
}

function change(changed) {
  Object.assign(settings, changed);
  save(settings);
}

/** What a changed setting changes. @param {Partial<import('./settings.js').Settings>} changed */
function applySettings(changed) {
  if ('theme' in changed) applyTheme();
  if ('readCaptions' in changed) captionsView.setRead(settings.readCaptions);
  if ('voice' in changed) tryPanel.put(new Map([['voice', settings.voice]]));
  if ('mode' in changed) call.setMode(settings.mode);
  if ('volume' in changed || 'speaker' in changed) call.play(outputOf(settings));
  const hears = ['microphone', 'echo', 'noise', 'gain'].some((name) => name in changed);
  if (hears) {
    microphoneTest.end();
    call.setProcessing(processingOf(settings));
    connecting.then(() => call.active && call.hasMicrophone && call.setMicrophone(settings.microphone));
  }
  stage.show(settings.mode);
}

function applyTheme() {
  document.documentElement.dataset.theme = settings.theme;
  scope.recolour();
}

async function toggleCall() {
  if (!call.active) {
    redial.stop();
    await connect();
    return;
  }
  redial.stop();
  problems.clear();
  call.hangUp();
  stage.outside('');
}

/**
 * @param {string|null} microphone device id; null: a call without one
 * @param {boolean} again by itself, after a call that failed
 */
function connect(microphone = settings.microphone, again = false) {
  if (!again) redial.stop();
  if (!again) problems.clear();
  clearTimeout(nextLook);
  microphoneTest.end();
  lastMicrophone = microphone;
  callBegan = performance.now();
  tryPanel.called();
  const { transport, mode } = settings;
  const answers = regions.find(({ base: one }) => one === lastBase)?.ms !== null; // as far as is known
  lastBase = again && answers ? lastBase : (chosen(regions, settings.region)?.base ?? '');
  const base = lastBase; // a call that goes on does so where it was kept
  const tuned = tryPanel.changes;
  const options = {
    ...{ transport, mode, microphone, key, base, tuned },
    ...{ processing: processingOf(settings), output: outputOf(settings) },
  };
  connecting = call.start(options, again);
  connecting.then(() => chooser.refreshDevices()); // now their names are told
  return connecting;
}

/** With a microphone if the last one had any. @param {boolean} goesOn if the server has kept it; false: a new call */
function callAgain(goesOn = true) {
  return connect(lastMicrophone === null ? null : settings.microphone, goesOn);
}

/** Now, and not when its time has come. */
function reconnect() {
  redial.stop();
  problems.clear();
  return callAgain();
}

/** Without a microphone where there is no call; one that waits to be called again goes on. */
function callOrGoOn() {
  if (call.active) return connecting;
  return redial.active ? reconnect() : connect(null);
}

/** The call stands and hears this recording. @param {MediaStream} stream */
async function hearRecording(stream) {
  await callOrGoOn();
  if (!call.active) return false;
  await call.hear(stream);
  stage.show(settings.mode);
  return true;
}

async function toggleMute() {
  if (call.hasMicrophone) call.mute(!call.muted);
  else await turnOnMicrophone();
  stage.show(settings.mode);
}

/** In the call, which goes on. */
async function turnOnMicrophone() {
  problems.clear();
  await call.setMicrophone(settings.microphone);
  if (call.hasMicrophone) lastMicrophone = settings.microphone;
  stage.show(settings.mode);
}

function testAgain() {
  problems.clear();
  microphoneTest.again();
}

function showPhase(phase) {
  stage.show(settings.mode);
  chooser.lock(call.active);
  scope.run(call.active && phase !== 'connecting');
  if (phase === 'listening') {
    if (redial.active) problems.clear();
    redial.stop();
    problems.clearOld();
    questions.answered();
  }
  if (!call.active) questions.stop();
}

function onEvent(direction, event) {
  log.add(direction, event, performance.now() - callBegan);
  if (direction === 'in') scope.apply(event);
  if (event.type === 'session.created' && !resumed(event)) divide();
  if (event.type === 'response.created') noteRun(event.response.id);
}

/** A turn belongs to the settings it was answered under, not to those at the end of its answer. */
function noteRun(response) {
  letters.set(response, tryPanel.runs.answer());
  if (letters.size > 200) letters.delete(letters.keys().next().value);
}

/** Between this call and the one before it. */
function divide() {
  if (captions.entries.length === 0) return;
  const time = new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  const text = `New call, ${time}. The agent remembers nothing of what stands above.`;
  captionsView.divide(`call_${callBegan}`, text);
}

function showProblem(problem) {
  const again = redial.failed(problem.code);
  if (!again) problems.count('');
  problems.show(problem);
  if (problem.code === 'unreachable' && regions.length > 0) findRegions();
  if (problem.code === 'unreachable' || again) stage.outside(again ? 'waiting' : 'away');
  if (problem.code === 'unreachable' && !again) nextLook = setTimeout(meet, LOOK_AGAIN_MS.away);
}

function showCaption(caption) {
  document.body.classList.add('with-captions');
  byId('suggestions').hidden = true;
  captionsView.show(caption);
  if (caption.state === 'done') keeper.touch();
}

/** A record: provisional at the first sound, final at the turn's end. @param {any} turn */
function showTurn(turn) {
  const letter = letters.get(turn.response_id) ?? tryPanel.runs.letter;
  const words = captions.question(turn.response_id);
  turns.add(turn, { letter, words, sound: soundOf(scope.scope, turn, performance.now()) });
  chips.show(turn);
  if (turn.provisional) return;
  tryPanel.heard(turn.origin !== 'text' && turn.critical_ms ? heardMs(turn) : null, letter);
  figures.add(turn);
  keeper.touch();
}

/** The turn of an answer. @param {string} response */
function lookAt(response) {
  if (!drawer.open) drawer.setOpen(true);
  drawer.choose('turns');
  turns.openResponse(response);
  captionsView.highlight(response);
}

function forgetAll() {
  keeper.clear();
  captions.entries.length = 0;
  captionsView.clear();
  turns.forget();
  figures.forget();
  tryPanel.restore([]);
  document.body.classList.remove('with-captions');
}

async function say(text) {
  await callOrGoOn();
  if (call.active) call.say(text);
  else byId('text-input').value ||= text; // nobody has to write it again
}

byId('composer').addEventListener('submit', (event) => {
  event.preventDefault();
  const field = byId('text-input');
  const text = field.value.trim();
  if (!text) return;
  field.value = '';
  say(text);
});

/** Escape means what lies on top; where nothing does, the agent falls silent. */
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.isComposing) return;
  if (drawer.covering) drawer.close();
  else if (chooser.open && (chooser.concerns(event.target) || call.phase !== 'speaking'))
    chooser.close();
  else call.stop();
});

/** Ask until the server is ready; then show what it has. */
async function meet() {
  clearTimeout(nextLook);
  const before = callBegan;
  server = await askServer(key);
  if (call.active) return;
  if (server?.ready) {
    await findRegions();
    if (!call.active) welcome(before !== callBegan);
    return;
  }
  if (server === null || server.problem) problems.show(refusalProblem(server));
  if (server === null) stage.outside('away');
  else stage.wait(server.engines ?? {});
  nextLook = setTimeout(meet, server === null ? LOOK_AGAIN_MS.away : LOOK_AGAIN_MS.starting);
}

/** Measured anew each time the server is met. */
async function findRegions() {
  regions = await measured();
  chooser.showRegions(regions);
}

/** @param {boolean} called meanwhile: what that call failed of is still to be read */
function welcome(called) {
  const known = !['missing', 'wrong'].includes(server.key);
  if (known) showServer();
  stage.ready();
  if (server.profile === 'builtin') suggest(say, captions.entries.length > 0);
  if (called) return;
  problems.clear();
  if (!window.isSecureContext) problems.show(new Problem('insecure'));
  else if (!known) problems.show(refusalProblem(server));
}

/** What the server tells only those who have its key. */
function showServer() {
  byId('profile').textContent = server.profile;
  chooser.showVoices(server);
  tryPanel.showStandard(server);
  agent.showServer(server);
}

/** A key from the user, for all views. @param {string} entered */
function enter(entered) {
  key = entered;
  saveKey(key);
  meetAgain();
}

async function meetAgain() {
  server = await askServer(key);
  if (server?.voices) showServer();
}

/** Show something else, and say so in the address. @param {Partial<import('./address.js').Shown>} what */
function show(what) {
  address.change(what);
  follow(address.shown);
}

/** What the address says is shown. @param {import('./address.js').Shown} shown */
function follow(shown) {
  const { view, panel } = shown;
  document.body.dataset.view = view;
  for (const link of document.querySelectorAll('.views a')) {
    if (link.dataset.view === view) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  byId('page').hidden = view !== 'talk';
  byId('turns-view').hidden = view !== 'turns';
  byId('calls-view').hidden = view !== 'calls';
  turnsView.setVisible(view === 'turns', shown);
  callsView.setVisible(view === 'calls', shown);
  if (panel && panel !== drawer.panel) drawer.choose(panel);
}

/** What this tab knew before it was loaded again. @returns {import('./kept.js').Kept} */
function remember() {
  const kept = keeper.load();
  captions.entries.push(...kept.captions);
  captions.end(); // their call ended with the page
  captions.entries.forEach(showCaption);
  turns.restore(kept.turns);
  for (const { turn } of kept.turns) {
    chips.show(turn);
    if (!turn.provisional) figures.add(turn);
  }
  tryPanel.restore(kept.runs);
  return kept;
}

new VoiceSample(() => ({ ...settings, key }));
window.addEventListener('pagehide', () => call.hangUp());
captionsView.setRead(settings.readCaptions);
applyTheme();
const { panel, set } = address.shown;
drawer.restore(settings.drawer || panel !== '', panel || settings.panel);
const { instructions } = remember();
const told = instructions ? [['instructions', instructions]] : [];
tryPanel.put(new Map([['voice', settings.voice], ...read(set), ...told]));
follow(address.shown);
stage.show(settings.mode);
meet();
