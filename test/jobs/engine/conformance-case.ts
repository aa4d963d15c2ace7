// One thing that every warehouse must do, as a function of a warehouse that holds the small domain of test/support/model-folder.ts.
import type { ModelWorld } from '../../support/model-world.ts';

export type Cases = Readonly<Record<string, (world: ModelWorld) => Promise<void>>>;
