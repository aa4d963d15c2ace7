// Names of feeds, markets and vaults by the addresses in subject ids. Event lists come with the names of their subjects. For events without
// names, such as those of the stream, names are loaded from the published registries. An address without a name is shortened.
import { isRefused } from './access.ts';
import { ask, type Meta, target } from './api.ts';
import { shortName } from './format.ts';
import { apiKey, onState } from './state.ts';

export interface NamedRow {
  readonly name?: string | null;
  readonly pair?: string | null;
  readonly protocol?: string | null;
  readonly feed_address?: string;
  readonly market_id?: string;
  readonly vault_address?: string;
}

const names = new Map<string, string>();
let loading: Promise<void> | undefined;
let isLoaded = false;

let reader = apiKey();
// Each key may read different names, so they are forgotten together with the key.
onState(() => {
  if (apiKey() === reader) return;
  reader = apiKey();
  names.clear();
  loading = undefined;
  isLoaded = false;
});

/** Names load after the main content. */
const DEFERRED_MS = 1_000;

/** Renders the panel again once names are known. */
export function loadNames(panel: HTMLElement): void {
  if (isLoaded) return;
  loading ??= new Promise((resolve) => setTimeout(resolve, DEFERRED_MS)).then(load);
  void loading.then(() => {
    if (names.size > 0) panel.dispatchEvent(new CustomEvent('repaint'));
  });
}

const REGISTRIES = ['/v2/datasets/feeds', '/v2/datasets/lending-markets', '/v2/datasets/lending-vaults'];

/** If a registry cannot be read, its addresses are shown without names. */
async function load(): Promise<void> {
  const asked = reader;
  const addresses = REGISTRIES.map((path) => target(path)).filter((address) => !isRefused(address));
  const parts = await Promise.allSettled(addresses.map((address) => ask<readonly NamedRow[]>(address)));
  if (reader !== asked) return;
  for (const part of parts) if (part.status === 'fulfilled') part.value.data.forEach(rememberName);
  isLoaded = true;
}

export function rememberName(row: NamedRow): void {
  const id = row.feed_address ?? row.market_id ?? row.vault_address;
  const name = row.pair ?? row.name;
  if (id === undefined || !name) return;
  names.set(
    id.toLowerCase(),
    row.market_id !== undefined && row.protocol ? `${name} (${row.protocol})` : name,
  );
}

/** Stores the names of a response before its rows are shown. */
export function rememberNames({ names: given }: Meta): void {
  for (const [address, name] of Object.entries((given ?? {}) as Readonly<Record<string, string>>))
    names.set(address.toLowerCase(), name);
}

/** A part of an id, as a name. */
export const nameOf = (part: string): string => names.get(part.toLowerCase()) ?? shortName(part);
