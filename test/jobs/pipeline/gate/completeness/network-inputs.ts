// Inputs of the networks: every block with its transactions, stake and mempool; daily figures of layer-2 networks.
import { layer2 } from '../../../../../jobs/families/layer2/domain.ts';
import { networkA } from '../../../../../jobs/families/network-a/domain.ts';
import { networkB } from '../../../../../jobs/families/network-b/domain.ts';
import { DAY, each, every, type FamilyInputs, FIRST, HOUR, NOW, noise } from './family-inputs.ts';

const BLOCK_S = 2 * HOUR;

export const networkAInputs: FamilyInputs = {
  id: 'network-a',
  domains: [networkA],
  tables: {
    network_a_block: every(BLOCK_S).map((observed_at, index) => ({
      network: 'ethereum',
      block_number: 1_000 + index,
      observed_at,
      gas_limit: 30_000_000,
      gas_used: 15_000_000 + index,
      base_fee_per_gas: String(1_000_000_000 + index),
      transaction_count: 2,
      destroyed_contracts: 0,
    })),
    network_a_transaction: each(['a', 'b'], every(BLOCK_S), (name, observed_at, at) => ({
      network: 'ethereum',
      tx_hash: `0x${name}${at}`,
      block_number: 1_000 + at,
      observed_at,
      tx_type: 2,
      to_address: '0xa',
      input: '0x',
      status: 1,
      gas_used: 21_000 + at,
      max_fee_per_gas: String(3_000_000_000 + at),
      max_priority_fee_per_gas: '100',
    })),
    network_a_stake: every(6 * HOUR).map((observed_at, index) => ({
      network: 'ethereum',
      observed_at,
      num_validators: 1_000 + index,
      total_stake_native: 32_000 + 32 * index,
      total_supply_native: 1e6 + index,
      total_rewards_native: 100 + index,
    })),
    network_a_mempool: every(HOUR).map((observed_at, index) => ({
      network: 'ethereum',
      observed_at,
      pending: 100 + index,
      queued: 10 + index,
    })),
  },
};

const entries = (at: number) =>
  JSON.stringify(
    ['a.near', 'b.near', 'c.near'].map((account_id, index) => ({
      account_id,
      stake: `${(index + 1) * 10 + at}000000000000000000000000000000`,
      is_slashed: false,
      shards: [index],
    })),
  );

export const networkBInputs: FamilyInputs = {
  id: 'network-b',
  domains: [networkB],
  tables: {
    network_b_block: every(HOUR).map((at, index) => ({
      network: 'near',
      height: 5_000 + index,
      block_time: `${at}000000000`,
      gas_price: '100000000',
      total_supply: `${1_000_000_000 + index}000000000000000000000000`,
      transaction_count: 10 + index,
      gas_used: 1_000 + index,
      fees: '1000000000000000000000',
      validator_reward: '1000000000000000000000000',
    })),
    network_b_validators: every(6 * HOUR).map((observed_at, index) => ({
      network: 'near',
      observed_at,
      epoch_height: 10 + Math.floor(index / 2),
      current_validators: entries(index),
      next_validators: entries(index),
      current_fishermen: '[]',
      current_proposals: '[]',
      prev_epoch_kickout: '[]',
      num_seats: 3,
      num_shards: 3,
      protocol_version: 80,
    })),
    network_b_state: every(HOUR).map((observed_at, index) => ({
      network: 'near',
      observed_at,
      circulating_supply: `${900_000_000 + index}000000000000000000000000`,
      treasury_funds: `${1_000 + index}000000000000000000000000`,
      total_users: 1_000 + index,
    })),
  },
};

const METRICS = ['tx_count', 'tvl_usd', 'fees_usd', 'avg_block_time_s'];

export const layer2Inputs: FamilyInputs = {
  id: 'layer2',
  domains: [layer2],
  tables: {
    layer2_metric: every(DAY, FIRST - 25 * DAY)
      .filter((day) => day + DAY <= NOW)
      .flatMap((day_at) =>
        each(['arbitrum', 'optimism'], [day_at], (network) =>
          METRICS.map((metric) => ({
            network,
            metric,
            day_at,
            value: Math.round(1_000 * noise(network, metric, day_at)) + 10,
          })),
        ).flat(),
      ),
  },
};
