// A kind of trouble: its effect on a response, and where it can happen.
import type { Scene, TroubleReply } from './replies.ts';

/** Larger than any true response of the simulated world; real sources have a larger limit. */
export const MAX_BYTES = 3_000_000;

export interface Trouble {
  readonly name: string;
  readonly isPossible: (scene: Scene) => boolean;
  readonly play: (scene: Scene, turn: number) => TroubleReply;
}

const always = () => true;
export const trouble = (
  name: string,
  play: Trouble['play'],
  isPossible: Trouble['isPossible'] = always,
): Trouble => ({ name, play, isPossible });

export const isList = ({ endpoint }: Scene) => endpoint.carriers.records !== null;
export const hasAmount = ({ endpoint }: Scene) => endpoint.carriers.amount !== null;
export const isGraph = ({ endpoint }: Scene) => endpoint.protocol === 'graphql';
export const isRpc = ({ endpoint }: Scene) => endpoint.protocol === 'json_rpc';
export const isDaily = ({ endpoint }: Scene) => ['fundamentals', 'validator-days'].includes(endpoint.id);
/** A list of what exists now, not of a period. */
export const isWhole = (scene: Scene) =>
  isList(scene) && !['hub', 'posts', 'payments'].includes(scene.endpoint.id);
export const isSecondPage = ({ endpoint, question }: Scene) =>
  endpoint.id === 'posts' && question.path.includes('before=');
