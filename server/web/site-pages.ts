// The pages of the dashboard: the question that each answers, its script, and the tables that it shows without JavaScript.
import { type Tag, TAGS } from '../define/tags.ts';
import { byWeight } from '../replies/condition-order.ts';
import {
  assumptionsText,
  conditionOf,
  edgesText,
  type NumberTable,
  pendingTable,
  reachText,
} from './site-tables.ts';

export interface SitePage {
  readonly path: string;
  readonly title: string;
  readonly question: string;
  /** Its script is `page-<name>.ts`. */
  readonly name: string;
  /** `datasets`: a table of everything that is published, with its state. */
  readonly tables: readonly NumberTable[] | 'datasets';
  /** Groups of the reference whose data it shows; their pages link to it. */
  readonly groups?: readonly Tag[];
  /** Its style; default: that of most pages. */
  readonly style?: string;
}

export const SITE_PAGES: readonly SitePage[] = [
  {
    path: '/',
    name: 'now',
    title: 'Now',
    question: 'What is wrong, and what changed overnight?',
    groups: [TAGS.events, TAGS.vaults],
    tables: [
      {
        dataset: 'conditions',
        caption: 'Open conditions',
        order: (a, b) => byWeight(conditionOf(a), conditionOf(b)),
        columns: [
          ['severity', 'Severity'],
          ['title', 'Condition'],
          ['since', 'Since'],
          ['value_start', 'At start'],
          ['value_worst', 'Worst'],
          ['value_now', 'Now'],
          ['unit', 'Unit'],
          ['band_multiple', 'Times the threshold'],
          [reachText, 'Affects'],
        ],
      },
      pendingTable,
      {
        dataset: 'market-regime',
        caption: 'Market regime, by hour',
        columns: [
          ['scope', 'Scope'],
          ['hour', 'Hour'],
          ['regime', 'Regime'],
          ['confidence', 'Confidence'],
        ],
      },
    ],
  },
  {
    path: '/pegs',
    name: 'pegs',
    title: 'Pegs and feeds',
    question: 'Can I trust this price?',
    groups: [TAGS.oracles],
    tables: [
      {
        dataset: 'pegs',
        caption: 'Pegged assets',
        columns: [
          ['symbol', 'Asset'],
          ['chain', 'Chain'],
          ['state', 'State'],
          ['price', 'Price'],
          ['deviation_bps', 'Deviation, bps'],
          ['enter_bps', 'Depegged beyond, bps'],
        ],
      },
      {
        dataset: 'feeds',
        caption: 'Feeds',
        columns: [
          ['pair', 'Pair'],
          ['chain', 'Chain'],
          ['status', 'Status'],
          ['price', 'Price'],
          ['last_update_at', 'Last update'],
          ['heartbeat_s', 'Heartbeat, s'],
          ['deviation_bps', 'Deviation, bps'],
        ],
      },
      {
        dataset: 'oracle-parameters',
        caption: 'Feeds by day',
        columns: [
          ['pair', 'Pair'],
          ['timestamp', 'Day'],
          ['price.last', 'Last'],
          ['price.min', 'Lowest'],
          ['price.max', 'Highest'],
          ['max_gap_s', 'Longest gap, s'],
        ],
      },
    ],
  },
  {
    path: '/lending',
    name: 'lending',
    title: 'Lending',
    question: 'Can I still get out?',
    groups: [TAGS.markets],
    tables: [
      {
        dataset: 'lending-markets',
        caption: 'Lending markets',
        columns: [
          ['name', 'Market'],
          ['protocol', 'Protocol'],
          ['chain', 'Chain'],
          ['utilization', 'Utilization'],
          ['supplied_usd', 'Supplied, USD'],
          ['withdrawable_usd', 'Withdrawable, USD'],
          ['oracle_status', 'Oracle'],
        ],
      },
      {
        dataset: 'lending-vaults',
        caption: 'Vaults',
        columns: [
          ['name', 'Vault'],
          ['asset_symbol', 'Asset'],
          ['curator_name', 'Curator'],
          ['timelock_s', 'Timelock, s'],
          ['events', 'Governance events'],
        ],
      },
    ],
  },
  {
    path: '/vaults',
    name: 'vaults',
    title: 'Vaults',
    question: 'What backs this vault, and who can change it?',
    groups: [TAGS.vaults],
    tables: [
      {
        dataset: 'vaults',
        caption: 'Vaults',
        columns: [
          ['name', 'Vault'],
          ['vault_address', 'Address'],
          ['kind', 'Kind'],
          ['total_assets_usd', 'Assets, USD'],
          ['coverage', 'Backed, fraction'],
          ['withdrawable_share', 'Withdrawable, fraction'],
          ['unrealised_bad_debt_high_usd', 'Bad debt not written off, at most, USD'],
          ['pending_changes', 'Changes that wait'],
          ['flags', 'Flags'],
          ['gaps', 'Gaps'],
          ['state_status', 'State'],
        ],
      },
      pendingTable,
    ],
  },
  {
    path: '/oracles',
    name: 'oracles',
    title: 'Oracles of markets',
    question: 'What does this price assume, and does it hold?',
    groups: [TAGS.oracles, TAGS.markets],
    style: 'paths.css',
    tables: [
      {
        dataset: 'oracle-paths',
        caption: 'Oracles of lending markets',
        columns: [
          ['name', 'Market'],
          ['chain', 'Chain'],
          ['verdict', 'Verdict'],
          ['failed_checks', 'Failed checks'],
          ['is_broken', 'Assumption broken'],
          [assumptionsText, 'Assumptions'],
          ['gap_bps', 'Price gap, bps'],
          ['debt_usd', 'Debt, USD'],
          ['unrealised_bad_debt_low_usd', 'Not covered, at least, USD'],
          ['unrealised_bad_debt_high_usd', 'Not covered, at most, USD'],
          ['gaps', 'Gaps'],
        ],
      },
    ],
  },
  {
    path: '/contagion',
    name: 'contagion',
    title: 'Contagion',
    question: 'What else falls if this fails?',
    groups: [TAGS.markets, TAGS.vaults],
    style: 'paths.css',
    tables: [
      {
        dataset: 'exposure-graph',
        caption: 'What holds what',
        columns: [
          ['node', 'Holder'],
          ['name', 'Name'],
          [edgesText, 'Holds'],
          ['known_share', 'Accounted for, fraction'],
        ],
      },
    ],
  },
  {
    path: '/yields',
    name: 'yields',
    title: 'Yields',
    question: 'Is the yield worth the risk?',
    groups: [TAGS.yields],
    tables: [
      {
        dataset: 'yield-opportunities',
        caption: 'Yield opportunities',
        columns: [
          ['name', 'Opportunity'],
          ['chain', 'Chain'],
          ['netApy', 'Net APY, %'],
          ['tvlUsd', 'TVL, USD'],
          ['riskBand', 'Risk'],
          ['riskScore', 'Risk score'],
        ],
      },
    ],
  },
  {
    path: '/protocols',
    name: 'protocols',
    title: 'Protocols',
    question: 'Why does a protocol have this score?',
    groups: [TAGS.scores, TAGS.governance, TAGS.restaking],
    tables: [
      {
        dataset: 'overall-receipts',
        caption: 'Overall scores',
        columns: [
          ['protocol', 'Protocol'],
          ['timestamp', 'Day'],
          ['score', 'Score'],
          ['known_components', 'Known components'],
          ['reason', 'Gap'],
        ],
      },
    ],
  },
  {
    path: '/networks',
    name: 'networks',
    title: 'Networks and layer 2',
    question: 'Is the chain behaving normally?',
    groups: [TAGS.networks],
    tables: [
      {
        dataset: 'networks',
        caption: 'Networks, last complete day',
        columns: [
          ['network', 'Network'],
          ['kind', 'Kind'],
          ['day', 'Day'],
          ['transactions', 'Transactions'],
          ['blocks', 'Blocks'],
          ['block_time_s', 'Block time, s'],
          ['validators', 'Validators'],
          ['fees_usd', 'Fees, USD'],
          ['tvl_usd', 'TVL, USD'],
        ],
      },
    ],
  },
  {
    path: '/events',
    name: 'events',
    title: 'Events',
    question: 'What happened, and what is happening?',
    groups: [TAGS.events],
    tables: [
      {
        dataset: 'event-rules',
        caption: 'Rules that decide about events',
        columns: [
          ['type', 'Event type'],
          ['role', 'Role'],
          ['name', 'Rule'],
          ['value', 'Value'],
          ['unit', 'Unit'],
        ],
      },
    ],
  },
  {
    path: '/analytics',
    name: 'analytics',
    title: 'Portfolio, exit and simulator',
    question: 'What would happen to a position?',
    groups: [TAGS.simulations, TAGS.yields],
    style: 'tools.css',
    tables: [
      {
        dataset: 'exit-backtests',
        caption: 'Accuracy of exit forecasts',
        columns: [
          ['id', 'Market or vault'],
          ['horizon_hours', 'Horizon, h'],
          ['scored', 'Scored forecasts'],
          ['exited', 'Exited'],
          ['brier', 'Brier score'],
          ['verdict', 'Verdict'],
        ],
      },
    ],
  },
  {
    path: '/coverage',
    name: 'coverage',
    title: 'Coverage',
    question: 'What does the service not know?',
    groups: [TAGS.manifest],
    tables: [
      {
        dataset: 'manifest-summary',
        caption: 'Coverage in numbers',
        columns: [
          ['feeds.total', 'Feeds'],
          ['feeds.complete', 'complete'],
          ['markets.total', 'Markets'],
          ['markets.fresh', 'fresh'],
          ['markets.stale', 'stale'],
          ['vaults.total', 'Vaults'],
          ['vaults.governance_indexed', 'with governance'],
        ],
      },
      {
        dataset: 'coverage',
        caption: 'Coverage of every item',
        columns: [
          ['label', 'Item'],
          ['scope', 'Scope'],
          ['chain', 'Chain'],
          ['history_completeness_pct', 'Completeness, %'],
          ['last_update_at', 'Last update'],
        ],
      },
    ],
  },
  {
    path: '/datasets',
    name: 'datasets',
    title: 'Datasets',
    question: 'Which files can I download?',
    groups: [TAGS.datasets],
    tables: 'datasets',
  },
  {
    path: '/status',
    name: 'status',
    title: 'Status',
    question: 'Is the service up to date, and was it yesterday?',
    groups: [TAGS.operations],
    style: 'tools.css',
    tables: 'datasets',
  },
  {
    path: '/console',
    name: 'console',
    title: 'Console',
    question: 'What can my key do, and did my webhooks arrive?',
    groups: [TAGS.webhooks, TAGS.operations],
    style: 'tools.css',
    tables: [],
  },
];
