// Dispatches while this process leads. When another process may lead, what was in memory is dropped and a new dispatch waits for its turn.
import { Dispatch, type Dispatcher, type DispatcherDeps } from './dispatcher.ts';

export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  const dispatching = new Dispatching(deps);
  dispatching.start();
  return dispatching;
}

class Dispatching implements Dispatcher {
  readonly #deps: DispatcherDeps;
  #dispatch: Dispatch;
  /** Ends when dispatches that lost their turn have. */
  #retiring: Promise<unknown> = Promise.resolve();

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#dispatch = this.#make();
  }

  start(): void {
    this.#dispatch.start();
  }

  wake(): void {
    this.#dispatch.wake();
  }

  settle(): Promise<void> {
    return this.#dispatch.settle();
  }

  async stop(): Promise<void> {
    await this.#dispatch.stop();
    await this.#retiring;
    this.#deps.sender.close();
  }

  #make(): Dispatch {
    const dispatch = new Dispatch(this.#deps, () => this.#replace(dispatch));
    return dispatch;
  }

  #replace(lost: Dispatch): void {
    this.#deps.log.warn({}, 'this process may no longer dispatch webhooks');
    this.#retiring = Promise.all([this.#retiring, lost.stop()]);
    this.#dispatch = this.#make();
    this.#dispatch.start();
  }
}
