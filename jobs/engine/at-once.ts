// Runs asynchronous work with limited concurrency.

/** A unit of work that comes after everything it reads. */
interface Step {
  readonly name: string;
  readonly reads: readonly string[];
}

/**
 * Like `atOnce`, but a step starts only when the steps it reads have finished. Steps must be given in an order in which they could run one
 * by one; with a limit of one, they run in exactly that order.
 */
export async function atOnceInOrder<T extends Step>(
  limit: number,
  steps: readonly T[],
  work: (step: T) => Promise<unknown>,
): Promise<void> {
  const waiting = [...steps];
  const unfinished = new Set(steps.map(({ name }) => name));
  const isReady = ({ name, reads }: T) => !reads.some((read) => read !== name && unfinished.has(read));
  const takeReady = () => {
    const index = waiting.findIndex(isReady);
    return index === -1 ? undefined : waiting.splice(index, 1)[0];
  };
  let next = Promise.withResolvers<void>();
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    while (waiting.length > 0 && failure === undefined) {
      const step = takeReady();
      if (step === undefined) {
        await next.promise;
        continue;
      }
      try {
        await work(step);
      } catch (error) {
        failure ??= { error };
      }
      unfinished.delete(step.name);
      next.resolve();
      next = Promise.withResolvers();
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, steps.length) }, worker));
  if (failure !== undefined) throw failure.error;
}

/** Calls `work` for each item in order, at most `limit` at a time. After a failure no further item starts; rejects with the first error. */
export async function atOnce<T>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = items.values();
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    for (const item of queue) {
      if (failure !== undefined) return;
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failure !== undefined) throw failure.error;
}

/** Like `atOnce`; resolves to the results of `work` in the order of the items. */
export async function allAtOnce<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  await atOnce(limit, [...items.entries()], async ([at, item]) => {
    results.set(at, await work(item));
  });
  return items.map((_, index) => results.get(index) as R);
}
