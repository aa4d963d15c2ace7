// The known facts about the layer-2 networks served by default, each with its source and the day on which it was checked.
import type { LAYER2_FACTS } from '../../../schemas/layer2.ts';

const CHECKED_ON = '2026-11-22';
const ARBITRUM_DOCS = 'https://docs.arbitrum.io';
const CHAIN_PARAMS = `${ARBITRUM_DOCS}/build-decentralized-apps/reference/chain-params`;
const OPTIMISM_FINALITY = 'https://github.com/ethereum-optimism/docs/pull/1093';
const OPTIMISM_GAS =
  'https://github.com/ethereum-optimism/superchain-ops/tree/main/src/tasks/eth/055-gas-params-op';

interface RegistryFact {
  readonly network: string;
  readonly fact: (typeof LAYER2_FACTS)[number];
  readonly value: string | number;
  readonly note: string;
  readonly source: string;
  readonly checked_on: string;
}

type Entry = readonly [fact: RegistryFact['fact'], value: string | number, source: string, note: string];

const factsOf = (network: string, entries: readonly Entry[]): readonly RegistryFact[] =>
  entries.map(([fact, value, source, note]) => ({
    network,
    fact,
    value,
    note,
    source,
    checked_on: CHECKED_ON,
  }));

/** Shared by all optimistic rollups: soft finality is one block of the sequencer, hard finality is that of the posted batch on L1. */
const BATCH_FINALITY =
  'that of the settlement layer once the batch is posted; the wait for the batch is not counted';

const SETTLEMENT: Entry = [
  'settlement_layer_finality',
  768,
  'https://paritytech.github.io/polkadot-sdk/master/snowbridge_pallet_ethereum_client/config/constant.SLOTS_PER_EPOCH.html',
  'Ethereum finalizes after 2 epochs, of 32 slots of 12 s or 6.4 minutes each',
];

const ARBITRUM = factsOf('arbitrum', [
  [
    'validation_mechanism',
    'optimistic rollup',
    CHAIN_PARAMS,
    'assertions are confirmed unless a validator issues a challenge within the dispute window',
  ],
  [
    'soft_finality',
    0.25,
    'https://dev.to/swiftnodes/arbitrum-rpc-a-developers-guide-chain-id-42161-250ms-blocks-fake-gas-limit-57gc',
    'one block of the sequencer, about 250 ms as measured',
  ],
  ['hard_finality', 768, `${ARBITRUM_DOCS}/launch-orbit-chain/how-tos/orbit-chain-finality`, BATCH_FINALITY],
  SETTLEMENT,
  [
    'tx_per_sec_capacity',
    6_092,
    CHAIN_PARAMS,
    '32,000,000 gas a block, 1,523 transfers of 21,000 gas, 4 blocks a second',
  ],
  ['withdrawal_time_sec', 549_816, CHAIN_PARAMS, 'dispute window of 45,818 blocks of 12 s'],
]);

const OPTIMISM = factsOf('optimism', [
  [
    'validation_mechanism',
    'optimistic rollup',
    'https://www.alchemy.com/rpc/optimism.md',
    'an optimistic rollup built on the OP Stack',
  ],
  [
    'soft_finality',
    2,
    'https://dev.to/swiftnodes/optimism-rpc-the-chain-that-became-a-template-3j53',
    'one block of the sequencer, 2 s; preconfirmations within a block are not counted',
  ],
  ['hard_finality', 768, OPTIMISM_FINALITY, BATCH_FINALITY],
  SETTLEMENT,
  [
    'tx_per_sec_capacity',
    952,
    OPTIMISM_GAS,
    'gasLimit 40,000,000 on chain in July 2026, 1,904 transfers of 21,000 gas, a block every 2 s',
  ],
  ['withdrawal_time_sec', 604_800, OPTIMISM_FINALITY, 'the standard bridge waits 7 days'],
]);

export const LAYER2_REGISTRY = [...ARBITRUM, ...OPTIMISM];
