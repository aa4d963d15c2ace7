// Counts of what the data covers, each with a link to the counted items.
import type { Figure } from './figures.ts';
import { number, caption } from './format.ts';
import { from } from './origin.ts';
import { link } from './state.ts';

type Counts = Readonly<Record<string, number>>;

export interface Manifest {
  readonly markets: Counts;
  readonly feeds: Counts;
  readonly vaults: Counts;
}

type Scope = keyof Manifest;

const SCOPES: Readonly<Record<Scope, string>> = {
  feeds: 'oracle_feed',
  markets: 'lending_market',
  vaults: 'lending_vault',
};
/** Counts of market states, which are filters of the list of markets. */
const MARKET_STATES = new Set(['fresh', 'stale', 'unverifiable', 'unknown']);

export const coverageFigures = (manifest: Manifest): readonly Figure[] =>
  (['feeds', 'markets', 'vaults'] as const).flatMap((scope) =>
    Object.entries(manifest[scope])
      .filter(([name]) => name !== 'total')
      .map(([name, count]) => ({
        name: `${scope}: ${caption(name)}`,
        text: number(count),
        from: from(manifest[scope], name),
        of: { text: number(manifest[scope]['total']), from: from(manifest[scope], 'total') },
        href: membersOf(scope, name),
      })),
  );

function membersOf(scope: Scope, name: string): string {
  if (scope !== 'markets' || !MARKET_STATES.has(name))
    return `${link('/coverage', { scope: SCOPES[scope], has: name })}#items`;
  const isClassified = name === 'unknown' ? 'true' : undefined;
  return `${link('/lending', { oracle_status: name, is_classified: isClassified })}#markets`;
}
