// What the parts of the dispatcher say, and to whom.

export interface DispatchLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
