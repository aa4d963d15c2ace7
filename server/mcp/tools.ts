// Every tool, in the order in which agents see them. Most are endpoints: their schemas, access and handlers are declared there.
import { SIMULATOR_DATASETS } from '../analytics/simulator/published-documents.ts';
import { listDatasets } from '../routes/datasets.ts';
import { getEventEvidence } from '../routes/evidence.ts';
import { listEvents } from '../routes/events.ts';
import { simulateExit } from '../routes/exit.ts';
import { listLendingMarkets } from '../routes/histories.ts';
import { listCoverage } from '../routes/manifest.ts';
import { listFeeds, listPegs } from '../routes/oracle-series.ts';
import { getOverallReceipts } from '../routes/overall.ts';
import { analyzePortfolio } from '../routes/portfolio.ts';
import { runScenario } from '../routes/simulator.ts';
import {
  getVaultExit,
  getVaultSetExit,
  getVaultTotals,
  listVaultChanges,
  listVaults,
} from '../routes/vaults.ts';
import { listYieldOpportunities } from '../routes/yields.ts';
import { endpointTool } from './endpoint-tool.ts';
import { queryDataset } from './query-dataset.ts';
import type { Tool } from './tool.ts';
import { isItUsable } from './usability-tool.ts';
import { whatIsWrongNow } from './wrong-now.ts';

const OPEN = 'No key needed.';
const LIVE =
  'Data is of the newest published version, usually minutes old; `provenance.freshness` states its age.';
const PAGED = 'At most 100 rows and 25 kB an answer, then `cursor`.';

const explainEvent = endpointTool({
  name: 'explain_event',
  title: 'Explain an event',
  description: `What happened, in plain words that never leave out a doubt (\`data.story.text\`: quote it), with the rules that decided, the other events of the same fact, the sources and what is missing. Get ids from search_events. Without a plan that includes replay: events of the last seven days, fifteen minutes late. The points of its subject are behind the link. ${OPEN}`,
  endpoint: getEventEvidence,
  names: { id: 'event_id' },
  omitted: ['series'],
});

const searchEvents = endpointTool({
  name: 'search_events',
  title: 'Search risk events',
  description: `Risk events by time, type, severity, protocol, chain and subject, newest first: depegs, stale feeds, liquidity, governance, and so on. Without a plan that includes replay: the last seven days, fifteen minutes late. ${PAGED} ${OPEN}`,
  endpoint: listEvents,
});

const getPeg = endpointTool({
  name: 'get_peg',
  title: 'State of a pegged asset',
  description: `Latest observed price of a stablecoin or other pegged asset, its distance from the reference, the thresholds, the sources and whether they disagree. An asset can have a row for each chain. ${LIVE} ${PAGED} ${OPEN}`,
  endpoint: listPegs,
  required: ['symbol'],
});

const getFeed = endpointTool({
  name: 'get_feed',
  title: 'State of a price feed',
  description: `Registry entry, latest answer and freshness of an oracle feed by \`feed_address\`, or of all feeds of a \`pair\` such as ETH-USD. ${LIVE} ${PAGED} ${OPEN}`,
  endpoint: listFeeds,
});

const getMarket = endpointTool({
  name: 'get_market',
  title: 'State of a lending market',
  description: `Registry entry, latest state, limits and the feeds behind a lending market, by \`market_id\`, or of all markets of an asset, protocol or chain. ${LIVE} ${PAGED} ${OPEN}`,
  endpoint: listLendingMarkets,
});

const findVaults = endpointTool({
  name: 'find_vaults',
  title: 'Find vaults and their state',
  description: `Vaults by chain, kind, protocol, asset and curator: share price as quoted and by what backs it, coverage (below 1: a loss that the quote hides), net APY, what can be withdrawn under four assumptions that never add up, bad debt, flags, and \`gaps\` for what is unknown. ${LIVE} ${PAGED} ${OPEN}`,
  endpoint: listVaults,
});

const vaultTotals = endpointTool({
  name: 'vault_totals',
  title: 'Figures of several vaults together',
  description: `Total assets, what could be withdrawn and bad debt of all vaults that the arguments of find_vaults select, where adding up rows would count a vault inside another one and the cash of a market twice. Null where one vault lacks its part: \`unknown\` names it. \`assets\` has the part of each asset. ${LIVE} ${OPEN}`,
  endpoint: getVaultTotals,
  rows: 'assets',
});

const vaultExit = endpointTool({
  name: 'vault_exit',
  title: 'Exit from a vault',
  description: `What a holder of shares, assets or dollars of one vault could withdraw at once (three assumptions about who else leaves: never add them up), what waits for repayments and what for an allocator, what forced withdrawals would cost, what the position is worth after hidden losses and bad debt (an interval), and doubts about the oracles behind it. \`can_leave_at_once\` is null unless certain; \`gaps\` says why. Not a forecast: exit_monte_carlo simulates exits from markets and vaults over time. ${LIVE} ${OPEN}`,
  endpoint: getVaultExit,
  rows: 'markets',
});

