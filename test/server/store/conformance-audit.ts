// What every store must do with the log of changes.
import { expect } from 'vitest';
import type { Cases } from './conformance-case.ts';
import { ACTOR, keyRecord, NOW_MS } from './store-fixture.ts';

export const AUDIT_CASES: Cases = {
  'every change is logged: who, what, when, by which request': async ({ store }) => {
    const [key, next] = [keyRecord(), keyRecord()];
    await store.keys.create(key, ACTOR);
    await store.keys.rotate({ oldId: key.id, oldEndsMs: NOW_MS + 9, next }, { ...ACTOR, who: 'key:key_1' });
    await store.keys.revoke(key.id, { who: 'cli:x', requestId: null, atMs: NOW_MS + 5 });
    await store.keys.revoke(key.id, { who: 'cli:x', requestId: null, atMs: NOW_MS + 6 });
    const entries = await store.audit.list(0, 10);
    expect(entries).toMatchObject([
      { seq: 1, who: 'cli:test', action: 'key.create', subject: key.id, request_id: 'req_1', at_ms: NOW_MS },
      {
        seq: 2,
        who: 'key:key_1',
        action: 'key.rotate',
        subject: next.id,
        details: { replaces: key.id, old_ends_ms: NOW_MS + 9, org: 'acme', plan: 'team' },
      },
      { seq: 3, who: 'cli:x', action: 'key.revoke', subject: key.id, request_id: null, at_ms: NOW_MS + 5 },
    ]);
    expect(JSON.stringify(entries)).not.toContain(key.hash);
    expect(await store.audit.verify()).toBeUndefined();
  },

  'each entry carries the hash of the previous entry': async ({ store }) => {
    for (let count = 0; count < 3; count++) await store.keys.create(keyRecord(), ACTOR);
    const entries = await store.audit.list(0, 10);
    expect(entries.map(({ previous_hash }) => previous_hash)).toEqual([
      '',
      ...entries.slice(0, 2).map(({ hash }) => hash),
    ]);
  },

  'the log is read in pages': async ({ store }) => {
    for (let count = 0; count < 5; count++) await store.keys.create(keyRecord(), ACTOR);
    expect((await store.audit.list(0, 2)).map(({ seq }) => seq)).toEqual([1, 2]);
    expect((await store.audit.list(2, 10)).map(({ seq }) => seq)).toEqual([3, 4, 5]);
    expect(await store.audit.list(5, 10)).toEqual([]);
  },
};
