// The example that turns an alert into a pull request: what it acts on, how often, and that a dry run does nothing.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import {
  COOLDOWN_SECONDS,
  httpHost,
  Proposer,
  type PullRequest,
  reasonAgainst,
} from '../../../examples/webhooks/propose-change.ts';
import { createReceiver } from '../../../examples/webhooks/receiver.ts';
import { sendSigned } from '../../../packages/client/src/cli/listen.ts';
import { makeSecret } from '../../../server/webhooks/sign.ts';

const NOW_S = Date.parse('2026-03-01T12:00:00Z') / 1_000;
const SUBJECT = 'peg:ethereum:USDT';
const EVENT = {
  event_id: '01HZX3K9Q4T2V7B8N6M5P1R0SD',
  type: 'peg.depeg.start',
  severity: 'high',
  subject_id: SUBJECT,
  ts: '2026-03-01T11:30:00Z',
};

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const listening = (server: ReturnType<typeof createServer>): Promise<string> =>
  new Promise((resolve) => {
    closers.push(() => server.close());
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    );
  });

class Trial {
  readonly opened: PullRequest[] = [];
  readonly lines: string[] = [];
  nowSeconds = NOW_S;
  fault: Error | undefined;

  proposer(isDryRun = false): Proposer {
    const open = async (request: PullRequest) => {
      if (this.fault !== undefined) throw this.fault;
      this.opened.push(request);
      return 'https://git.example.com/1';
    };
    return new Proposer({
      host: isDryRun ? undefined : { open },
      limits: () => ({ [SUBJECT]: 1_001, 'peg:ethereum:DAI': 500 }),
      nowSeconds: () => this.nowSeconds,
      say: (line) => this.lines.push(line),
    });
  }
}

test('proposes half the limit, and leaves the others', async () => {
  const trial = new Trial();
  await trial.proposer().take(EVENT);
  expect(trial.opened).toHaveLength(1);
  expect(JSON.parse(trial.opened[0]?.content ?? '')).toEqual({ [SUBJECT]: 500, 'peg:ethereum:DAI': 500 });
});

test('a dry run opens nothing', async () => {
  const trial = new Trial();
  await trial.proposer(true).take(EVENT);
  expect(trial.opened).toEqual([]);
  expect(trial.lines[0]).toContain('dry run: Lower the limit');
});

test.each([
  [{ test: true }, 'made up'],
  [{ retracts_event_id: 'x' }, 'takes an earlier event back'],
  [{ type: 'oracle.stale' }, 'need no action'],
  [{ data_quality: 'degraded' }, 'doubts'],
  [{ severity: 'warn' }, 'severity is warn'],
  [{ severity: undefined }, 'severity is unknown'],
  [{ ts: '2026-03-01T10:59:59Z' }, 'older than an hour'],
  [{ ts: undefined }, 'has no time'],
] as const)('does not act on %j', (change, expected) => {
  expect(reasonAgainst(EVENT, NOW_S)).toBeUndefined();
  expect(reasonAgainst({ ...EVENT, ...change } as typeof EVENT, NOW_S)).toContain(expected);
});

test('proposes once per subject and cooldown, and again after a fault', async () => {
  const trial = new Trial();
  const proposer = trial.proposer();
  trial.fault = new Error('no host');
  await proposer.take(EVENT);
  trial.fault = undefined;
  await proposer.take(EVENT);
  const later = (seconds: number) => {
    trial.nowSeconds = NOW_S + seconds;
    return proposer.take({ ...EVENT, ts: new Date(trial.nowSeconds * 1_000).toISOString() });
  };
  await later(COOLDOWN_SECONDS - 1);
  expect(trial.opened).toHaveLength(1);
  await later(COOLDOWN_SECONDS);
  expect(trial.opened).toHaveLength(2);
});

test('a signed delivery opens a pull request at a stand-in host; one with another signature does not', async () => {
  const opened: unknown[] = [];
  const host = await listening(
    createServer(async (request, response) => {
      opened.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
      response.end('{"url":"https://git.example.com/2"}');
    }),
  );
  const trial = new Trial();
  const secret = makeSecret((bytes) => Buffer.alloc(bytes, 5));
  const other = makeSecret((bytes) => Buffer.alloc(bytes, 6));
  const nowSeconds = () => NOW_S;
  const limits = () => ({ [SUBJECT]: 1_000 });
  const isProposed = Promise.withResolvers<string>();
  const proposer = new Proposer({ host: httpHost(host), limits, nowSeconds, say: isProposed.resolve });
  const onEvent = (event: Parameters<Proposer['take']>[0]) => void proposer.take(event);
  const url = await listening(createReceiver({ secrets: [secret], nowSeconds, onEvent }));
  expect(await sendSigned({ url, secret: other }, EVENT, NOW_S * 1_000)).toBe(401);
  expect(await sendSigned({ url, secret }, EVENT, NOW_S * 1_000)).toBe(204);
  expect(await isProposed.promise).toContain('proposed as https://git.example.com/2');
  expect(opened).toHaveLength(1);
  expect(trial.opened).toEqual([]);
});
