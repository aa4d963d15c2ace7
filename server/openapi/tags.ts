// The documentation group of a path: the first row whose prefix matches.
import type { Tag } from './model.ts';

interface Group extends Tag {
  readonly prefixes: readonly string[];
}

const GROUPS: readonly Group[] = [
  {
    name: 'Scores',
    description: 'Social, development and overall scores of protocols and chains on the last seven days.',
    prefixes: ['/scores/', '/v2/scores/'],
  },
  {
    name: 'Governance',
    description: 'Proposals, votes and the distribution of voting power.',
    prefixes: ['/data/governance/', '/v2/data/governance/'],
  },
  {
    name: 'Networks',
    description: 'Daily statistics of blockchains and layer-2 networks.',
    prefixes: ['/data/blockchain/'],
  },
  {
    name: 'Oracles',
    description: 'Price feeds: metadata and daily behaviour.',
    prefixes: ['/data/oracle/'],
  },
  {
    name: 'Restaking',
    description: 'Restaking protocols and the base protocols they build on.',
    prefixes: ['/data/'],
  },
  {
    name: 'Data manifest',
    description: 'Completeness of the data, with named gaps.',
    prefixes: ['/v2/data-manifest'],
  },
  {
    name: 'Datasets',
    description: 'Published datasets as tables, in every kept version, and corrections of earlier days.',
    prefixes: ['/v2/datasets', '/v2/corrections'],
  },
  {
    name: 'Markets',
    description: 'Lending markets, vaults and their curators.',
    prefixes: ['/v2/market', '/v2/vault'],
  },
  { name: 'Yields', description: 'Yield opportunities and portfolios of them.', prefixes: ['/v2/yield'] },
  {
    name: 'Simulations',
    description: 'Cost of leaving a position, and effects of a shock.',
    prefixes: ['/v2/liquidity', '/v2/simulator'],
  },
  {
    name: 'Events',
    description: 'Risk events, replayed in order, what is wrong now, and the types of events.',
    prefixes: ['/v2/event', '/v2/conditions'],
  },
  {
    name: 'Webhooks',
    description: 'Subscriptions with signed deliveries of risk events.',
    prefixes: ['/v2/webhooks'],
  },
  { name: 'Operations', description: 'State of the service itself.', prefixes: ['/v1/'] },
  {
    name: 'Documentation',
    description: 'This document, and a guide for language models.',
    prefixes: ['/llms.txt', '/openapi-public'],
  },
];

const OTHER: Group = { name: 'Other', description: 'Everything else.', prefixes: ['/'] };

const groupOf = (path: string): Group =>
  GROUPS.find(({ prefixes }) => prefixes.some((prefix) => path.startsWith(prefix))) ?? OTHER;

export const tagOf = (path: string): string => groupOf(path).name;

/** The groups that have paths, in the order of the documentation. */
export function tagsOf(paths: readonly string[]): Tag[] {
  const used = new Set(paths.map(tagOf));
  return [...GROUPS, OTHER]
    .filter(({ name }) => used.has(name))
    .map(({ name, description }) => ({ name, description }));
}
