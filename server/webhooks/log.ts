// The log of the dispatcher's parts.

export interface DispatchLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
