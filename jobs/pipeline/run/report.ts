// Progress output of a run: short lines for a person at a terminal, otherwise one JSON line per step.
import pino from 'pino';
import { printable } from '../../../platform/base/printable.ts';
import type { Json } from '../../../platform/base/json.ts';

export type Fields = { readonly [name: string]: Json };

export interface Reporter {
  /** Details for debugging. */
  debug(what: string, fields?: Fields): void;
  step(what: string, fields?: Fields): void;
  warn(what: string, fields?: Fields): void;
  error(what: string, fields?: Fields): void;
}

export interface ReporterOptions {
  readonly write: (text: string) => void;
  readonly nowMs: () => number;
  /** Completes the commands that a message names. */
  readonly complete?: (text: string) => string;
  readonly level: 'silent' | 'error' | 'warn' | 'info' | 'debug';
}

const asItIs = (text: string) => text;

export function jsonReporter({ write, nowMs, level, complete = asItIs }: ReporterOptions): Reporter {
  const timestamp = () => `,"time":"${new Date(nowMs()).toISOString()}"`;
  const formatters = { level: (label: string) => ({ level: label }) };
  // JSON escapes the controls of ASCII, and the end of the line is its own.
  const safe = (text: string) => write(`${printable(text.replace(/\n$/, ''))}\n`);
  const log = pino({ level, base: null, timestamp, formatters }, { write: safe });
  return {
    debug: (what, fields = {}) => log.debug(fields, complete(what)),
    step: (what, fields = {}) => log.info(fields, complete(what)),
    warn: (what, fields = {}) => log.warn(fields, complete(what)),
    error: (what, fields = {}) => log.error(fields, complete(what)),
  };
}

const RANK = { silent: 0, error: 1, warn: 2, info: 3, debug: 4 } as const;

export function terminalReporter({ write, nowMs, level, complete = asItIs }: ReporterOptions): Reporter {
  const line =
    (rank: keyof typeof RANK, mark: string) =>
    (what: string, fields: Fields = {}) => {
      if (RANK[rank] > RANK[level]) return;
      const time = new Date(nowMs()).toISOString().slice(11, 19);
      const details = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
      write(`${time} ${mark}${printable(complete([what, ...details].join(' ')))}\n`);
    };
  return {
    debug: line('debug', ''),
    step: line('info', ''),
    warn: line('warn', '! '),
    error: line('error', '!! '),
  };
}

const textOf = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value));

/** The messages of an error and its causes as one string. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined || error.message.includes(causeText(error))
    ? error.message
    : `${error.message} (${messageOf(error.cause)})`;
}

const causeText = ({ cause }: Error) => (cause instanceof Error ? cause.message : String(cause));

/** Warnings about conditions that last from run to run: each is logged when it begins, and not again at every tick. */
export class StandingWarnings {
  #standing: ReadonlySet<string> = new Set();

  /** `messages`: all warnings that hold in this run. */
  say(reporter: Pick<Reporter, 'warn'>, messages: Iterable<string>): void {
    const now = new Set(messages);
    for (const one of now) if (!this.#standing.has(one)) reporter.warn(one);
    this.#standing = now;
  }
}
