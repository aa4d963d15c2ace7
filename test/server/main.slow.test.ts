import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { bareEnvironment } from '../support/bare-environment.ts';
import { ServerFixture } from './server-fixture.ts';

const MAIN = new URL('../../server/main.ts', import.meta.url).pathname;

function start(args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: bareEnvironment(),
    stdio: 'pipe',
  });
  let output = '';
  const read = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const exited = once(child, 'exit');
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const [, found] = /"url":"([^"]+)"/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    void exited.then(() => reject(new Error(output)));
  });
  return { child, url, exited, output: () => output };
}

test('the program serves a folder and exits with 0 on SIGTERM', async () => {
  const fixture = await ServerFixture.create();
  await fixture.publish();
  const { child, url, exited } = start(['--snapshot-dir', fixture.dir, '--port', '0']);
  const base = await url;
  for (;;) {
    const ready = await fetch(`${base}/v1/ready`);
    if (ready.status === 200) break;
  }
  expect((await fetch(`${base}/v2/data-manifest`)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  await fixture.remove();
});

test('a wrong setting makes it exit with 2 and a message', async () => {
  const { exited, url, output } = start(['--port', 'many']);
  await expect(url).rejects.toThrow();
  expect((await exited)[0]).toBe(2);
  expect(output()).toContain('port');
});

test('a port in use makes it exit with 1 and a message', async () => {
  const fixture = await ServerFixture.create();
  const { port } = await fixture.serve();
  const { exited, url, output } = start(['--snapshot-dir', fixture.dir, '--port', String(port)]);
  await expect(url).rejects.toThrow();
  expect((await exited)[0]).toBe(1);
  expect(output()).toContain(`cannot listen on 127.0.0.1:${port}: the port is in use; set PORT`);
  await fixture.remove();
});
