// Tables that pages show without JavaScript: their form, and cells that are made of several members of a row.
import type { Condition } from '../../schemas/conditions.ts';
import { completed } from '../replies/condition-inputs.ts';

/** A row of a published dataset. */
export type Row = Readonly<Record<string, unknown>>;

export interface NumberTable {
  readonly dataset: string;
  readonly caption: string;
  /** Default: the order in which rows are published. */
  readonly order?: (a: Row, b: Row) => number;
  /** Default: all rows. */
  readonly where?: (row: Row) => boolean;
  /** Members of a row, or texts made of several, each with its heading. A path such as `price.last` reaches nested objects. */
  readonly columns: readonly (readonly [member: string | ((row: Row) => string), heading: string])[];
}

/** Changes of vaults without an end, the next one first. */
export const pendingTable: NumberTable = {
  dataset: 'vault-changes',
  caption: 'Changes of vaults that wait',
  where: ({ ended_at }) => ended_at === null,
  order: (a, b) => dueOf(a) - dueOf(b),
  columns: [
    ['statement', 'What it does'],
    ['vault_name', 'Vault'],
    ['severity', 'Severity'],
    ['status', 'Status'],
    [({ executable_at }) => timeOf(executable_at), 'Executable from, UTC'],
    ['executable_by', 'By'],
    ['can_revoke', 'Revocable by'],
  ],
};

/** One without a known time may be due at once. */
const dueOf = ({ executable_at: at }: Row): number => (typeof at === 'number' ? at : 0);
const timeOf = (seconds: unknown): string =>
  typeof seconds === 'number'
    ? new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')
    : 'not known';

/** Each with whether it holds. */
export function assumptionsText({ assumptions }: Row): string {
  const all = (assumptions ?? []) as readonly { statement: string; is_broken: boolean | null }[];
  const states = { true: 'does not hold', false: 'holds', null: 'cannot be judged' } as const;
  return (
    all.map(({ statement, is_broken }) => `${statement} (${states[`${is_broken}`]})`).join(' ') || 'not known'
  );
}

export function edgesText({ edges }: Row): string {
  const all = (edges ?? []) as readonly { to: string; name: string | null; share: number }[];
  return all.map(({ to, name, share }) => `${name ?? to}: ${(share * 100).toFixed(1)} %`).join('; ');
}

/** As published, also by an earlier program. */
export const conditionOf = (row: Row): Condition => completed(row as unknown as Condition);

/** What a condition affects, what it may affect, and the dollars, with the share that they leave out. */
export function reachText(row: Row): string {
  const { reach } = conditionOf(row);
  if (reach === null) return 'not known';
  const part = (known: number | null, unknown: number | null, what: string) =>
    `${what}: ${known ?? 'not known'}${(unknown ?? 0) > 0 ? ` (and ${unknown} not known)` : ''}`;
  const share = reach.usd_unknown_share;
  const left =
    share === 0
      ? ''
      : `, ${share === null ? 'an unknown share' : `${Math.round(share * 100)} %`} of the markets not in it`;
  return [
    part(reach.markets, reach.markets_unknown, 'markets'),
    part(reach.vaults, reach.vaults_unknown, 'vaults'),
    part(reach.yields, reach.yields_unknown, 'yields'),
    reach.usd === null ? 'USD supplied: not known' : `USD supplied: ${reach.usd.toFixed(0)}${left}`,
  ].join('; ');
}
