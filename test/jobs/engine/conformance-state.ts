// What every warehouse must do with the pipeline's own small tables.
import { expect } from 'vitest';
import type { StateTable } from '../../../jobs/engine/warehouse.ts';
import type { ModelWorld } from '../../support/model-world.ts';
import type { Cases } from './conformance-case.ts';

const NOTES: StateTable = {
  name: 'meta.note',
  columns: [
    { name: 'name', type: 'VARCHAR' },
    { name: 'day', type: 'BIGINT' },
    { name: 'is_done', type: 'BOOLEAN' },
  ],
};
const note = (name: string, day: number | null = null, is_done = false) => ({ name, day, is_done });
const notes = ({ warehouse }: ModelWorld) =>
  warehouse.state.rows('select name, day, is_done from meta.note order by name');

export const STATE_CASES: Cases = {
  'rows are added, and replaced if they match a condition': async (world) => {
    const { state } = world.warehouse;
    await state.prepare(NOTES);
    await state.add(NOTES, [note('a', 1), note('b', 2, true), note("c's", null)]);
    await state.replace(NOTES, [note('d', 2)], 'day = 2');
    expect(await notes(world)).toEqual([note('a', 1), note("c's", null), note('d', 2)]);
    await state.prepare(NOTES);
    await state.replace(NOTES, [note('e')]);
    expect(await notes(world)).toEqual([note('e')]);
    await state.replace(NOTES, []);
    expect(await notes(world)).toEqual([]);
  },

  'a replacement that fails leaves the old rows': async (world) => {
    const { state } = world.warehouse;
    await state.prepare(NOTES);
    await state.add(NOTES, [note('a', 1)]);
    await expect(state.replace(NOTES, [note('b', 1), note('c', 0.5)])).rejects.toThrow();
    expect(await notes(world)).toEqual([note('a', 1)]);
  },

  'what was read and written before a transaction failed is read again': async (world) => {
    const { state, capabilities } = world.warehouse;
    await state.prepare(NOTES);
    await state.replace(NOTES, [note('a', 1)]);
    expect(await notes(world)).toEqual([note('a', 1)]);
    const work = world.warehouse.transaction(async () => {
      await state.replace(NOTES, [note('b', 2)]);
      expect(await notes(world)).toEqual([note('b', 2)]);
      throw new Error('changed its mind');
    });
    await expect(work).rejects.toThrow('changed its mind');
    const left = capabilities.transactions ? note('a', 1) : note('b', 2);
    expect(await notes(world)).toEqual([left]);
    await state.replace(NOTES, [note('b', 2)]);
    expect(await notes(world)).toEqual([note('b', 2)]);
    await state.replace(NOTES, [note('b', 3)]);
    await state.replace(NOTES, [note('b', 3)]);
    expect(await notes(world)).toEqual([note('b', 3)]);
  },

  'a transaction that fails leaves nothing behind, if there are transactions': async (world) => {
    const { state, capabilities, transaction } = world.warehouse;
    await state.prepare(NOTES);
    const work = transaction.call(world.warehouse, async () => {
      await state.add(NOTES, [note('a')]);
      await transaction.call(world.warehouse, () => state.replace(NOTES, [note('b')]));
      throw new Error('changed its mind');
    });
    await expect(work).rejects.toThrow('changed its mind');
    expect(await notes(world)).toEqual(capabilities.transactions ? [] : [note('b')]);
  },
};
