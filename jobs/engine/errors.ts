// Errors of an engine. The class says what to do: fix the statement, rebuild the warehouse, or wait.

/** A statement failed. `cause` is the driver's error. */
export class EngineError extends Error {
  override readonly name: string = 'EngineError';
}

/** The warehouse file or its log cannot be read. Everything in it can be rebuilt from landing: remove it and rebuild. */
export class DamagedWarehouseError extends EngineError {
  override readonly name = 'DamagedWarehouseError';
}

/** A later leader has taken over the warehouse. Nothing was changed. */
export class WarehouseLostError extends EngineError {
  override readonly name = 'WarehouseLostError';
}

/** Another process holds the warehouse. Try again after it has exited. */
export class WarehouseBusyError extends EngineError {
  override readonly name = 'WarehouseBusyError';
}

type ErrorClass = new (...given: never[]) => Error;

/** Finds an error of one of these classes in the error or its causes, however deeply wrapped; null when there is none. */
export function causeAmong<T extends ErrorClass>(
  error: unknown,
  classes: readonly T[],
): InstanceType<T> | null {
  if (!(error instanceof Error)) return null;
  if (classes.some((one) => error instanceof one)) return error as InstanceType<T>;
  const inner = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause];
  return inner.map((one) => causeAmong(one, classes)).find((found) => found !== null) ?? null;
}

export const warehouseDamage = (error: unknown): DamagedWarehouseError | null =>
  causeAmong(error, [DamagedWarehouseError]);
