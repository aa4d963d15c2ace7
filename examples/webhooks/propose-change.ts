// A receiver that turns an alert into an action: it proposes to lower a limit, as a pull request for people to review. It only prints what it
// would do, unless --apply is given. To run it:
//   WEBHOOK_SECRET=whsec_… npm run propose -- --limits limits.json [--host-url http://127.0.0.1:9300 --apply]
// The host is a stand-in with one operation, POST /pulls: replace `HttpHost` by the client of yours.
import { readFileSync } from 'node:fs';
import { readOptions } from '../read-options.ts';
import { createReceiver, type ReceivedEvent } from './receiver.ts';
import { checkSecret } from './verify.ts';

export interface PullRequest {
  readonly branch: string;
  readonly title: string;
  readonly body: string;
  readonly path: string;
  /** The whole new file. */
  readonly content: string;
}

export interface RepositoryHost {
  /** Returns the address of the pull request. */
  readonly open: (request: PullRequest) => Promise<string>;
}

export interface ProposerOptions {
  /** Undefined for a dry run. */
  readonly host: RepositoryHost | undefined;
  /** Limit by `subject_id`; a subject without one is left alone. */
  readonly limits: () => Readonly<Record<string, number>>;
  readonly nowSeconds: () => number;
  readonly say: (line: string) => void;
}

/** No second proposal about a subject within this time. */
export const COOLDOWN_SECONDS = 6 * 3_600;
/** An older alert, from a replay or after an outage, says nothing about now. */
const MAX_AGE_SECONDS = 3_600;
const SEVERITIES = ['high', 'critical'];

/** Why an event leads to no action; undefined if it does. Made-up, retracted and doubtful events never do. */
export function reasonAgainst(event: ReceivedEvent, nowSeconds: number): string | undefined {
  if (event.test === true) return 'it is made up for testing';
  if (event.retracts_event_id !== undefined)
    return 'it takes an earlier event back: review what that one led to';
  if (event.type !== 'peg.depeg.start') return `events of type ${event.type} need no action`;
  if (event.data_quality !== undefined) return 'the service doubts its data';
  if (!SEVERITIES.includes(event.severity ?? '')) return `its severity is ${event.severity ?? 'unknown'}`;
  const age = nowSeconds - Date.parse(event.ts ?? '') / 1_000;
  return age <= MAX_AGE_SECONDS ? undefined : 'it is older than an hour, or has no time';
}

/** Halves the limit of the subject of an event, once per subject and cooldown. A proposal that fails may be tried again. */
export class Proposer {
  readonly #options: ProposerOptions;
  readonly #proposedAt = new Map<string, number>();

  constructor(options: ProposerOptions) {
    this.#options = options;
  }

  async take(event: ReceivedEvent): Promise<void> {
    const { host, limits, nowSeconds, say } = this.#options;
    const now = nowSeconds();
    const subject = event.subject_id ?? '';
    const all = limits();
    const limit = all[subject];
    const against = reasonAgainst(event, now) ?? this.#cooldown(subject, now) ?? withoutLimit(limit);
    if (against !== undefined || limit === undefined)
      return say(`${event.event_id}: nothing to do: ${against}.`);
    this.#proposedAt.set(subject, now);
    const request = requestFor(event, subject, { all, lower: Math.floor(limit / 2), limit });
    if (host === undefined) return say(`${event.event_id}: dry run: ${request.title}`);
    try {
      say(`${event.event_id}: proposed as ${await host.open(request)}`);
    } catch (error) {
      this.#proposedAt.delete(subject);
      say(
        `${event.event_id}: the proposal failed: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  #cooldown(subject: string, now: number): string | undefined {
    const last = this.#proposedAt.get(subject);
    return last !== undefined && now - last < COOLDOWN_SECONDS
      ? 'a change was proposed less than 6 h ago'
      : undefined;
  }
}

const withoutLimit = (limit: number | undefined) =>
  limit === undefined ? 'its subject has no limit in the file' : undefined;

function requestFor(
  event: ReceivedEvent,
  subject: string,
  { all, limit, lower }: { all: Readonly<Record<string, number>>; limit: number; lower: number },
): PullRequest {
  return {
    branch: `limit-${event.event_id.toLowerCase()}`,
    title: `Lower the limit of ${subject} from ${limit} to ${lower}`,
    body: `Event ${event.event_id} (${event.type}, ${event.severity}) of ${event.ts}. Its evidence: GET /v2/events/${event.event_id}/evidence. Review before merging.`,
    path: 'limits.json',
    content: `${JSON.stringify({ ...all, [subject]: lower }, null, 2)}\n`,
  };
}

/** A stand-in for the host of a repository. */
export const httpHost = (url: string): RepositoryHost => ({
  async open(request) {
    const answer = await fetch(new URL('/pulls', url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(10_000),
    });
    if (!answer.ok) throw new Error(`The host answered ${answer.status}.`);
    return String(((await answer.json()) as { url?: unknown }).url);
  },
});

const USAGE =
  'WEBHOOK_SECRET=whsec_… npm run propose -- --limits limits.json [--port 3000] [--host-url http://127.0.0.1:9300 --apply]';

if (import.meta.main) {
  const { values } = readOptions(USAGE, {
    options: {
      port: { type: 'string', default: '3000' },
      limits: { type: 'string', default: 'limits.json' },
      'host-url': { type: 'string', default: 'http://127.0.0.1:9300' },
      apply: { type: 'boolean', default: false },
    },
  });
  const secrets = (process.env['WEBHOOK_SECRET'] ?? '').split(',').filter((secret) => secret !== '');
  if (secrets.length === 0) {
    console.error('Set WEBHOOK_SECRET to the signing secret.');
    process.exit(2);
  }
  for (const secret of secrets) checkSecret(secret);
  const nowSeconds = () => Math.floor(Date.now() / 1000);
  const proposer = new Proposer({
    host: values.apply ? httpHost(values['host-url']) : undefined,
    limits: () => JSON.parse(readFileSync(values.limits, 'utf8')) as Record<string, number>,
    nowSeconds,
    say: (line) => console.log(line),
  });
  const onEvent = (event: ReceivedEvent) => {
    proposer.take(event).catch((error: Error) => console.error(`${event.event_id}: ${error.message}`));
  };
  createReceiver({ secrets, nowSeconds, onEvent }).listen(Number(values.port), '127.0.0.1', () => {
    console.error(
      `Waiting for events at http://127.0.0.1:${values.port}/${values.apply ? '' : ' (dry run)'}`,
    );
  });
}
