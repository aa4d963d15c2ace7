import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCENARIOS } from '../../../schemas/scenarios.ts';
import { SimulatorApi } from '../../server/routes/simulator-api.ts';

const FILE = new URL('../../../examples/client/simulate.ts', import.meta.url).pathname;

let api: SimulatorApi;
beforeAll(async () => {
  api = await SimulatorApi.start();
});
afterAll(() => api.stop());

const simulated = (...more: string[]) =>
  promisify(execFile)(process.execPath, [FILE, '--base-url', api.url, ...more]);

test('every preset is simulated for a supplier, with the causes of the loss and what is not known', async () => {
  const { stdout } = await simulated('--key', api.keyOf('team'), '--market', 'arbitrum:xusd-usdc');
  for (const { title } of SCENARIOS) expect(stdout).toContain(`${title}\n  loss: `);
  expect(stdout).toContain('  loss: 94462.81 USD (stranded 94462.81)\n');
  expect(stdout).toContain('unknown: detectors_unavailable');
});

test('a key without the plan ends it with 1 and the code', async () => {
  const asked = simulated('--key', api.keyOf('analyst'));
  await expect(asked).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('SIMULATOR_TIER_REQUIRED'),
  });
});
