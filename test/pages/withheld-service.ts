// A service over a few small versions with one browser, for all tests of a file: the newest lacks what a check holds back.
import { afterAll, beforeAll } from 'vitest';
import type { Json } from '../../platform/base/json.ts';
import type { DatasetInput } from '../../snapshots/dataset-intake.ts';
import type { HeldSubjects } from '../../snapshots/held.ts';
import type { TableInfo } from '../../snapshots/layout.ts';
import { AS_OF, AS_OF_MS, datasetOf, isoSeconds, ServerFixture } from '../server/server-fixture.ts';
import { browserForFile, cameToRest } from '../server/web/chromium.ts';

export type Values = Readonly<Record<string, Json>>;

/** Before the newest version, when nothing was held back. */
export const EARLIER = isoSeconds(AS_OF_MS - 3_600_000);
export const REASON = 'a round of its feed went back: release it or correct it';

/** A dataset with a table, so that it has every form; its members may be anything. */
export function tableOf(id: string, key: readonly string[], rows: readonly Values[], separator = '|') {
  const names = new Set([...key, ...rows.flatMap((row) => Object.keys(row))]);
  const row = { type: 'object', properties: Object.fromEntries([...names].map((name) => [name, {}])) };
  const table: TableInfo = { title: id, key: [...key], separator, shape: 'one', row };
  const documents = rows.map((value) => ({ key: key.map((name) => value[name]).join(separator), value }));
  return datasetOf(id, documents, AS_OF, { table });
}

/** `held`: a subject of each dataset that has one. */
export const heldSubjects = (held: Readonly<Record<string, string>>): HeldSubjects => ({
  total: Object.keys(held).length,
  list: Object.entries(held).map(([dataset, subject]) => ({
    ...{ dataset, subject, since: AS_OF, checks: ['rounds go forward'], reason: REASON },
  })),
});

interface PublishedVersion {
  readonly as_of: string;
  readonly datasets: DatasetInput[];
  readonly held_subjects?: HeldSubjects;
}

export interface WithheldService {
  readonly fixture: ServerFixture;
  readonly url: string;
  readonly key: string;
  readonly keyWithoutYields: string;
  readonly openAddress: ReturnType<typeof browserForFile>;
  /** The text of panels of a page, once each has been in view. */
  textAt(address: string, ...panels: readonly string[]): Promise<string>;
}

/** `versions`: oldest first. */
export function serviceForFile(versions: readonly PublishedVersion[]): () => WithheldService {
  const openAddress = browserForFile();
  let service: WithheldService | undefined;
  let fixture: ServerFixture | undefined;
  beforeAll(async () => {
    fixture = await ServerFixture.create();
    const key = await fixture.key('team', { limits: { requests_per_minute: 100_000 } });
    const keyWithoutYields = await fixture.key('team', { scopes: ['data:read'] });
    for (const { as_of, datasets, held_subjects } of versions)
      await fixture.publish(datasets, as_of, '1.0.0', held_subjects && { held_subjects });
    const { url } = await fixture.serve({ anonymousPlan: null });
    const textAt = async (address: string, ...panels: readonly string[]) => {
      const { page } = await openAddress(`${url}${address}#key=${key}`);
      await cameToRest(page);
      for (const panel of panels) {
        await page.locator(panel).scrollIntoViewIfNeeded();
        await cameToRest(page);
      }
      const texts = await Promise.all(panels.map((panel) => page.locator(panel).innerText()));
      await page.close();
      return texts.join('\n');
    };
    service = { fixture, url, key, keyWithoutYields, openAddress, textAt };
  });
  afterAll(() => fixture?.remove());
  return () => {
    if (service === undefined) throw new Error('the service has not been started');
    return service;
  };
}
