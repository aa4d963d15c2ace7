// A store whose writer ends at one chosen call: before the call takes effect or, for every second call, after it.
import type { ObjectStore } from '../../../platform/storage/object-store.ts';

export function brokenStore(
  inner: ObjectStore,
  at: number,
): { readonly store: ObjectStore; calls(): number } {
  let calls = 0;
  let isDead = false;
  const store = new Proxy(inner, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name === 'nameOf') return member.bind(target);
      return async (...given: unknown[]) => {
        if (isDead) throw new Error('ended');
        isDead = calls++ === at;
        if (!isDead) return await member.apply(target, given);
        if (at % 2 === 1) await member.apply(target, given);
        throw new Error(`ended at call ${at}, ${String(name)}`);
      };
    },
  });
  return { store, calls: () => calls };
}
