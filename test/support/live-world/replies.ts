// Replies of a misbehaving host: the true data in another form, no response, or something that looks like one.
import { gzipSync } from 'node:zlib';
import type { Reply } from '../../jobs/sources/live/http/replay-server.ts';
import type { Endpoint, Question } from './endpoints.ts';

/** Where a request ends up instead of at its host. */
export type Detour = 'unknown_name' | 'closed_port' | 'broken_tls';

export interface TroubleReply {
  readonly reply?: Reply;
  readonly detour?: Detour;
  /** Whether the rows of the document land: never (default), always, or depending on how the reading is judged. */
  readonly lands?: 'always' | 'perhaps';
  /** The document that counts, if it differs from the true one. */
  readonly counts?: unknown;
  /** The age that the response reports, seconds. */
  readonly age?: number;
}

export interface Scene {
  readonly endpoint: Endpoint;
  readonly question: Question;
  /** The true document. */
  readonly document: unknown;
}

type Json = { [name: string]: unknown };

const JSON_TYPE = { 'content-type': 'application/json' };
const dateOf = (now: number) => new Date(now * 1000).toUTCString();

export const asJson = (document: unknown, now: number, headers: Reply['headers'] = {}): Reply => ({
  body: JSON.stringify(document),
  headers: { ...JSON_TYPE, date: dateOf(now), ...headers },
});

export const status = (code: number, headers: Reply['headers'] = {}, body = ''): TroubleReply => ({
  reply: { status: code, headers, body },
});

export const html = (code: number): TroubleReply => ({
  reply: {
    status: code,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: '<!doctype html><html><title>Just a moment…</title></html>',
  },
});

/** The same document with other records. */
export function withRecords(
  { endpoint, document }: Scene,
  change: (records: readonly Json[]) => readonly unknown[],
): unknown {
  const path = pathOf(endpoint, document);
  const copy = structuredClone(document);
  if (path === '') return change(copy as Json[]);
  const names = path.split('.');
  const last = names.pop() ?? '';
  const holder = names.reduce((value, name) => value[name] as Json, copy as Json);
  holder[last] = change(holder[last] as Json[]);
  return copy;
}

/** The hub serves two queries. */
const pathOf = ({ carriers: { records } }: Endpoint, document: unknown): string =>
  records === 'data.votes' && 'proposals' in ((document as Json)['data'] as Json)
    ? 'data.proposals'
    : (records ?? '');

export const packed = (document: unknown, now: number, damage: (bytes: Buffer) => Buffer): Reply => ({
  body: damage(gzipSync(JSON.stringify(document))),
  headers: { ...JSON_TYPE, date: dateOf(now), 'content-encoding': 'gzip' },
});
