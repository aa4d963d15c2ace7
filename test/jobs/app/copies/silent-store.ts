// A store in which one swap gets no response, whether or not it was done.
import type { ObjectStore } from '../../../../platform/storage/object-store.ts';

/** While `isSilent`, the next swap fails without a response; `isDone` says whether it is carried out first. */
export function silentStore(store: ObjectStore, isDone: boolean) {
  const state = { isSilent: false };
  const swap: ObjectStore['swap'] = async (given) => {
    if (!state.isSilent) return store.swap(given);
    state.isSilent = false;
    if (isDone) await store.swap(given);
    throw new Error('no answer');
  };
  const broken = new Proxy(store, {
    get(target, name) {
      if (name === 'swap') return swap;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { store: broken, state };
}
