// The groups of the documentation. An endpoint names its group; a family with its own group defines it next to its endpoints.

export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** In documentation order; groups of families follow. */
export const TAGS = {
  scores: {
    name: 'Scores',
    description: 'Social, development and overall scores of protocols and chains over the last seven days.',
  },
  governance: {
    name: 'Governance',
    description: 'Proposals, votes and the distribution of voting power.',
  },
  networks: { name: 'Networks', description: 'Daily statistics of blockchains and layer-2 networks.' },
  oracles: { name: 'Oracles', description: 'Price feeds: metadata and daily behaviour.' },
  restaking: {
    name: 'Restaking',
    description: 'Restaking protocols and the base protocols they build on.',
  },
  manifest: { name: 'Data manifest', description: 'Completeness of the data, with named gaps.' },
  datasets: {
    name: 'Datasets',
    description: 'Published datasets as tables, in every kept version, and corrections to earlier days.',
  },
  markets: { name: 'Markets', description: 'Lending markets, and the market regime.' },
  vaults: {
    name: 'Vaults',
    description: 'Share prices of vaults, what backs them, withdrawals, pending changes.',
  },
  yields: { name: 'Yields', description: 'Yield opportunities and portfolios of them.' },
  simulations: {
    name: 'Simulations',
    description: 'What leaves a position and at what cost, and effects of a shock.',
  },
  events: {
    name: 'Events',
    description: 'Risk events replayed in order, current conditions, and event types.',
  },
  webhooks: { name: 'Webhooks', description: 'Subscriptions to signed deliveries of risk events.' },
  operations: { name: 'Operations', description: 'State of the service itself.' },
  documentation: { name: 'Documentation', description: 'This document, and a guide for language models.' },
} as const satisfies Readonly<Record<string, Tag>>;

/** The tags of endpoints, without duplicates. */
export function tagsOf(endpoints: readonly { readonly tag: Tag }[]): Tag[] {
  const used = new Map(endpoints.map(({ tag }) => [tag.name, tag]));
  const known = Object.values(TAGS).filter(({ name }) => used.has(name));
  return [...new Map([...known, ...used.values()].map((tag) => [tag.name, tag])).values()];
}
