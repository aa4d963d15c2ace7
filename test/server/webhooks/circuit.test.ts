import { expect, test } from 'vitest';
import { Circuit } from '../../../server/webhooks/queue.ts';

const silent = (circuit: Circuit, times: number, nowMs: number) => {
  for (let time = 0; time < times; time++) circuit.record('silent', nowMs);
};

/** The next time, in steps of a second, at which an attempt is allowed. */
function opensAtMs(circuit: Circuit, fromMs: number): number {
  for (let nowMs = fromMs; nowMs <= fromMs + 120_000; nowMs += 1_000)
    if (circuit.allowance(nowMs) > 0) return nowMs;
  throw new Error('it stays closed');
}

test('a new receiver gets a few concurrent attempts, a responding one gets more, up to the maximum', () => {
  const circuit = new Circuit(16);
  expect(circuit.allowance(0)).toBe(4);
  for (let answer = 0; answer < 50; answer++) circuit.record('answered', 0);
  expect(circuit.allowance(0)).toBe(16);
});

test('five timeouts in a row pause it; then one attempt is allowed at a time', () => {
  const circuit = new Circuit(16);
  silent(circuit, 4, 0);
  expect(circuit.allowance(0)).toBe(1);
  expect(opensAtMs(circuit, 0)).toBe(0);
  silent(circuit, 1, 0);
  expect(circuit.allowance(0)).toBe(0);
  expect(opensAtMs(circuit, 0)).toBe(5_000);
  expect(circuit.allowance(5_000)).toBe(1);
  expect(opensAtMs(circuit, 5_000)).toBe(5_000);
});

test('each try that times out doubles the pause, up to a minute', () => {
  const circuit = new Circuit(16);
  silent(circuit, 5, 0);
  let nowMs = 0;
  const pauses = [5_000];
  for (let tried = 0; tried < 6; tried++) {
    nowMs = opensAtMs(circuit, nowMs);
    silent(circuit, 1, nowMs);
    pauses.push(opensAtMs(circuit, nowMs) - nowMs);
  }
  expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
});

test('attempts that time out together count as one try', () => {
  const circuit = new Circuit(16);
  silent(circuit, 16, 0);
  expect(opensAtMs(circuit, 0)).toBe(5_000);
});

test('a response, whatever its status, closes the circuit', () => {
  const circuit = new Circuit(16);
  silent(circuit, 5, 0);
  circuit.record('answered', 5_000);
  expect(circuit.allowance(5_000)).toBeGreaterThan(1);
  silent(circuit, 4, 6_000);
  expect(opensAtMs(circuit, 6_000)).toBe(6_000);
});
