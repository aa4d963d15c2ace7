// What vaults and oracle paths add: every dataset, series and event that other families publish is the same with and without any of their
// input, byte for byte, but for the fields that speak of vaults, of what they bear and of what oracles assume.
import { beforeAll, describe, expect, test } from 'vitest';
import { runOnce } from '../../jobs/commands/work.ts';
import { domains } from '../../jobs/registry.ts';
import type { Json } from '../../platform/base/json.ts';
import { DEMO, demoFolder } from '../support/demo-folder.ts';
import {
  datasetHashes,
  inWorld,
  type LoggedEvent,
  publishedEvents,
  seriesHashes,
  testFolder,
} from '../support/pipeline-world.ts';
import { documentsOf } from '../support/published-files.ts';
import { removeFolder } from '../support/temporary-folder.ts';

const ADDED = ['vaults', 'oracle-paths'];
const added = domains.filter(({ id }) => ADDED.includes(id));
const others = domains.filter(({ id }) => !ADDED.includes(id));
const ADDED_DATASETS = new Set(added.flatMap(({ datasets }) => datasets.map(({ id }) => id)));
const ADDED_GATES = new Set([...ADDED_DATASETS].map((id) => `dataset.gate|${id}`));
const ADDED_TYPES = new Set(added.flatMap(({ detectors }) => detectors.map(({ type }) => type)));

type Row = { readonly [field: string]: Json };
type Documents = { readonly [key: string]: Row };

/** What of other families speaks of vaults and oracle paths; everything else must be equal. */
const EXCEPTIONS: { readonly [dataset: string]: (documents: Documents) => Documents } = {
  /** What is wrong with them is listed, and ids of events count all that were logged before. */
  conditions: (documents) =>
    Object.fromEntries(
      Object.entries(documents)
        .filter(([key, { type }]) => !ADDED_TYPES.has(String(type)) && !ADDED_GATES.has(key))
        .map(([key, { event_id: _id, evidence_url: _url, ...rest }]) => [key, rest]),
    ),
  /** The debt behind an opportunity that no collateral covers, and whether an assumption behind it is broken. */
  'yield-opportunities': (documents) =>
    Object.fromEntries(
      Object.entries(documents).map(
        ([key, { uncoveredDebtLowUsd: _low, uncoveredDebtHighUsd: _high, flags, qualityGate, ...rest }]) => [
          key,
          { ...rest, flags: withoutAdded(flags), warnings: withoutAdded((qualityGate as Row)['warnings']) },
        ],
      ),
    ),
};

const ADDED_FLAGS = ['uncovered_debt', 'uncovered_debt_unknown', 'oracle_assumption_broken'];
const withoutAdded = (flags: Json | undefined): Json =>
  (flags as readonly string[]).filter((flag) => !ADDED_FLAGS.includes(flag));

/** The events of other types. Ids count all events that were logged before: the key of an event stands for its id. */
function oldEvents(dir: string): readonly Json[] {
  const all = publishedEvents(dir);
  const keys = new Map(all.map(({ key, value }) => [value.event_id, key]));
  const named = (event: LoggedEvent): Json =>
    JSON.parse(JSON.stringify(event).replaceAll(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, (id) => keys.get(id) ?? id));
  return all.filter(({ value }) => !ADDED_TYPES.has(value.type)).map(named);
}

describe('what was published before vaults and oracle paths', () => {
  let full: string;
  let bare: string;
  beforeAll(async () => {
    full = await demoFolder();
    const folder = testFolder();
    bare = folder.dir;
    const fed = domains.map((domain) => (added.includes(domain) ? { ...domain, demo: () => [] } : domain));
    expect(await inWorld(bare, { ...DEMO, domains: fed }, (world) => runOnce(world, null))).toBe(0);
    return () => {
      folder.remove();
      removeFolder(full);
    };
  }, 900_000);

  test('is compared with a world without their readings: registries and logs were published before', () => {
    const priced = (dir: string) =>
      Object.values(documentsOf<Row>(dir, 'vaults')).filter(({ share_price }) => share_price !== null);
    expect([priced(bare).length, Object.keys(documentsOf(bare, 'oracle-paths')).length]).toEqual([0, 0]);
    expect(priced(full).length).toBeGreaterThan(5);
    expect(Object.keys(documentsOf(full, 'oracle-paths')).length).toBeGreaterThan(3);
  });

  test('has the same documents, but for the fields that speak of them', () => {
    const [before, after] = [datasetHashes(bare), datasetHashes(full)];
    const ids = Object.keys(after).filter((id) => !ADDED_DATASETS.has(id));
    expect(ids).toEqual(
      expect.arrayContaining(others.flatMap(({ datasets }) => datasets.map(({ id }) => id))),
    );
    const differing = ids.filter((id) => before[id] !== after[id]);
    expect(differing.sort()).toEqual(Object.keys(EXCEPTIONS).sort());
    for (const [id, comparable] of Object.entries(EXCEPTIONS))
      expect(comparable(documentsOf(full, id)), id).toEqual(comparable(documentsOf(bare, id)));
  });

  test('has the same series', () => {
    const { vaults: _vaults, 'oracle-paths': _paths, ...after } = seriesHashes(full);
    const { vaults: _noVaults, 'oracle-paths': _noPaths, ...before } = seriesHashes(bare);
    expect(Object.keys(after).length).toBeGreaterThan(5);
    expect(after).toEqual(before);
  });

  test('has the same events in the same order', () => {
    const types = new Set(publishedEvents(full).map(({ value }) => value.type));
    expect([...ADDED_TYPES].filter((type) => !types.has(type))).toEqual([]);
    expect(oldEvents(full)).toEqual(oldEvents(bare));
  });
});
