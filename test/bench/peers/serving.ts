// One document of 15 KB: ours with every check, against a FastAPI route that reads the same JSON from a file, under uvicorn.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Child, measure } from '../load.ts';
import { median } from '../report.ts';
import { DOCUMENT_PATH, startOurs } from '../serve.ts';
import { installPython } from './python.ts';

const ROUNDS = 5;
const ANSWERS = 3_000;
const CONNECTIONS = 64;

/** What such a service would do: read the row, build the response, no keys, limits, ETags or usage. */
const APPLICATION = `
import json
from fastapi import FastAPI
with open("document.json") as file:
    document = json.load(file)
app = FastAPI()
@app.get("${DOCUMENT_PATH}")
async def read():
    return document
`;

async function startFastApi(uvicorn: string, body: string): Promise<Child> {
  const folder = temporaryFolder('peers-fastapi');
  writeFileSync(join(folder, 'document.json'), body);
  writeFileSync(join(folder, 'application.py'), APPLICATION);
  const port = await freePort();
  const flags = ['application:app', '--port', String(port), '--no-access-log', '--log-level', 'error'];
  const child = spawn(uvicorn, flags, { cwd: folder, stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}`;
  for (let isUp = false; !isUp && child.exitCode === null; ) {
    isUp = await fetch(url + DOCUMENT_PATH).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isUp) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    url,
    headers: {},
    usage: async () => ({ cpu_seconds: cpuSeconds(child.pid ?? 0), rss_bytes: 0 }),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** From the nanoseconds of `schedstat` of its main thread, which does all of its work. */
const cpuSeconds = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e9;

/** Answers per CPU second of both; null if the peer is not available. */
export async function compareServing(explain: (line: string) => void) {
  const python = await installPython(['fastapi', 'uvicorn'], explain);
  if (python === null) return null;
  const ours = await startOurs();
  const first = await fetch(ours.url + DOCUMENT_PATH, { headers: ours.headers });
  const peer = await startFastApi(python.path('uvicorn'), await first.text());
  const rates: { readonly ours: number[]; readonly peer: number[] } = { ours: [], peer: [] };
  try {
    for (let round = -1; round < ROUNDS; round++)
      for (const [name, child] of [
        ['ours', ours],
        ['peer', peer],
      ] as const) {
        const load = { path: DOCUMENT_PATH, connections: CONNECTIONS, answers: ANSWERS, expectedStatus: 200 };
        const { answersPerCpuSecond } = await measure(child, load);
        if (round >= 0) rates[name].push(answersPerCpuSecond);
      }
  } finally {
    await Promise.all([peer.stop(), ours.stop()]);
  }
  return { versions: python.versions, ours: median(rates.ours), peer: median(rates.peer) };
}
