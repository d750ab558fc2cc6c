/** The colours that mean something, told apart by lightness: not everybody sees red beside green. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const CSS = readFileSync(new URL('../../web/style.css', import.meta.url), 'utf8');
const THEMES = Object.freeze(['light', 'dark']);

function colour(name, theme) {
  const pair = CSS.match(new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`));
  assert.ok(pair, name);
  return pair[THEMES.indexOf(theme) + 1];
}

/** Relative luminance of WCAG 2. */
function luminance(hex) {
  const [r, g, b] = [1, 3, 5]
    .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other, theme) {
  const [a, b] = [one, other].map((name) => luminance(colour(name, theme)));
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

for (const theme of THEMES) {
  test(`${theme}: over budget differs from waited in lightness, and both from the ground`, () => {
    assert.ok(contrast('waited', 'over', theme) > 1.8); // it was 1.04 once
    for (const name of ['waited', 'over']) assert.ok(contrast(name, 'surface', theme) > 3, name);
  });

  test(`${theme}: text keeps 4.5:1 on both grounds`, () => {
    for (const name of ['ink', 'soft', 'agent', 'user', 'alert'])
      for (const ground of ['paper', 'surface'])
        assert.ok(contrast(name, ground, theme) >= 4.5, `${name} on ${ground}`);
  });

  test(`${theme}: each stage differs from the one that follows it`, () => {
    const stages = ['endpoint', 'asr', 'llm', 'tool', 'clause', 'tts', 'output', 'network'];
    for (let i = 1; i < stages.length; i += 1) {
      const ratio = contrast(`stage-${stages[i - 1]}`, `stage-${stages[i]}`, theme);
      assert.ok(ratio > 1.15, `${stages[i - 1]} and ${stages[i]}: ${ratio.toFixed(2)}`);
    }
  });
}
