// A value that is known at once, or a moment later. One machine counts in memory: its requests must not pay for a promise each.

export type Soon<T> = T | Promise<T>;

export const onceKnown = <T, R>(value: Soon<T>, next: (known: T) => Soon<R>): Soon<R> =>
  value instanceof Promise ? value.then(next) : next(value);
