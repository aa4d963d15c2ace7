// Preset scenarios of the simulator. Prices are as published in the sources; hours count from the start named in the title. A price
// known only for a day is placed in the middle of that day. `known_outcome` states what happened.
import { Nullable, type Static, Strict, Type } from './define.ts';
import { DAI_2023, ETH_2022, STETH_2022, USDC_2023, WORST_DAY_OF_ETH, XUSD_2025 } from './scenario-paths.ts';
import { ShockSchema } from './shocks.ts';
import { EVERYTHING } from './values.ts';

export const ScenarioSchema = Strict({
  id: Type.String({ description: 'Id of the scenario', examples: ['usdc_2023'] }),
  version: Type.Integer({ minimum: 1, description: 'Incremented when a shock is corrected' }),
  title: Type.String(),
  description: Type.String({ description: 'What the shocks stand for' }),
  horizon_hours: Type.Integer({ minimum: 1, description: 'Default horizon of a run' }),
  default_subject: Nullable(
    Type.String({
      description:
        'Subject of the shocks that a request can replace by its `subject`; null if the scenario is about certain assets',
    }),
  ),
  shocks: Type.Array(ShockSchema),
  sources: Type.Array(
    Strict({
      name: Type.String(),
      url: Nullable(Type.String()),
      note: Nullable(Type.String({ description: 'What was taken from the source, or what it lacks' })),
    }),
  ),
  known_outcome: Nullable(Type.String({ description: 'What happened; null for a made-up scenario' })),
});
export type Scenario = Static<typeof ScenarioSchema>;

const source = (name: string, url: string | null, note: string | null = null) => ({ name, url, note });

