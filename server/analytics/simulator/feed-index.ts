// The feeds and detector states of a version, parsed once.
import { oncePer } from '../../../platform/base/once-per.ts';
import type { Static } from '../../../schemas/define.ts';
import type { DetectorState } from '../../../schemas/detector-state.ts';
import type { OraclePairSchema } from '../../../schemas/oracles.ts';
import type { Documents } from '../../data/documents.ts';
import type { LendingMarket } from './market-index.ts';

/** A feed that updates on time, and the markets that read it. */
export interface PublishedFeed extends Omit<Static<typeof OraclePairSchema>, 'last_update_at' | 'status'> {
  readonly provider: string;
  readonly last_at: number;
  readonly markets: readonly LendingMarket[];
}

export interface PublishedState extends DetectorState {
  /** The key of its document. */
  readonly key: string;
}

export const detectorStatesIn: (documents: Documents) => readonly PublishedState[] = oncePer((documents) =>
  parsed<DetectorState>(documents).map(([key, state]) => ({ ...state, key })),
);

/** Feeds that update on time. A feed that is already silent, or that cannot be judged, cannot fall silent. */
export const feedsIn: (documents: Documents) => readonly Omit<PublishedFeed, 'markets'>[] = oncePer(
  (documents) =>
    parsed<readonly Static<typeof OraclePairSchema>[]>(documents).flatMap(([provider, rows]) =>
      rows.flatMap(({ last_update_at, status, ...feed }) =>
        status !== 'fresh' || last_update_at === null
          ? []
          : [{ ...feed, provider, last_at: Date.parse(last_update_at) / 1_000 }],
      ),
    ),
);

const parsed = <T>(documents: Documents): readonly (readonly [string, T])[] =>
  [...documents.keys()].map((key) => [key, JSON.parse(documents.get(key)?.toString('utf8') ?? 'null') as T]);
