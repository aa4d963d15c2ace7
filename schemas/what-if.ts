// The protocol between the server and the what-if process: one line of JSON per request and reply over a local socket.
import { type Static, Strict, Type, UnixSeconds } from './define.ts';

/** Event types that a simulation can fire. */
export const WHAT_IF_TYPES = [
  'liquidity.utilization.spike',
  'liquidity.depth.collapse',
  'oracle.stale',
  'peg.depeg.start',
  'peg.depeg.end',
  'peg.depeg.recovered',
] as const;
export type WhatIfType = (typeof WHAT_IF_TYPES)[number];

/** Name of the socket in the data folder. */
export const WHAT_IF_SOCKET = 'what-if.sock';
export const MAX_WHAT_IF_BYTES = 8 * 1_048_576;

const Rows = Type.Array(
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
);

export const WhatIfQuestionShape = Strict({
  start: UnixSeconds(
    'Midnight in UTC from which models are computed; the state that they resume from is given as rows',
  ),
  from: UnixSeconds('Events after this time'),
  to: UnixSeconds('Events up to this time'),
  types: Type.Array(Type.Enum([...WHAT_IF_TYPES]), {
    minItems: 1,
    description: 'Requested events; only what their detectors read is computed',
  }),
  rows: Type.Record(Type.String(), Rows, {
    description: 'Rows of models, by model name; missing columns are null',
  }),
});
export type WhatIfQuestion = Static<typeof WhatIfQuestionShape>;

export interface WhatIfEvent {
  readonly type: string;
  readonly severity: string | null;
  readonly subject_id: string;
  /** ISO 8601 UTC. */
  readonly ts: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type WhatIfReply = { readonly events: readonly WhatIfEvent[] } | { readonly error: string };
