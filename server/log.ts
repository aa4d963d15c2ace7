// The server's log: one JSON line per entry, or readable text for a terminal.
import { type Logger, pino } from 'pino';
import { printable, printableLines } from '../platform/base/printable.ts';
import type { Settings } from '../platform/settings/settings.ts';

export interface Log {
  /** Absent if the level is not logged, so that callers need not build such lines. */
  debug?(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface LogOptions {
  readonly write: (text: string) => void;
  readonly nowMs: () => number;
  readonly level: Settings['log_level'];
  readonly isTerminal: boolean;
}

export function openLog({ write, nowMs, level, isTerminal }: LogOptions): Logger {
  const timestamp = () => `,"time":"${new Date(nowMs()).toISOString()}"`;
  const formatters = { level: (label: string) => ({ level: label }) };
  // JSON escapes the controls that end lines, but not those that only terminals obey; `\u009b` is JSON too.
  const asJson = (line: string) => write(`${printable(line.trimEnd())}\n`);
  const destination = { write: isTerminal ? (line: string) => write(describe(line)) : asJson };
  return pino({ level, base: null, timestamp, formatters }, destination);
}

const MARKS: { readonly [level: string]: string } = { warn: '! ', error: '!! ', fatal: '!! ' };

/** `09:05:07 ! message name=value`, followed by an error's stack. */
function describe(line: string): string {
  const {
    level,
    time,
    msg = '',
    err,
    ...facts
  } = JSON.parse(line) as {
    readonly level: string;
    readonly time: string;
    readonly msg?: string;
    readonly err?: { readonly message: string; readonly stack?: string };
  };
  const details = Object.entries(facts).map(([name, value]) => `${name}=${textOf(value)}`);
  const what = [`${MARKS[level] ?? ''}${msg}`, ...details].join(' ');
  const stack = err === undefined ? '' : `\n${printableLines(err.stack ?? err.message)}`;
  return `${time.slice(11, 19)} ${printable(what)}${stack}\n`;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