const vaultSetExit = endpointTool({
  name: 'vault_set_exit',
  title: 'Exit from several vaults at once',
  description: `What a holder of positions in several vaults could withdraw from all of them together, where the figures of vault_exit would promise the cash of a market to each: \`shortfall\` is what they promise too much. Per vault what leaves alone and what is left after the others, per asset and in USD what leaves together and what the rest waits for, and \`shared\`: markets that several positions leave through and whether they limit the set. Null is unknown, with its \`gaps\`. ${LIVE} ${OPEN}`,
  endpoint: getVaultSetExit,
  rows: 'vaults',
});

const pendingVaultChanges = endpointTool({
  name: 'vault_changes',
  title: 'Delayed changes of vaults',
  description: `Changes of vaults that wait for a timelock, what each does in one sentence, its severity, the second from which it may be executed, and who may revoke it; with \`status\` also those that were executed or revoked in the last 90 days. ${LIVE} ${PAGED} ${OPEN}`,
  endpoint: listVaultChanges,
});

const YIELD_NAMES = Object.fromEntries(
  Object.keys(listYieldOpportunities.query.properties).flatMap((name) => {
    const inner = /^filter\[(\w+)\]$/.exec(name)?.[1];
    return inner === undefined ? [] : [[name, inner]];
  }),
);

const findYields = endpointTool({
  name: 'find_yields',
  title: 'Find yield opportunities',
  description: `Yield opportunities by venue, chain, asset, return, risk and liquidity, with the factors of their risk score. ${LIVE} ${PAGED} Needs a key with the scope yield:read (free plan).`,
  endpoint: listYieldOpportunities,
  names: YIELD_NAMES,
});

const scoreReceipt = endpointTool({
  name: 'score_receipt',
  title: 'Receipt of a protocol score',
  description: `The components of the overall score of a protocol on each of the last seven days, newest first, or the reason why a day has no score. Today's record changes until the UTC day ends. ${OPEN}`,
  endpoint: getOverallReceipts,
});

const coverageGaps = endpointTool({
  name: 'coverage_gaps',
  title: 'What the data does not cover',
  description: `Feeds, markets, vaults and protocols with the completeness of their history and the kinds of gaps, least complete first; unknown completeness comes before 0. ${LIVE} ${PAGED} Needs a key of the team plan with the scope manifest:read.`,
  endpoint: listCoverage,
});

const datasetList = endpointTool({
  name: 'list_datasets',
  title: 'List published datasets',
  description: `Every published dataset with its rows, age, quality gate and the plan and scopes that its rows need. query_dataset reads rows. ${PAGED} ${OPEN}`,
  endpoint: listDatasets,
  omitted: ['schema', 'forms', 'sources', 'confidence', 'quality_gate.checks'],
});

const exitMonteCarlo = endpointTool({
  name: 'exit_monte_carlo',
  title: 'Simulate the exit from a lending market or a vault',
  description:
    'Whether a position can exit a lending market, or a vault (`vault:<chain>:<address>`), when and at what cost: probability, time, slippage, loss, each with its simulation error. Takes seconds. Counts against the monthly quota of the plan; an equal request to the same version is the same run and free. Needs a key of the team plan with the scope liquidity:simulate.',
  endpoint: simulateExit,
  names: { id: 'market' },
  rows: 'exit_probability_by_hour',
  datasets: [],
  linkOf: ({ market }) => {
    const [first, ...rest] = String(market).split(':');
    return first === 'vault'
      ? { path: '/v2/vaults', query: { vault: rest.join(':') } }
      : { path: '/v2/lending/markets', query: { market_id: rest.join(':') } };
  },
});

const portfolio = endpointTool({
  name: 'portfolio',
  title: 'Analyse a portfolio of yields',
  description:
    'Return, risk, liquidity, correlation and concentration of positions in yield opportunities (ids from find_yields). Takes seconds; equal requests to the same version give the same answer. Needs a key with the scope portfolio:analyze (free plan).',
  endpoint: analyzePortfolio,
  rows: 'positions',
  omitted: ['request', 'liquidity.positions'],
  datasets: [],
  linkOf: () => ({ path: '/v2/yield/opportunities', query: {} }),
});

const simulate = endpointTool({
  name: 'simulate',
  title: 'Simulate shocks to positions',
  description:
    'What positions are worth after shocks to pegs, prices, feeds or markets, hour by hour, and which events would fire: a preset scenario such as usdc_2023, or own shocks. Takes seconds. Counts against the monthly quota of the plan; an equal request to the same version is the same run and free. Needs a key of the team plan with the scope simulator:run.',
  endpoint: runScenario,
  rows: 'positions',
  datasets: SIMULATOR_DATASETS,
  linkOf: () => ({ path: '/v2/lending/markets', query: {} }),
});

export const TOOLS: readonly Tool[] = [
  whatIsWrongNow,
  isItUsable,
  explainEvent,
  searchEvents,
  getPeg,
  getFeed,
  getMarket,
  findVaults,
  vaultTotals,
  vaultExit,
  vaultSetExit,
  pendingVaultChanges,
  findYields,
  scoreReceipt,
  coverageGaps,
  datasetList,
  queryDataset,
  exitMonteCarlo,
  portfolio,
  simulate,
];
