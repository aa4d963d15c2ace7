import { expect, test } from 'vitest';
import { Circuit } from '../../../server/webhooks/circuit.ts';

const silent = (circuit: Circuit, times: number, nowMs: number) => {
  for (let time = 0; time < times; time++) circuit.record('silent', nowMs);
};

test('a new receiver gets a few attempts at once, one that answers gets more, up to the maximum', () => {
  const circuit = new Circuit(16);
  expect(circuit.allowance(0)).toBe(4);
  for (let answer = 0; answer < 50; answer++) circuit.record('answered', 0);
  expect(circuit.allowance(0)).toBe(16);
});

test('five timeouts in a row pause it; then one attempt is allowed at a time', () => {
  const circuit = new Circuit(16);
  silent(circuit, 4, 0);
  expect(circuit.allowance(0)).toBe(1);
  expect(circuit.opensAtMs(0)).toBeNull();
  silent(circuit, 1, 0);
  expect(circuit.allowance(0)).toBe(0);
  expect(circuit.opensAtMs(0)).toBe(5_000);
  expect(circuit.allowance(5_000)).toBe(1);
  expect(circuit.opensAtMs(5_000)).toBeNull();
});

test('each silent try doubles the pause, up to a minute', () => {
  const circuit = new Circuit(16);
  silent(circuit, 5, 0);
  let nowMs = 0;
  const pauses = [5_000];
  for (let tried = 0; tried < 6; tried++) {
    nowMs = circuit.opensAtMs(nowMs) ?? nowMs;
    silent(circuit, 1, nowMs);
    pauses.push((circuit.opensAtMs(nowMs) ?? nowMs) - nowMs);
  }
  expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
});

test('attempts that fall silent together count as one try', () => {
  const circuit = new Circuit(16);
  silent(circuit, 16, 0);
  expect(circuit.opensAtMs(0)).toBe(5_000);
});

test('an answer, whatever its status, closes it', () => {
  const circuit = new Circuit(16);
  silent(circuit, 5, 0);
  circuit.record('answered', 5_000);
  expect(circuit.allowance(5_000)).toBeGreaterThan(1);
  silent(circuit, 4, 6_000);
  expect(circuit.opensAtMs(6_000)).toBeNull();
});
