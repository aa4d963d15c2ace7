// The groups of the documentation. An endpoint names its own; a family with a group of its own defines it next to its endpoints.

export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** In the order of the documentation; others follow. */
export const TAGS = {
  scores: {
    name: 'Scores',
    description: 'Social, development and overall scores of protocols and chains on the last seven days.',
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
    description: 'Published datasets as tables, in every kept version, and corrections of earlier days.',
  },
  markets: { name: 'Markets', description: 'Lending markets, and the regime of the market.' },
  yields: { name: 'Yields', description: 'Yield opportunities and portfolios of them.' },
  simulations: {
    name: 'Simulations',
    description: 'Cost of leaving a position, and effects of a shock.',
  },
  events: {
    name: 'Events',
    description: 'Risk events, replayed in order, what is wrong now, and the types of events.',
  },
  webhooks: { name: 'Webhooks', description: 'Subscriptions with signed deliveries of risk events.' },
  operations: { name: 'Operations', description: 'State of the service itself.' },
  documentation: { name: 'Documentation', description: 'This document, and a guide for language models.' },
} as const satisfies Readonly<Record<string, Tag>>;

/** The tags that endpoints have, each once. */
export function tagsOf(endpoints: readonly { readonly tag: Tag }[]): Tag[] {
  const used = new Map(endpoints.map(({ tag }) => [tag.name, tag]));
  const known = Object.values(TAGS).filter(({ name }) => used.has(name));
  return [...new Map([...known, ...used.values()].map((tag) => [tag.name, tag])).values()];
}
