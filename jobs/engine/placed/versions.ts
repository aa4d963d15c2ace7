// Versions of tables kept in two places: a table has the version of its home, with a note of the places whose copy is out of date.
import { createHash } from 'node:crypto';
import type { TableVersions } from '../versions.ts';
import type { Part, Place } from './part.ts';
import type { Plan } from './plan.ts';

interface Tools {
  readonly parts: readonly (readonly [Place, Part])[];
  readonly plan: () => Plan;
  /** Places where the copy of the table is out of date. */
  readonly staleAt: (table: string) => Promise<readonly Place[]>;
  /** A part that can read the table now. */
  readonly readable: (table: string) => Promise<Part>;
}

export function versionsInBoth({ parts, plan, staleAt, readable }: Tools): TableVersions {
  return {
    async of(table) {
      const placed = plan().get(table);
      if (placed === undefined) return boundVersion(parts, table);
      const home = parts.find(([place]) => place === placed.home)?.[1];
      const stale = await staleAt(table);
      const missing = stale.length === 0 ? '' : `, not yet on ${stale.join(', ')}`;
      return `${placed.home} ${await home?.versions.of(table)}${missing}`;
    },
    next: async (values, place) => (await readable(values.table)).versions.next(values, place),
    expect: async (questions) => {
      for (const [place, { versions }] of parts)
        await versions.expect(questions.filter(({ values }) => plan().get(values.table)?.home === place));
    },
    values: async (values) => (await readable(values.table)).versions.values(values),
    hasRows: async (table) => (await readable(table)).versions.hasRows(table),
  };
}

/** Version of a policy table or of the engines, whose contents both places share. */
async function boundVersion(parts: Tools['parts'], table: string): Promise<string> {
  const versions = await Promise.all(parts.map(([, { versions: own }]) => own.of(table)));
  return createHash('sha256').update(versions.join()).digest('hex');
}
