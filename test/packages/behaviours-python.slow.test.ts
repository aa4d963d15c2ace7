import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { BEHAVIOURS, BehaviourWorld, expectAsListed, type PreparedBehaviour } from './behaviour-world.ts';
import type { Outcome, Task } from './behaviours.ts';
import { PACKAGES_PYTHON, PYTHON_SOURCE } from './packages-python.ts';

const RUNNER = new URL('./run_behaviours.py', import.meta.url).pathname;
const NAME = 'the Python client, %s (skipped without httpx and websockets: npm run install:readers)';

describe.skipIf(PACKAGES_PYTHON === undefined).each(['sync', 'async'])(NAME, (mode) => {
  let world: BehaviourWorld;
  let prepared: readonly PreparedBehaviour[];
  let outcomes: readonly Outcome[];
  beforeAll(async () => {
    world = await BehaviourWorld.start();
    prepared = world.prepare();
    const tasks = prepared.map(({ task }) => task);
    outcomes = await carriedOut(mode, tasks);
  });
  afterAll(() => world.stop());

  test.each(BEHAVIOURS.map(({ name }, index) => [name, index] as const))('%s', (_, index) => {
    const one = prepared[index];
    const outcome = outcomes[index];
    if (one === undefined || outcome === undefined) throw new Error('It was not carried out.');
    expectAsListed(one, outcome);
  });
});

async function carriedOut(mode: string, tasks: readonly Task[]): Promise<readonly Outcome[]> {
  const child = spawn(PACKAGES_PYTHON ?? '', [RUNNER, mode], {
    env: { ...process.env, PYTHONPATH: PYTHON_SOURCE },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(tasks));
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as readonly Outcome[];
}
