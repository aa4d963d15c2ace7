// What every implementation of Warehouse must do: named cases that run against any of them.
import { afterEach, beforeEach, describe, test } from 'vitest';
import { type ModelWorld, type OpenWarehouse, openModelWorld } from '../../support/model-world.ts';
import { APPEND_CASES } from './conformance-append.ts';
import type { Cases } from './conformance-case.ts';
import { KIND_CASES } from './conformance-kinds.ts';
import { PREPARE_CASES } from './conformance-prepare.ts';
import { QUERY_CASES } from './conformance-queries.ts';
import { STATE_CASES } from './conformance-state.ts';
import { VERSION_CASES } from './conformance-versions.ts';
import { WINDOW_CASES } from './conformance-window.ts';

const CASES: Readonly<Record<string, Cases>> = {
  'tables of models': PREPARE_CASES,
  append: APPEND_CASES,
  window: WINDOW_CASES,
  'view, full and merge': KIND_CASES,
  state: STATE_CASES,
  versions: VERSION_CASES,
  queries: QUERY_CASES,
};

export function warehouseConforms(open: OpenWarehouse): void {
  for (const [subject, cases] of Object.entries(CASES)) {
    describe(subject, () => {
      let world: ModelWorld;
      beforeEach(async () => {
        world = await openModelWorld(open);
      });
      afterEach(() => world.close());
      for (const [name, check] of Object.entries(cases)) test(name, () => check(world));
    });
  }
}
