// One after the other, in the order in which they were called.
export type Turn = <T>(work: () => Promise<T>) => Promise<T>;

/** Nothing that takes a turn may wait for another one. */
export function turns(): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
