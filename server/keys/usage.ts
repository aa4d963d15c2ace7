// How the command is used, and the error of one that is not used so.
import { KEYS_TRUSTED_MS } from '../access/key-ring.ts';

export const USAGE = `Usage: npm run keys -- <command>

  create --org ORG --plan PLAN [--scopes LIST|all] [--expires 90d|INSTANT|never] [--json]
                                    make a key and print it, this once; a running server knows it at once
         for the plan custom also:  --requests-per-minute N, --replay-window-days N, --stream-connections N,
                                    --webhook-subscriptions N, --monte-carlo-runs-per-month N, --simulator-runs-per-month N
  list [--org ORG] [--json]         keys, without what would let anybody use them
  show ID [--json]                  one key
  rotate ID [--overlap 24h] [--expires 90d|INSTANT|never] [--json]
                                    make a key in place of another, which works on for the overlap
  revoke ID [--json]                end a key at once, open streams included
  audit [--json]                    every change: who, what, when
  audit --verify [--json]           whether the log is whole and the keys are what it says
  audit --accept [--json]           go on with a store that is refused because it is older than it was, for example from a
                                    backup, or begin an empty one with the seal key that is there; the log says so

PLAN is free, analyst, team, enterprise or custom. INSTANT is 2026-01-31T09:00:00Z, 2026-01-31 or Unix seconds.
Settings are flags too: --data-dir, --ops-store, --config …
Exit codes: 0 done, 1 failed (or the audit log is not whole), 2 wrong command or configuration; nothing was changed.
A server that cannot read its store accepts what it last knew for ${KEYS_TRUSTED_MS / 1_000} seconds, and then no key.
`;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}
