// Removes objects that nothing names from the bucket that job hosts share. Crashes leave such objects: rows without a receipt, journal
// pieces that no head names, and bodies of recordings without a description.
import type { ObjectStore } from '../../../platform/storage/object-store.ts';
import type { Journal } from './journal.ts';
import { keyOf, pieceKey } from './journal-form.ts';

/** Minimum age of what is removed. A recording is written in seconds, but its poller may be paused in between. */
const KEPT_MS = 86_400_000;
/** Objects removed between two checks that this host still leads. */
const AT_ONCE = 100;

export interface Collection {
  readonly store: ObjectStore;
  /** The leader's journal; only the leader may collect. */
  readonly journal: Journal;
  readonly nowMs: number;
}

/** Resolves to the keys that were removed. @throws StaleTermError once another host leads */
export async function collectUnnamed(collection: Collection): Promise<readonly string[]> {
  const { store, journal } = collection;
  await journal.assertLeads();
  const keys = await Promise.all(['landing/', 'quarantine/', 'lost+found/', 'journal/'].map(listIn(store)));
  const roots = (await store.names('')).filter((name) => name.endsWith('.json'));
  const unnamed = [...keys.flat(), ...roots].filter(isUnnamed(journal));
  const bodies = bodiesAlone(await store.list('recordings/'));
  const old = await whereOld(collection, [...unnamed, ...bodies]);
  for (let from = 0; from < old.length; from += AT_ONCE) {
    await journal.assertLeads();
    await store.remove(old.slice(from, from + AT_ONCE));
  }
  return old;
}

const listIn = (store: ObjectStore) => (prefix: string) => store.list(prefix);

const MARKED = /[./](\d+)-[0-9a-f]{64}(\.[^./]+)?$/;
const PIECE = /^journal\/[0-9a-f]{64}\.txt$/;

/**
 * Files count only if an earlier leader put them: that leader loses its next swap, so nothing will ever name them. The current leader may
 * be about to name what it has put itself. Keys of any other form belong to someone else.
 */
function isUnnamed({ files, pieces, leader }: Journal): (key: string) => boolean {
  const named = new Set([...files].map(([path, record]) => keyOf(path, record)));
  for (const sha256 of pieces) named.add(pieceKey(sha256));
  return (key) => {
    if (named.has(key)) return false;
    const term = MARKED.exec(key)?.[1];
    return term === undefined ? PIECE.test(key) : Number(term) < leader.number;
  };
}

/** Bodies without their description, which has the name of the body's folder. */
function bodiesAlone(keys: readonly string[]): readonly string[] {
  const there = new Set(keys);
  return keys.filter((key) => {
    const folder = /^(recordings\/[^/]+\/\d{4}-\d{2}-\d{2}\/[^/]+)\/[^/]+$/.exec(key)?.[1];
    return folder !== undefined && !there.has(`${folder}.json`);
  });
}

async function whereOld({ store, nowMs }: Collection, keys: readonly string[]): Promise<readonly string[]> {
  const old: string[] = [];
  for (const key of keys) {
    const facts = await store.facts(key);
    if (facts !== null && facts.modifiedMs < nowMs - KEPT_MS) old.push(key);
  }
  return old;
}
