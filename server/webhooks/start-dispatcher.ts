// Dispatches while this process leads. If another process may lead, discards the in-memory state and waits for its turn with a new
// dispatch.
import { Dispatch, type Dispatcher, type DispatcherDeps } from './dispatch.ts';

export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  const dispatching = new Dispatching(deps);
  dispatching.start();
  return dispatching;
}

class Dispatching implements Dispatcher {
  readonly #deps: DispatcherDeps;
  #dispatch: Dispatch;
  /** Settles when dispatches that lost their turn have ended. */
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
