// Concurrent work on many objects.
import { allDone } from './durable.ts';

/** Concurrent requests: enough to hide the latency of a store, few enough for its limits. */
const MAX_AT_ONCE = 16;

/** Results in the order of the items. Waits for running work even when one item fails. Throws the first failure. */
export async function atOnce<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  let hasFailed = false;
  const take = async (): Promise<void> => {
    while (next < items.length && !hasFailed) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await allDone(Array.from({ length: Math.min(MAX_AT_ONCE, items.length) }, take));
  return results;
}
