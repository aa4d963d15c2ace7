// Transactions of network A for the families' benchmark: every type, in evenly filled blocks every twelve seconds.

import { DAY_S } from '../../platform/base/time.ts';
import { networkA } from '../../jobs/families/network-a/domain.ts';
import { type Family, FIRST_DAY } from './families-pipeline.ts';

const BLOCK_S = 12;
const BLOCKS_A_DAY = DAY_S / BLOCK_S;
const FIRST_BLOCK = 24_000_000;
const BASE_FEE = '(20000000000 + block % 1000 * 10000000)';
const TIP = '(draw % 2000000000)';

/** `block` counts from the very first block. */
const placed = (day: number) => `${FIRST_BLOCK} + block as block_number, ${FIRST_DAY + day * DAY_S}
  + (block - ${day * BLOCKS_A_DAY}) * ${BLOCK_S} + 11 as observed_at`;

const blocks = (
  day: number,
  perBlock: number,
) => `select 'ethereum' as network, ${placed(day)}, 36000000 as gas_limit,
    21000 * ${perBlock} as gas_used, cast(${BASE_FEE} as varchar) as base_fee_per_gas, ${perBlock} as transaction_count,
    0 as destroyed_contracts, 131072 as blob_gas_used, '500000000' as blob_base_fee_per_gas
  from range(${day * BLOCKS_A_DAY}, ${(day + 1) * BLOCKS_A_DAY}) r(block)`;

/** Of twenty transactions, one carries blobs, one sets code, one has an access list, five are legacy and the rest have a fee cap. */
const transactions = (day: number, perBlock: number) => `select 'ethereum' as network,
    concat('0x', md5(cast(i as varchar)), md5(cast(-i as varchar))) as tx_hash, ${placed(day)},
    tx_type, case when tx_type > 2 or draw % 97 > 0 then concat('0x', substr(md5(cast(i % 200000 as varchar)), 1, 32), '0badcafe') end as to_address,
    case when draw % 3 > 0 then '0xa9059cbb' else '0x' end as input, case when draw % 41 > 0 then 1 else 0 end as status,
    21000 + case when draw % 3 > 0 then draw % 240000 else 0 end as gas_used,
    cast(${BASE_FEE} + ${TIP} as varchar) as gas_price, cast(${BASE_FEE} + ${TIP} as varchar) as effective_gas_price,
    case when tx_type >= 2 then cast(2 * ${BASE_FEE} + ${TIP} as varchar) end as max_fee_per_gas,
    case when tx_type >= 2 then cast(${TIP} as varchar) end as max_priority_fee_per_gas,
    case when tx_type = 3 then 131072 else 0 end as blob_gas_used
  from (
    select i, i // ${perBlock} as block, draw, case draw % 20 when 0 then 3 when 1 then 4 when 2 then 1 else case when draw % 20 < 8 then 0 else 2 end end as tx_type
    from (
      select i, cast(hash(i) % 1000000007 as bigint) as draw
      from range(${day * BLOCKS_A_DAY * perBlock}, ${(day + 1) * BLOCKS_A_DAY * perBlock}) r(i)
    )
  )`;

export const transactionFamily: Family = {
  name: 'network_a',
  domain: networkA,
  table: 'network_a_transaction',
  rows: 'transactions',
  day(day, rows) {
    const perBlock = Math.ceil(rows / BLOCKS_A_DAY);
    return [
      ['network_a_block', blocks(day, perBlock)],
      ['network_a_transaction', transactions(day, perBlock)],
    ];
  },
  bare: `select network, day, tx_type, count(*) as n, count(*) filter (where is_creation) as creations, count(*) filter (where has_input) as calls, min(gas_used) as low,
      max(gas_used) as high, sum(gas_used) as gas, min(fee_cap_wei) as low_cap, max(fee_cap_wei) as high_cap, sum(fee_cap_wei) as caps,
      min(tip_cap_wei) as low_tip, max(tip_cap_wei) as high_tip, sum(tip_cap_wei) as tips, min(quoted_price_wei) as low_price,
      max(quoted_price_wei) as high_price, sum(quoted_price_wei) as prices
    from obs.network_a_transaction where observed_at >= @start and observed_at < @end group by network, day, tx_type`,
};
