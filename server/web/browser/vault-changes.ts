// Announced changes of a vault that have neither taken effect nor been revoked: what its owners can do next, and from when.

export interface VaultAct {
  readonly chain: string;
  readonly vault_address: string;
  readonly on_chain_event: string;
  readonly governance_kind: string | null;
  readonly subject_address: string | null;
  readonly block_number: number;
  readonly log_index: number;
  readonly timestamp: number;
  readonly final_at: number | null;
  readonly retracted_at: number | null;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface PendingChange {
  readonly act: VaultAct;
  /** Unix seconds from which it can take effect, by the present timelock; undefined if that is unknown. */
  readonly possible_at: number | undefined;
}

/** A change in `vault-changes`. */
export interface DelayedChange {
  readonly chain: string;
  readonly vault_address: string;
  readonly vault_name: string | null;
  readonly statement: string;
  readonly status: string;
  readonly severity: string;
  readonly executable_at: number | null;
  readonly executable_by: string;
  readonly can_revoke: readonly string[];
  readonly is_not_final: boolean;
}

/** The acts that end an announcement. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  submit_cap: ['submit_cap', 'set_cap', 'revoke_pending_cap'],
  submit_guardian: ['submit_guardian', 'set_guardian', 'revoke_pending_guardian'],
  submit_timelock: ['submit_timelock', 'set_timelock', 'revoke_pending_timelock'],
  submit_market_removal: ['submit_market_removal', 'revoke_pending_market_removal', 'set_withdraw_queue'],
  start_ownership_transfer: ['start_ownership_transfer', 'transfer_ownership'],
};

/** About one market of the vault, so that an act on another market does not end them. */
const OF_MARKET = new Set(['submit_cap', 'submit_market_removal']);
/** Waits for its receiver, not for the timelock. */
const WITHOUT_TIMELOCK = new Set(['start_ownership_transfer']);

function isAfter(a: VaultAct, b: VaultAct): boolean {
  return a.block_number > b.block_number || (a.block_number === b.block_number && a.log_index > b.log_index);
}

function isEndedBy(announced: VaultAct, later: VaultAct): boolean {
  const { on_chain_event: name, subject_address: market } = announced;
  if (ENDS[name]?.includes(later.on_chain_event) !== true || !isAfter(later, announced)) return false;
  // A market leaves the vault with the queue that no longer has it. A queue of unknown markets may have it.
  if (later.on_chain_event === 'set_withdraw_queue') {
    const queue = later.params['new_withdraw_queue'];
    return Array.isArray(queue) && market !== null && !queue.includes(market);
  }
  return !OF_MARKET.has(name) || later.subject_address === market;
}

/** Newest first. `acts`: those of one vault; those removed by a reorganisation do not count. */
export function pendingChanges(
  acts: readonly VaultAct[],
  timelock_s: number | null,
): readonly PendingChange[] {
  const valid = acts.filter(({ retracted_at }) => retracted_at === null);
  return valid
    .filter((act) => act.on_chain_event in ENDS && !valid.some((later) => isEndedBy(act, later)))
    .toSorted((a, b) => b.timestamp - a.timestamp)
    .map((act) => ({ act, possible_at: possibleAt(act, timelock_s) }));
}

function possibleAt({ on_chain_event, timestamp }: VaultAct, timelock_s: number | null): number | undefined {
  if (WITHOUT_TIMELOCK.has(on_chain_event)) return timestamp;
  return timelock_s === null ? undefined : timestamp + timelock_s;
}
