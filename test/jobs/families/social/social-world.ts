// Messages of a test in the social domain: rows with defaults, landed as columns, and the days of a week computed one after the other.

import type { ColumnsDelivery } from '../../../../jobs/define/source.ts';
import { DEFAULT_POLICY } from '../../../../jobs/policies.ts';
import { social } from '../../../../jobs/families/social/domain.ts';
import type { SocialPolicy } from '../../../../jobs/families/social/policy.ts';
import { type DomainWorld, openDomainWorld } from '../../../support/domain-world.ts';

export const DAY = 86_400;
/** 00:00 UTC of a day in 2026. */
export const TODAY = 1_782_864_000;
export const NOW = TODAY + 43_200;

export interface MessageRow {
  readonly channel?: string;
  readonly protocol?: string;
  readonly sent_at?: number;
  readonly author?: string | null;
  readonly text?: string | null;
  readonly message_id?: string | null;
}

export const openSocialWorld = (settings: Partial<SocialPolicy> = {}): Promise<DomainWorld> =>
  openDomainWorld(social, [], { ...DEFAULT_POLICY, social: { ...DEFAULT_POLICY.social, ...settings } });

export function messages(rows: readonly MessageRow[]): ColumnsDelivery {
  const column = <K extends keyof MessageRow>(name: K, preset: MessageRow[K]) =>
    rows.map((row) => (row[name] === undefined ? (preset ?? null) : (row[name] ?? null)));
  return {
    kind: 'columns',
    count: rows.length,
    columns: {
      channel: column('channel', 'discord'),
      protocol: column('protocol', 'aave'),
      sent_at: column('sent_at', TODAY + 60),
      author: column('author', 'alice'),
      text: column('text', 'hello there'),
      message_id: column('message_id', null),
    },
  };
}

/** Every day from `first` up to the one of `now`, as daily runs compute them. */
export async function computeDays(world: DomainWorld, first: number, now = NOW): Promise<void> {
  for (let day = first; day <= now; day += DAY)
    await world.compute({ start: day, end: Math.min(day + DAY, now + 1), now: Math.min(day + DAY - 1, now) });
}
