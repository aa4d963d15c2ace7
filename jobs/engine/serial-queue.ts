// Runs asynchronous work one call after the other, in the order of the calls.
export type RunSerially = <T>(work: () => Promise<T>) => Promise<T>;

/** Work must not wait for another turn during its own. */
export function serialQueue(): RunSerially {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