export const SCENARIOS: readonly Scenario[] = [
  {
    id: 'usdc_2023',
    version: 1,
    title: 'USDC and DAI lose their peg, from 2023-03-10 21:00 UTC',
    description:
      'Both dollars follow the hourly prices of the weekend after the bank that held part of the reserve was closed.',
    horizon_hours: 72,
    default_subject: null,
    shocks: [
      { kind: 'peg', subject: 'USDC', path: USDC_2023 },
      { kind: 'peg', subject: 'DAI', path: DAI_2023 },
    ],
    sources: [
      source(
        'Replication data of a paper on the USDC depeg: hourly prices over many venues',
        'https://github.com/juunnq/usdc-depeg-artifact-fc27',
        'Hourly prices of USDC and DAI, commit b2f939d9. On Kraken alone the low was 0.874 at 2023-03-11 07:00 UTC',
      ),
    ],
    known_outcome:
      'Lows of 0.877 and 0.886 after eleven hours, par after three days. Aave v2 had 195,757,077 USD of USDC left to withdraw at 2023-03-11 06:00 UTC.',
  },
  {
    id: 'ust_2022',
    version: 1,
    title: 'An algorithmic dollar fails as UST did, from 2022-05-07 00:00 UTC',
    description:
      'Two days near the peg, then a fall by a quarter within six hours, and a fifth of the value a week after the start.',
    horizon_hours: 168,
    default_subject: 'UST',
    shocks: [
      {
        kind: 'peg',
        subject: 'UST',
        path: [
          [0, 1],
          [22, 0.987],
          [24, 0.994],
          [48, 0.99],
          [66, 0.99],
          [72, 0.755],
          [108, 0.25],
          [156, 0.2],
        ],
      },
    ],
    sources: [
      source(
        'Jump Crypto, The Depegging of UST (2022-06-03)',
        'https://jumpcrypto.com/writing/the-depegging-of-ust/',
        'Distances from the peg on 7, 8 and 9 May. Of 10 to 12 May only the range of 0.95 to 0.25 is given: the low is placed in its middle',
      ),
      source('CoinGecko, UST', 'https://www.coingecko.com/en/coins/terraclassicusd', 'About 0.20 on 13 May'),
    ],
    known_outcome:
      'It never came back. Feeds that stopped above the market let borrowers drain two lending protocols.',
  },
  {
    id: 'steth_2022',
    version: 1,
    title: 'stETH trades below ETH while ETH halves, from 2022-06-01 00:00 UTC',
    description: 'ETH falls by 54 % in 18 days, and stETH by a further 6.5 % against it.',
    horizon_hours: 432,
    default_subject: null,
    shocks: [
      { kind: 'price', subject: 'ETH', path: ETH_2022 },
      { kind: 'price', subject: 'STETH', path: ETH_2022 },
      { kind: 'peg', subject: 'STETH', path: STETH_2022 },
    ],
    sources: [
      source(
        'Chainlink, stETH/ETH on Ethereum',
        'https://data.chain.link/feeds/ethereum/mainnet/steth-eth',
        'Rounds of June 2022; the first of them is joined to a peg of 1 at the start',
      ),
      source(
        'Aave v2, WETH market by the hour',
        null,
        'Price of ETH as supplied USD over supplied tokens: 1,938 at the start, 899 at 2022-06-18 21:00 UTC',
      ),
    ],
    known_outcome:
      'The worst 24 hours of ETH brought −20.3 %, the worst 168 hours −43.0 %. The low of stETH was 0.9350 ETH on 2022-06-18.',
  },
  {
    id: 'eth_down_30',
    version: 1,
    title: 'ETH falls by 30 % within a day',
    description:
      'Made up: one and a half times the worst day of June 2022. Other assets follow by their β of the last 90 days.',
    horizon_hours: 72,
    default_subject: null,
    shocks: [
      {
        kind: 'price',
        subject: 'ETH',
        path: [
          [0, 1],
          [24, 0.7],
        ],
        others: 'beta',
      },
    ],
    sources: [],
    known_outcome: null,
  },
  {
    id: 'oracle_freeze_6h',
    version: 1,
    title: 'An oracle stands still for six hours while the market falls',
    description:
      'The market takes in six hours what ETH took in its worst 24 hours of June 2022, and the oracle shows none of it until the sixth hour.',
    horizon_hours: 24,
    default_subject: 'ETH',
    shocks: [
      {
        kind: 'oracle_freeze',
        subject: 'ETH',
        path: [
          [0, 0],
          [6, 1],
        ],
      },
      {
        kind: 'price',
        subject: 'ETH',
        path: WORST_DAY_OF_ETH.map((factor, hour): [number, number] => [hour, factor]),
      },
    ],
    sources: [
      source('Aave v2, WETH market by the hour', null, 'The 24 hours before 2022-06-13 15:00 UTC'),
      source(
        'Cointelegraph on Venus and Blizz (2022-05-13)',
        'https://cointelegraph.com/news/defi-protocols-declare-losses-as-attackers-exploit-luna-price-feed-discrepancy',
        'Precedent: the feed of LUNA stood at 0.107 USD while the market was at 0.01',
      ),
      source('Rekt on Venus and Blizz (2022-05)', 'https://rekt.news/venus-blizz-rekt', 'Loss of Blizz'),
    ],
    known_outcome: 'The precedent cost Venus 11.2 million USD and Blizz 8.3 million USD.',
  },
  {
    id: 'utilization_100',
    version: 1,
    title: 'Nothing can be withdrawn for three days',
    description:
      'Suppliers take all that is free from the markets of the positions, and rates follow by their own models.',
    horizon_hours: 72,
    default_subject: EVERYTHING,
    shocks: [{ kind: 'withdrawable', subject: EVERYTHING, path: [[0, 0]] }],
    sources: [
      source(
        'Dashboard on the xUSD markets of Morpho',
        'https://github.com/GabePZ/MorphoxUSDDepegDashboard',
        'Precedent: a market at 100 % from 2025-11-03 to the end of the month, its rate rising from 68 % to 205 % a year within eight days',
      ),
    ],
    known_outcome: null,
  },
  {
    id: 'curator_exit',
    version: 1,
    title: 'Depositors leave the vaults of a curator within a week',
    description:
      '27 % of the assets of the vaults leave in equal parts over seven days, as far as their markets let them, and nothing new comes.',
    horizon_hours: 168,
    default_subject: EVERYTHING,
    shocks: [
      {
        kind: 'vault_outflow',
        subject: EVERYTHING,
        path: [
          [0, 1],
          [168, 0.73],
        ],
      },
    ],
    sources: [
      source(
        'DefiLlama, as reported by zysh.xyz (2025-11)',
        'https://www.zysh.xyz/news/detail/12560605057943',
        'Assets of curated vaults fell from 10.3 to 7.5 billion USD after 2025-10-30',
      ),
    ],
    known_outcome: null,
  },
  {
    id: 'xusd_2025',
    version: 1,
    title: 'xUSD loses its backing while the oracles of its markets stay fixed, from 2025-11-03 00:00 UTC',
    description: 'The token falls from 1.264 to 0.061 USD in four weeks; markets go on valuing it as before.',
    horizon_hours: 648,
    default_subject: 'XUSD',
    shocks: [
      {
        kind: 'price',
        subject: 'XUSD',
        path: XUSD_2025,
      },
      { kind: 'oracle_freeze', subject: 'XUSD', path: [[0, 0]] },
    ],
    sources: [
      source(
        'Dashboard on the xUSD markets of Morpho',
        'https://github.com/GabePZ/MorphoxUSDDepegDashboard',
        'Prices by day, debt and collateral of the market on Arbitrum, commit 0b886ab7',
      ),
    ],
    known_outcome:
      'On Arbitrum 709,027.33 USD were owed against collateral worth 155,753.50 USD on 2025-11-05: nothing was liquidated, and 553,273.83 USD of bad debt stayed unrealised.',
  },
];
