// Errors of an engine. The class says what to do: fix the statement, rebuild the warehouse, or wait.

/** A statement failed. `cause` is the driver's error. */
export class EngineError extends Error {
  override readonly name: string = 'EngineError';
}

/** The warehouse file or its log cannot be read. Everything in it can be rebuilt from landing: remove it and rebuild. */
export class DamagedWarehouseError extends EngineError {
  override readonly name = 'DamagedWarehouseError';
}

/** Another process holds the warehouse. Try again when it has ended. */
/** A later leader has the warehouse. Nothing was changed. */
export class WarehouseTakenError extends EngineError {
  override readonly name = 'WarehouseTakenError';
}

export class WarehouseBusyError extends EngineError {
  override readonly name = 'WarehouseBusyError';
}

/** The warehouse damage behind an error, however it was wrapped; null when it has another cause. */
export function warehouseDamage(error: unknown): DamagedWarehouseError | null {
  if (error instanceof DamagedWarehouseError) return error;
  if (!(error instanceof Error)) return null;
  const inner = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause];
  return inner.map(warehouseDamage).find((damage) => damage !== null) ?? null;
}
