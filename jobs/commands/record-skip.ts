// Records in the ledger that a command was skipped because another process was working on the folder.
import { appendEntry } from '../pipeline/run/ledger.ts';
import type { Command } from './parse.ts';

export function recordSkip(ledger: string, command: Command, nowMs: number): void {
  const now = Math.floor(nowMs / 1000);
  const interval =
    command.name === 'backfill' ? { from: command.from, to: command.to } : { from: now, to: now };
  const job = command.name === 'backfill' || command.name === 'rebuild' ? command.name : 'tick';
  appendEntry(ledger, {
    run: `${command.name}:${nowMs}:skipped`,
    job,
    interval,
    attempt: 1,
    state: 'skipped',
    at: new Date(nowMs).toISOString(),
    reasons: ['another instance was running'],
  });
}
