// The sources that ship with the profile `live`, and the budgets of their hosts.
import { CHAINLINK } from './chainlink.ts';
import { CHAINS } from './chains.ts';
import { CROSS_CHECKS } from './cross-checks.ts';
import { DEFILLAMA } from './defillama.ts';
import { DISCOURSE } from './discourse.ts';
import { KEYED } from './keyed.ts';
import { GOVERNORS } from './governors.ts';
import { LENDING } from './lending.ts';
import { NETWORKS } from './networks.ts';
import { RELAY_SOURCES } from './relays.ts';
import { REPOSITORIES } from './repositories.ts';
import { SNAPSHOT } from './snapshot.ts';
import { MORPHO_VAULTS } from './vaults.ts';
import type { HostSection, LiveSection } from '../fetch/section.ts';

export const SHIPPED_SOURCES: { readonly [id: string]: LiveSection } = {
  ...CHAINLINK,
  ...CHAINS,
  ...LENDING,
  ...MORPHO_VAULTS,
  ...GOVERNORS,
  ...DEFILLAMA,
  ...SNAPSHOT,
  ...NETWORKS,
  ...DISCOURSE,
  ...REPOSITORIES,
  ...RELAY_SOURCES,
  ...KEYED,
  ...CROSS_CHECKS,
};

/** Budgets that stay below the limit that each host publishes, or below what is known to work. */
export const SHIPPED_HOSTS: { readonly [host: string]: HostSection } = {
  'yields.llama.fi': { requests_per_minute: 30, bytes_per_day: 600_000_000 },
  'api.llama.fi': { requests_per_minute: 30, bytes_per_day: 600_000_000 },
  'stablecoins.llama.fi': { requests_per_minute: 30, bytes_per_day: 100_000_000 },
  'hub.snapshot.org': { requests_per_minute: 60, bytes_per_day: 500_000_000 },
  'api.growthepie.com': { requests_per_minute: 6, bytes_per_day: 200_000_000 },
  'raw.githubusercontent.com': { requests_per_minute: 30, bytes_per_day: 100_000_000 },
  'free.rpc.fastnear.com': { requests_per_minute: 30, bytes_per_day: 200_000_000 },
  'api.github.com': { requests_per_minute: 30, bytes_per_day: 200_000_000 },
  'oauth.reddit.com': { requests_per_minute: 30, bytes_per_day: 200_000_000 },
  'discord.com': { requests_per_minute: 30, bytes_per_day: 200_000_000 },
  'ethereum-rpc.publicnode.com': { requests_per_minute: 60, bytes_per_day: 2_000_000_000 },
  'eth.drpc.org': { requests_per_minute: 30, bytes_per_day: 500_000_000 },
  'eth.llamarpc.com': { requests_per_minute: 60, bytes_per_day: 500_000_000 },
  'base-rpc.publicnode.com': { requests_per_minute: 60, bytes_per_day: 2_000_000_000 },
  'aestus.live': { requests_per_minute: 30, bytes_per_day: 300_000_000 },
  'agnostic-relay.net': { requests_per_minute: 30, bytes_per_day: 300_000_000 },
  'boost-relay.flashbots.net': { requests_per_minute: 30, bytes_per_day: 300_000_000 },
  'relay-analytics.ultrasound.money': { requests_per_minute: 30, bytes_per_day: 300_000_000 },
  'titanrelay.xyz': { requests_per_minute: 30, bytes_per_day: 300_000_000 },
  'ultrasound.money': { requests_per_minute: 6, bytes_per_day: 50_000_000 },
  'l2beat.com': { requests_per_minute: 6, bytes_per_day: 50_000_000 },
  'api.v3.aave.com': { requests_per_minute: 30, bytes_per_day: 100_000_000 },
  'api.morpho.org': { requests_per_minute: 30, bytes_per_day: 100_000_000 },
  'reference-data-directory.vercel.app': { requests_per_minute: 30, bytes_per_day: 100_000_000 },
};
