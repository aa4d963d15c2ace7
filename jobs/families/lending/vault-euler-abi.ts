// The events of Euler Earn's vaults that euler-xyz/euler-earn declares with the address of a vault where MetaMorpho has the id of a market. All
// others are declared alike, and are in vault-abi.ts; the argument names are the same, so that models read both.
import { event, type VaultEvent } from './vault-abi.ts';

const CALLER = { caller: 'address indexed' } as const;
const OF_VAULT = { ...CALLER, market_id: 'address indexed' } as const;
const market = { subject: 'market_id' } as const;
const cap = { ...market, kind: 'cap' } as const;
const queue = { setsValue: true, kind: 'queue' } as const;

export const EULER_EVENTS: readonly VaultEvent[] = Object.freeze([
  event(
    'set_cap',
    'SetCap',
    { ...OF_VAULT, new_cap: 'uint256' },
    { ...cap, setsValue: true, scope: 'market_id' },
  ),
  event('submit_cap', 'SubmitCap', { ...OF_VAULT, pending_cap: 'uint256' }, cap),
  event('revoke_pending_cap', 'RevokePendingCap', OF_VAULT, cap),
  event('submit_market_removal', 'SubmitMarketRemoval', OF_VAULT, market),
  event('revoke_pending_market_removal', 'RevokePendingMarketRemoval', OF_VAULT, market),
  event('set_supply_queue', 'SetSupplyQueue', { ...CALLER, new_supply_queue: ['address'] }, queue),
  event('set_withdraw_queue', 'SetWithdrawQueue', { ...CALLER, new_withdraw_queue: ['address'] }, queue),
]);
